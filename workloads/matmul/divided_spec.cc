#include <limits>
#include <nlohmann/json.hpp>

#include "workloads/matmul/matmul_spec.h"

namespace evenkeel::workloads::matmul {
namespace {

constexpr std::int64_t kLargestInt = std::numeric_limits<std::int64_t>::max();
constexpr model::IntRange kAnyExtent{1, kLargestInt};

std::optional<std::uint64_t> ReadSeed(model::FieldReader& fields, const std::string& name) {
  if (!fields.Has(name)) return std::nullopt;
  return static_cast<std::uint64_t>(fields.RequiredInt(name, {0, kLargestInt}));
}

}  // namespace

std::string DividedParameters(const MatmulSpec& spec) {
  nlohmann::json divided{{"rows", spec.shape.rows},
                         {"columns", spec.shape.columns},
                         {"depth", spec.shape.depth},
                         {"type", NameOf(spec.shape.type)},
                         {"tileRows", spec.sizes.rows},
                         {"tileColumns", spec.sizes.columns},
                         {"tileDepth", spec.sizes.depth},
                         {"chunk", spec.sizes.chunk},
                         {"strip", spec.sizes.strip},
                         {"memory", spec.memory_bytes},
                         {"keepBlocks", spec.keep_blocks},
                         {"keepRow", spec.keep_row},
                         {"window", spec.transfer.window},
                         {"refreshAt", spec.transfer.refresh_at},
                         {"betweenWorkers", spec.transfer.between_workers}};
  if (spec.seed_a) divided["seedA"] = *spec.seed_a;
  if (spec.seed_b) divided["seedB"] = *spec.seed_b;
  return nlohmann::json{{"divided", divided}}.dump();
}

Result<MatmulSpec> ReadDividedSpec(model::FieldReader fields) {
  MatmulSpec spec;
  model::FieldReader divided = fields.RequiredObject("divided");
  spec.shape.rows = divided.RequiredInt("rows", kAnyExtent);
  spec.shape.columns = divided.RequiredInt("columns", kAnyExtent);
  spec.shape.depth = divided.RequiredInt("depth", kAnyExtent);
  spec.shape.type =
      ElementTypeNamed(divided.RequiredChoice("type", TypeNames())).value_or(ElementType::kFloat64);
  spec.sizes.rows = divided.RequiredInt("tileRows", kAnyExtent);
  spec.sizes.columns = divided.RequiredInt("tileColumns", kAnyExtent);
  spec.sizes.depth = divided.RequiredInt("tileDepth", kAnyExtent);
  spec.sizes.chunk = divided.RequiredInt("chunk", kAnyExtent);
  spec.sizes.strip = divided.RequiredInt("strip", kAnyExtent);
  spec.memory_bytes = divided.RequiredInt("memory", kAnyExtent);
  spec.keep_blocks = divided.OptionalBool("keepBlocks", true);
  spec.keep_row = divided.OptionalBool("keepRow", false);
  spec.transfer.window = divided.RequiredInt("window", {1, 64});
  spec.transfer.refresh_at = divided.RequiredInt("refreshAt", {0, 63});
  spec.transfer.between_workers = divided.OptionalBool("betweenWorkers", false);
  spec.seed_a = ReadSeed(divided, "seedA");
  spec.seed_b = ReadSeed(divided, "seedB");
  if (const auto read = fields.Finish(); !read) return tl::unexpected(read.error());
  const auto& shape = spec.shape;
  if (spec.seed_a) spec.a = MakeRandomMatrix(shape.rows, shape.depth, shape.type, *spec.seed_a);
  if (spec.seed_b) spec.b = MakeRandomMatrix(shape.depth, shape.columns, shape.type, *spec.seed_b);
  return spec;
}

}  // namespace evenkeel::workloads::matmul
