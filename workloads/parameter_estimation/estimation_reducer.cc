#include "workloads/parameter_estimation/estimation_reducer.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "workloads/parameter_estimation/estimation_results.h"
#include "workloads/received_tasks.h"

namespace evenkeel::workloads::parameter_estimation {
namespace {

class EstimationReducer final : public Reducer {
 public:
  explicit EstimationReducer(const EstimationSpec& spec)
      : spec_(spec),
        received_(CountCombinations(spec.units)),
        results_(static_cast<std::size_t>(CountCombinations(spec.units))) {}

  Result<void> Add(model::IndexRange range, const model::PackedResults& results) override {
    return received_.TakeEach(
        range, results, [this](model::TaskIndex task, std::string_view bytes) {
          return ReadResult(bytes).map(
              [&](const TaskResult& result) { results_[static_cast<std::size_t>(task)] = result; });
        });
  }

  Result<std::string> Finish(const std::filesystem::path& folder) override {
    front_ = ParetoFront(results_);
    return WriteResultFiles(folder, spec_, results_, front_).map([this] { return Summary(); });
  }

  [[nodiscard]] std::vector<model::Chart> Charts() const override {
    return ChartsOf(spec_, results_, front_);
  }

 private:
  /// The `result` object of summary.json; see docs/workloads.md.
  [[nodiscard]] std::string Summary() const {
    std::int64_t proven = 0;
    for (const auto& result : results_) {
      if (result && result->proven) ++proven;
    }
    std::string summary = "{\"combinations\":" + std::to_string(received_.Tasks().Size()) +
                          ",\"proven\":" + std::to_string(proven) +
                          ",\"paretoFront\":" + std::to_string(front_.size());
    if (!front_.empty()) {
      summary += ",\"fastest\":" + Best(&TaskResult::cycles);
      summary += ",\"smallest\":" + Best(&TaskResult::area);
      summary += ",\"leastPower\":" + Best(&TaskResult::power_nanowatts);
    }
    return summary + "}";
  }

  /// The first combination of the front with the smallest value of this figure.
  [[nodiscard]] std::string Best(std::uint64_t TaskResult::*figure) const {
    const std::size_t task =
        *std::min_element(front_.begin(), front_.end(), [&](std::size_t a, std::size_t b) {
          return (*results_[a]).*figure < (*results_[b]).*figure;
        });
    return CombinationJson(spec_, task, *results_[task]);
  }

  const EstimationSpec& spec_;
  ReceivedTasks received_;
  EstimationResults results_;
  std::vector<std::size_t> front_;
};

}  // namespace

std::unique_ptr<Reducer> MakeEstimationReducer(const EstimationSpec& spec) {
  return std::make_unique<EstimationReducer>(spec);
}

}  // namespace evenkeel::workloads::parameter_estimation
