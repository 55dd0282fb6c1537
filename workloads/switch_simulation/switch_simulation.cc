#include "workloads/switch_simulation/switch_simulation.h"

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "workloads/switch_simulation/switch_reducer.h"
#include "workloads/switch_simulation/switch_runner.h"
#include "workloads/switch_simulation/traffic.h"

namespace evenkeel::workloads::switch_simulation {
namespace {

template <typename T>
void CheckList(const std::string& field, const std::vector<T>& list, model::FieldReader& fields) {
  if (list.empty()) fields.Fail(field, "must have at least one value");
  std::vector<T> sorted = list;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    fields.Fail(field, "must not have a value twice");
  }
}

template <typename T>
std::vector<T> ReadInts(const std::string& field, model::IntRange allowed,
                        model::FieldReader& fields) {
  std::vector<T> list;
  for (const std::int64_t value : fields.Ints(field, kMaxListed, allowed)) {
    list.push_back(static_cast<T>(value));
  }
  return list;
}

std::vector<Algorithm> ReadAlgorithms(model::FieldReader& fields) {
  if (!fields.Has("algorithms")) {
    static_cast<void>(fields.Any("algorithms"));
    return {kAllAlgorithms.begin(), kAllAlgorithms.end()};
  }
  std::vector<std::string> names;
  for (const Algorithm algorithm : kAllAlgorithms) names.emplace_back(NameOf(algorithm));
  std::vector<Algorithm> list;
  for (const std::string& name : fields.Choices("algorithms", kAlgorithmCount, names)) {
    list.push_back(ParseAlgorithm(name).value_or(Algorithm::kLqf));
  }
  return list;
}

std::vector<std::uint64_t> ReadSeeds(model::FieldReader& fields) {
  constexpr std::int64_t kMaxSeed = std::numeric_limits<std::int64_t>::max();
  const bool given = fields.Has("seeds");
  auto seeds = ReadInts<std::uint64_t>("seeds", {0, kMaxSeed}, fields);
  return given ? seeds : std::vector<std::uint64_t>{1};
}

/// Checks the limits that depend on several fields.
void CheckTotals(const SwitchSpec& spec, model::FieldReader& fields) {
  const std::int64_t most = kMaxCells / (std::int64_t{spec.ports} * spec.ports);
  for (const std::uint32_t size : spec.buffer_sizes) {
    if (size <= most) continue;
    fields.Fail("bufferSizes", "must be at most " + std::to_string(most) + " with " +
                                   std::to_string(spec.ports) + " ports, is " +
                                   std::to_string(size));
  }
  const std::uint64_t tasks = std::uint64_t{spec.loads.size()} * spec.buffer_sizes.size() *
                              spec.algorithms.size() * spec.seeds.size();
  if (tasks > static_cast<std::uint64_t>(kMaxTasks)) {
    fields.Fail("loads", "must be fewer: loads x bufferSizes x algorithms x seeds are " +
                             std::to_string(tasks) + " tasks, at most " +
                             std::to_string(kMaxTasks) + " are allowed");
  }
}

}  // namespace

Result<SwitchSpec> ReadSwitchSpec(model::FieldReader fields) {
  SwitchSpec spec;
  spec.ports = static_cast<std::uint32_t>(fields.OptionalInt("ports", {2, kMaxPorts}, 16));
  spec.slots = static_cast<std::uint32_t>(fields.OptionalInt("slots", {1, kMaxSlots}, 1'000'000));
  spec.loads = fields.Numbers("loads", kMaxListed, {0.0, 1.0, true});
  spec.buffer_sizes = ReadInts<std::uint32_t>("bufferSizes", {1, kMaxCells / 4}, fields);
  spec.algorithms = ReadAlgorithms(fields);
  spec.seeds = ReadSeeds(fields);
  CheckList("loads", spec.loads, fields);
  CheckList("bufferSizes", spec.buffer_sizes, fields);
  CheckList("algorithms", spec.algorithms, fields);
  CheckList("seeds", spec.seeds, fields);
  CheckTotals(spec, fields);
  if (auto read = fields.Finish(); !read) return tl::unexpected(read.error());
  return spec;
}

namespace {

/// Nanoseconds per output and slot at load 0, and the increase at load 1.
struct OutputCost {
  double idle;
  double loaded;
};

constexpr OutputCost CostOf(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kLqf:
      return {5.0, 17.5};
    case Algorithm::kRr:
      return {4.0, 12.5};
    case Algorithm::kErr:
      return {4.5, 13.0};
    case Algorithm::kFbrr:
      return {5.0, 11.5};
    case Algorithm::kEelqf:
      return {5.5, 17.0};
    case Algorithm::kElqf:
      return {5.5, 17.5};
    case Algorithm::kFblqf:
      return {5.0, 17.5};
    case Algorithm::kRand:
      break;
  }
  return {2.5, 29.0};
}

}  // namespace

model::Cost TaskCost(const SwitchSpec& spec, Algorithm algorithm, double load) {
  const OutputCost each = CostOf(algorithm);
  const double outputs = static_cast<double>(spec.ports) * spec.slots;
  return 1 + static_cast<model::Cost>(outputs * (each.idle + each.loaded * load));
}

std::vector<model::Cost> TaskCosts(const SwitchSpec& spec) {
  std::vector<model::Cost> costs(static_cast<std::size_t>(TaskCountOf(spec)));
  for (std::size_t index = 0; index < costs.size(); ++index) {
    const TaskPlace place = PlaceOf(spec, static_cast<model::TaskIndex>(index));
    costs[index] = TaskCost(spec, spec.algorithms[place.algorithm], spec.loads[place.load]);
  }
  return costs;
}

namespace {

class SwitchSimulation final : public Workload {
 public:
  explicit SwitchSimulation(SwitchSpec spec) : spec_(std::move(spec)) {}

  [[nodiscard]] std::string_view Name() const override { return kName; }
  [[nodiscard]] std::uint32_t Version() const override { return kVersion; }
  [[nodiscard]] std::int64_t TaskCount() const override { return TaskCountOf(spec_); }

  [[nodiscard]] std::shared_ptr<const model::CostModel> Costs() const override {
    // Computed lazily because workers do not need them.
    std::call_once(costs_made_,
                   [this] { costs_ = std::make_shared<model::PrefixCosts>(TaskCosts(spec_)); });
    return costs_;
  }

  [[nodiscard]] std::unique_ptr<TaskRunner> MakeRunner(const RunnerOptions&) const override {
    return MakeSwitchRunner(spec_);
  }
  [[nodiscard]] std::unique_ptr<Reducer> MakeReducer() const override {
    return MakeSwitchReducer(spec_);
  }

 private:
  SwitchSpec spec_;
  mutable std::once_flag costs_made_;
  mutable std::shared_ptr<const model::CostModel> costs_;  // set once, under costs_made_
};

}  // namespace

Result<std::shared_ptr<const Workload>> MakeSwitchSimulation(const model::FieldReader& fields) {
  return ReadSwitchSpec(fields).map([](SwitchSpec spec) -> std::shared_ptr<const Workload> {
    return std::make_shared<SwitchSimulation>(std::move(spec));
  });
}

}  // namespace evenkeel::workloads::switch_simulation
