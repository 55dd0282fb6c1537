#include "workloads/matmul/matmul.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "workloads/matmul/matmul_reducer.h"
#include "workloads/matmul/matmul_runner.h"
#include "workloads/matmul/matmul_spec.h"
#include "workloads/matmul/matrix_blocks.h"

namespace evenkeel::workloads::matmul {
namespace {

class Matmul final : public Workload {
 public:
  explicit Matmul(MatmulSpec spec)
      : spec_(std::move(spec)),
        division_(spec_.shape, spec_.sizes),
        blocks_(division_, spec_.a, spec_.b) {}

  [[nodiscard]] std::string_view Name() const override { return kName; }
  [[nodiscard]] std::uint32_t Version() const override { return kVersion; }
  [[nodiscard]] std::int64_t TaskCount() const override { return division_.TaskCount(); }

  [[nodiscard]] std::shared_ptr<const model::CostModel> Costs() const override {
    // Computed lazily because workers do not need them.
    std::call_once(costs_made_, [this] {
      std::vector<model::Cost> costs(static_cast<std::size_t>(TaskCount()));
      for (std::size_t task = 0; task < costs.size(); ++task) {
        const Tile tile = division_.TileOf(static_cast<model::TaskIndex>(task));
        costs[task] = 2 * tile.c.Elements() * tile.depth;
      }
      costs_ = std::make_shared<model::PrefixCosts>(costs);
    });
    return costs_;
  }

  [[nodiscard]] std::optional<std::string> WorkerParameters() const override {
    return WorkerParametersOf(spec_);
  }
  [[nodiscard]] std::string FileVersions() const override {
    const std::string a = spec_.a ? spec_.a->Version() : "";
    const std::string b = spec_.b ? spec_.b->Version() : "";
    return a.empty() && b.empty() ? "" : "a " + a + ", b " + b;
  }
  [[nodiscard]] const BlockSource* Blocks() const override { return &blocks_; }
  [[nodiscard]] std::optional<BlockPolicy> BlocksAtWorker() const override {
    BlockPolicy policy;
    policy.cache_bytes = spec_.memory_bytes;
    policy.window = spec_.transfer.window;
    policy.refresh_at = spec_.transfer.refresh_at;
    policy.between_workers = spec_.transfer.between_workers;
    return policy;
  }
  [[nodiscard]] bool WantsCores() const override { return true; }
  /// The journal holds results, the file the product.
  [[nodiscard]] std::int64_t BytesOnDisk() const override {
    const ProductShape& shape = spec_.shape;
    const std::int64_t product = shape.rows * shape.columns * BytesOf(shape.type);
    return division_.Parts() == 1 ? 2 * product : (2 * division_.Parts() + 1) * product;
  }

  [[nodiscard]] std::unique_ptr<TaskRunner> MakeRunner(
      const RunnerOptions& options) const override {
    return MakeMatmulRunner(spec_, division_, blocks_, options);
  }
  [[nodiscard]] std::string WhyNotRepeatable() const override {
    if (IsWhole(spec_.shape.type)) return {};
    return std::string("products of ") + NameOf(spec_.shape.type) +
           " are rounded differently on different processors";
  }
  [[nodiscard]] std::unique_ptr<Reducer> MakeReducer() const override {
    return MakeMatmulReducer(spec_, division_);
  }

 private:
  MatmulSpec spec_;
  Division division_;
  MatrixBlocks blocks_;
  mutable std::once_flag costs_made_;
  mutable std::shared_ptr<const model::CostModel> costs_;  // set once, under costs_made_
};

}  // namespace

Result<std::shared_ptr<const Workload>> MakeMatmul(const model::FieldReader& fields,
                                                   const WorkloadContext& context) {
  auto spec = context.at_worker ? ReadWorkerSpec(fields, context) : ReadMatmulSpec(fields, context);
  if (!spec) return tl::unexpected(spec.error());
  return std::make_shared<Matmul>(std::move(*spec));
}

}  // namespace evenkeel::workloads::matmul
