#include "workloads/switch_simulation/switch_reducer.h"

#include <cstdio>
#include <string>
#include <utility>

#include "workloads/received_tasks.h"
#include "workloads/short_text.h"
#include "workloads/switch_simulation/sweep_results.h"

namespace evenkeel::workloads::switch_simulation {
namespace {

/// `"name":{"LQF":...,"RR":...}`; `text` returns the JSON value of an algorithm, given by its
/// index.
template <typename Text>
std::string ByAlgorithm(const SwitchSpec& spec, const std::string& name, Text text) {
  std::string out = "\"" + name + "\":{";
  for (std::size_t n = 0; n < spec.algorithms.size(); ++n) {
    if (n > 0) out += ",";
    out += "\"" + std::string(NameOf(spec.algorithms[n])) + "\":" + text(n);
  }
  return out + "}";
}

std::string SixDigits(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

/// The mean over all buffer sizes that have a result at this load, as JSON.
std::string MeanLoss(const SweepResults& results, std::size_t algorithm, std::size_t load) {
  double sum = 0;
  int count = 0;
  for (std::size_t size = 0; size < results.Spec().buffer_sizes.size(); ++size) {
    const auto mean = results.Mean({0, load, size, algorithm}, LossOf);
    if (!mean) continue;
    sum += *mean;
    ++count;
  }
  return count == 0 ? "null" : SixDigits(sum / count);
}

/// True if no cell was lost at this buffer size and any load.
bool Lossless(const SweepResults& results, std::size_t algorithm, std::size_t buffer_size) {
  for (std::size_t load = 0; load < results.Spec().loads.size(); ++load) {
    if (results.LostAt({0, load, buffer_size, algorithm}) > 0) return false;
  }
  return true;
}

/// The smallest buffer size with which no cell was lost at any load, as JSON.
std::string SmallestLossless(const SweepResults& results, std::size_t algorithm) {
  for (const std::size_t buffer_size : OrderOf(results.Spec().buffer_sizes)) {
    if (Lossless(results, algorithm, buffer_size)) {
      return std::to_string(results.Spec().buffer_sizes[buffer_size]);
    }
  }
  return "null";
}

/// The `result` object of summary.json; see docs/workloads.md.
std::string ResultOf(const SweepResults& results) {
  const SwitchSpec& spec = results.Spec();
  std::uint64_t tasks = 0;
  std::uint64_t cells = 0;
  for (const auto& result : results.All()) {
    if (!result) continue;
    ++tasks;
    cells += result->arrived;
  }
  const std::size_t highest = OrderOf(spec.loads).back();
  const auto loss = [&](std::size_t n) { return MeanLoss(results, n, highest); };
  return "{\"tasks\":" + std::to_string(tasks) + ",\"cells\":" + std::to_string(cells) +
         ",\"highestLoad\":" + ShortText(spec.loads[highest]) + "," +
         ByAlgorithm(spec, "meanLossThere", loss) + "," +
         ByAlgorithm(spec, "bufferWithoutLoss",
                     [&](std::size_t n) { return SmallestLossless(results, n); }) +
         "}";
}

class SwitchReducer final : public Reducer {
 public:
  explicit SwitchReducer(const SwitchSpec& spec) : received_(TaskCountOf(spec)), results_(spec) {}

  Result<void> Add(model::IndexRange range, const model::PackedResults& results) override {
    return received_.TakeEach(range, results,
                              [this](model::TaskIndex task, std::string_view bytes) {
                                return ReadResult(bytes).map(
                                    [&](const TaskResult& result) { results_.Set(task, result); });
                              });
  }

  Result<std::string> Finish(const std::filesystem::path& folder) override {
    return WriteResultTable(folder / "results.csv", results_).map([this] {
      return ResultOf(results_);
    });
  }

  [[nodiscard]] std::vector<model::Chart> Charts() const override { return ChartsOf(results_); }

 private:
  ReceivedTasks received_;
  SweepResults results_;
};

}  // namespace

std::unique_ptr<Reducer> MakeSwitchReducer(const SwitchSpec& spec) {
  return std::make_unique<SwitchReducer>(spec);
}

}  // namespace evenkeel::workloads::switch_simulation
