#include "workloads/matmul/matmul_spec.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/base/log.h"
#include "core/base/printable.h"
#include "core/model/quantity.h"
#include "platform/text.h"

namespace evenkeel::workloads::matmul {
namespace {

constexpr std::int64_t kLargestInt = std::numeric_limits<std::int64_t>::max();
constexpr model::IntRange kAnyExtent{1, kLargestInt};

std::optional<std::uint64_t> ReadSeed(model::FieldReader& fields, const std::string& name) {
  if (!fields.Has(name)) return std::nullopt;
  return static_cast<std::uint64_t>(fields.RequiredInt(name, {0, kLargestInt}));
}

constexpr std::size_t kMaxPathBytes = 4096;

// A path may have any bytes, JSON only UTF-8.
nlohmann::json JsonOf(const FactorFile& file) {
  return {{"path", platform::EncodeBase64(file.path)}, {"version", file.version}};
}

std::optional<FactorFile> ReadFactorFile(model::FieldReader& fields, const std::string& name) {
  if (!fields.Has(name)) return std::nullopt;
  model::FieldReader file = fields.RequiredObject(name);
  auto path = platform::DecodeBase64(file.RequiredString("path", 2 * kMaxPathBytes));
  if (!path) file.Fail("path", "must be Base64");
  return FactorFile{path.value_or(""), file.RequiredString("version", kMaxPathBytes)};
}

/// Null if the file is not what it was at the coordinator.
std::shared_ptr<const Matrix> OpenFactorFile(const FactorFile& file, std::int64_t rows,
                                             std::int64_t columns, ElementType type) {
  auto opened = OpenNpyMatrix({}, file.path, false);
  const std::string problem = opened ? "has changed" : opened.error().message;
  if (opened && (*opened)->Version() == file.version && (*opened)->Rows() == rows &&
      (*opened)->Columns() == columns && (*opened)->Type() == type) {
    return std::move(*opened);
  }
  Log(LogLevel::kWarning,
      Printable(file.path) + ": " + problem + "; its blocks are fetched from the coordinator");
  return nullptr;
}

}  // namespace

std::string WorkerParametersOf(const MatmulSpec& spec) {
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
  if (spec.file_a) divided["fileA"] = JsonOf(*spec.file_a);
  if (spec.file_b) divided["fileB"] = JsonOf(*spec.file_b);
  return nlohmann::json{{"divided", divided}}.dump();
}

Result<MatmulSpec> ReadWorkerSpec(model::FieldReader fields, const WorkloadContext& context) {
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
  spec.file_a = ReadFactorFile(divided, "fileA");
  spec.file_b = ReadFactorFile(divided, "fileB");
  if (const auto read = fields.Finish(); !read) return tl::unexpected(read.error());
  const auto& shape = spec.shape;
  if (spec.seed_a) spec.a = MakeRandomMatrix(shape.rows, shape.depth, shape.type, *spec.seed_a);
  if (spec.seed_b) spec.b = MakeRandomMatrix(shape.depth, shape.columns, shape.type, *spec.seed_b);
  if (context.reads_blocks_locally) {
    if (spec.file_a) spec.a = OpenFactorFile(*spec.file_a, shape.rows, shape.depth, shape.type);
    if (spec.file_b) spec.b = OpenFactorFile(*spec.file_b, shape.depth, shape.columns, shape.type);
  }
  return spec;
}

namespace {

constexpr std::int64_t kMaxExtent = 1'000'000'000;
constexpr std::int64_t kMaxEdge = 65'536;
constexpr std::int64_t kMaxFactor = 1024;
constexpr std::int64_t kBlock = 256;
constexpr std::int64_t kLeastMemory = 1 << 20;
constexpr const char* kDefaultMemory = "512Mi";
constexpr std::int64_t kThreads = 4;  // of a typical board
constexpr std::size_t kMaxNameBytes = 1024;
constexpr std::int64_t kMaxSeed = std::numeric_limits<std::int64_t>::max();

/// The fields of one factor.
struct FactorFields {
  std::unique_ptr<Matrix> file;
  std::optional<FactorFile> worker_file;  ///< `file`, if workers may read it themselves
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::uint64_t seed = 0;
};

void OpenFactor(model::FieldReader& factor, const std::string& file, const WorkloadContext& context,
                FactorFields& read) {
  auto opened = OpenNpyMatrix(context.folder, file, context.confined);
  if (!opened) {
    factor.Fail("file",
                model::ShownKey((context.folder / file).string()) + ": " + opened.error().message);
    return;
  }
  read.rows = (*opened)->Rows();
  read.columns = (*opened)->Columns();
  if (context.workers_are_local) {
    std::error_code error;
    const auto path = std::filesystem::absolute(context.folder / file, error);
    const bool fits = !error && path.native().size() <= kMaxPathBytes;
    if (fits) read.worker_file = FactorFile{path.native(), (*opened)->Version()};
  }
  read.file = std::move(*opened);
}

FactorFields ReadFactor(model::FieldReader& fields, const std::string& name,
                        const WorkloadContext& context) {
  model::FieldReader factor = fields.RequiredObject(name);
  const bool is_file = factor.Has("file");
  const bool is_random = factor.Has("random");
  FactorFields read;
  std::string file;
  if (is_file) file = factor.RequiredString("file", kMaxNameBytes);
  if (is_random) {
    model::FieldReader random = factor.RequiredObject("random");
    read.rows = random.RequiredInt("rows", {1, kMaxExtent});
    read.columns = random.RequiredInt("columns", {1, kMaxExtent});
    read.seed = static_cast<std::uint64_t>(random.OptionalInt("seed", {0, kMaxSeed}, 1));
  }
  factor.Any("file");
  factor.Any("random");
  if (is_file == is_random) {
    fields.Fail(name, "must have exactly one of file, random");
  } else if (is_file && !file.empty()) {
    OpenFactor(factor, file, context, read);
  }
  return read;
}

std::int64_t ReadMemory(model::FieldReader& fields) {
  const std::string text = fields.OptionalString("memoryPerWorker", 32, kDefaultMemory);
  const auto bytes = model::ParseQuantity(text, 1);
  if (bytes && *bytes >= kLeastMemory) return *bytes;
  fields.Fail("memoryPerWorker",
              "must be a quantity such as 512Mi, at least 1Mi, is " + model::ShownKey(text));
  return kLeastMemory;
}

TransferSpec ReadTransfer(model::FieldReader fields) {
  TransferSpec transfer;
  transfer.window = fields.OptionalInt("window", {1, 64}, transfer.window);
  transfer.refresh_at = fields.OptionalInt("refreshAt", {0, 63}, transfer.refresh_at);
  if (transfer.refresh_at >= transfer.window) fields.Fail("refreshAt", "must be less than window");
  transfer.between_workers =
      fields.OptionalChoice("betweenWorkers", {"Enabled", "Disabled"}, "Enabled") == "Enabled";
  return transfer;
}

/// The fields that determine the division of the product.
struct DivisionFields {
  Aggregation pattern = Aggregation::kAutomatic;
  std::int64_t block = kBlock;
  std::int64_t factor = 4;
  std::optional<TileSizes> tile;  ///< depth 0: all of it
};

Aggregation PatternOf(const std::string& name) {
  if (name == "None") return Aggregation::kNone;
  if (name == "Row") return Aggregation::kRow;
  if (name == "ByRows") return Aggregation::kByRows;
  return name == "Square" ? Aggregation::kSquare : Aggregation::kAutomatic;
}

DivisionFields ReadDivision(model::FieldReader& fields) {
  DivisionFields division;
  model::FieldReader aggregation = fields.OptionalObject("aggregation");
  division.pattern = PatternOf(
      fields.Has("aggregation")
          ? aggregation.RequiredChoice("pattern", {"Automatic", "None", "Row", "Square", "ByRows"})
          : "Automatic");
  const bool by_rows = division.pattern == Aggregation::kByRows;
  division.block = aggregation.OptionalInt("block", {1, kMaxEdge}, by_rows ? 1 : kBlock);
  division.factor = aggregation.OptionalInt("factor", {1, kMaxFactor}, division.factor);
  const bool automatic = division.pattern == Aggregation::kAutomatic;
  if (automatic && (aggregation.Has("block") || aggregation.Has("factor"))) {
    fields.Fail("aggregation.pattern", "must be None, Row, Square or ByRows for block and factor");
  }
  if (by_rows && aggregation.Has("factor")) {
    fields.Fail("aggregation.factor", "must be left out with the pattern ByRows");
  }
  if (fields.Has("tile")) {
    if (!automatic) fields.Fail("tile", "must be left out with a pattern of aggregation");
    model::FieldReader tile = fields.RequiredObject("tile");
    division.tile.emplace();
    division.tile->rows = tile.RequiredInt("rows", {1, kMaxEdge});
    division.tile->columns = tile.RequiredInt("columns", {1, kMaxEdge});
    division.tile->depth = tile.OptionalInt("depth", {1, kMaxExtent}, 0);
  }
  fields.Any("tile");
  return division;
}

/// Every field of the manifest.
struct MatmulFields {
  FactorFields a;
  FactorFields b;
  std::string type;  ///< empty: that of the files
  DivisionFields division;
};

MatmulFields ReadFields(model::FieldReader& fields, const WorkloadContext& context,
                        MatmulSpec& spec) {
  MatmulFields text;
  text.a = ReadFactor(fields, "a", context);
  text.b = ReadFactor(fields, "b", context);
  if (fields.Has("type")) text.type = fields.RequiredChoice("type", TypeNames());
  fields.Any("type");
  text.division = ReadDivision(fields);
  spec.memory_bytes = ReadMemory(fields);
  spec.transfer = ReadTransfer(fields.OptionalObject("transfer"));
  spec.verify = fields.OptionalChoice("verify", {"Freivalds", "None"}, "Freivalds") == "Freivalds";
  return text;
}

ElementType ElementTypeOf(model::FieldReader& fields, const MatmulFields& text) {
  std::optional<ElementType> found;
  if (text.b.file) found = text.b.file->Type();
  if (text.a.file) found = text.a.file->Type();
  if (text.b.file && text.b.file->Type() != *found) {
    fields.Fail("b.file", std::string("must have the type of a's elements, ") + NameOf(*found) +
                              ", has " + NameOf(text.b.file->Type()));
  }
  if (found && !text.type.empty() && text.type != NameOf(*found)) {
    fields.Fail("type", std::string("must be left out or ") + NameOf(*found) +
                            ", the type of the file's elements, is " + text.type);
  }
  if (found) return *found;
  return ElementTypeNamed(text.type).value_or(ElementType::kFloat64);
}

/// Whether the numbers of multiply-adds and of bytes fit into 64 bits.
bool Countable(const ProductShape& shape) {
  constexpr double kMostCounted = 4e18;
  const auto rows = static_cast<double>(shape.rows);
  const auto columns = static_cast<double>(shape.columns);
  return 2 * rows * columns * static_cast<double>(shape.depth) < kMostCounted &&
         16 * rows * columns < kMostCounted;
}

void SetShape(model::FieldReader& fields, const MatmulFields& text, MatmulSpec& spec) {
  spec.shape = {text.a.rows, text.b.columns, text.a.columns, ElementTypeOf(fields, text)};
  if (text.a.columns != text.b.rows) {
    fields.Fail("b", "must have as many rows as a has columns, " + std::to_string(text.a.columns) +
                         ", has " + std::to_string(text.b.rows));
  } else if (!Countable(spec.shape)) {
    fields.Fail("a", "must be smaller: rows x columns x depth may be at most 2e18");
  }
}

void SetSizes(model::FieldReader& fields, const DivisionFields& text, MatmulSpec& spec) {
  const SizeLimits limits{spec.memory_bytes, kThreads};
  const bool automatic = text.pattern == Aggregation::kAutomatic;
  spec.keep_blocks = automatic || text.pattern == Aggregation::kByRows;
  spec.keep_row = text.pattern == Aggregation::kRow;
  Result<TileSizes> sizes;
  const char* field = "memoryPerWorker";
  if (text.tile) {
    field = "tile";
    TileSizes wanted = *text.tile;
    if (wanted.depth == 0) wanted.depth = spec.shape.depth;
    sizes = CompleteSizes(spec.shape, wanted, limits);
  } else if (automatic) {
    sizes = ChooseSizes(spec.shape, limits);
  } else {
    field = "aggregation.block";
    sizes = AggregatedSizes(spec.shape, text.pattern, text.block, text.factor, limits);
  }
  if (sizes) {
    spec.sizes = *sizes;
  } else {
    fields.Fail(field, sizes.error().message);
  }
}

void SetFactors(MatmulFields& text, MatmulSpec& spec) {
  if (!text.a.file) spec.seed_a = text.a.seed;
  if (!text.b.file) spec.seed_b = text.b.seed;
  const auto matrix = [&spec](FactorFields& factor) -> std::shared_ptr<const Matrix> {
    if (factor.file) return std::move(factor.file);
    return MakeRandomMatrix(factor.rows, factor.columns, spec.shape.type, factor.seed);
  };
  spec.file_a = text.a.worker_file;
  spec.file_b = text.b.worker_file;
  spec.a = matrix(text.a);
  spec.b = matrix(text.b);
}

}  // namespace

Result<MatmulSpec> ReadMatmulSpec(model::FieldReader fields, const WorkloadContext& context) {
  MatmulSpec spec;
  MatmulFields text = ReadFields(fields, context, spec);
  if (!fields.Failed()) SetShape(fields, text, spec);
  if (!fields.Failed()) SetSizes(fields, text.division, spec);
  if (const auto read = fields.Finish(); !read) return tl::unexpected(read.error());
  SetFactors(text, spec);
  return spec;
}

}  // namespace evenkeel::workloads::matmul
