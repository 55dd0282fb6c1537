#include "workloads/synthetic/synthetic.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "workloads/synthetic/synthetic_reducer.h"
#include "workloads/synthetic/synthetic_runner.h"

namespace evenkeel::workloads::synthetic {
namespace {

constexpr std::int64_t kMaxTasks = 100'000'000;
constexpr std::size_t kMaxListed = 1'000'000;
constexpr model::NumberRange kSeconds{0.0, kMaxTaskSeconds};

struct Pair {
  double low = 0;
  double high = 0;
};

Pair ReadPair(model::FieldReader& cost, const std::string& field) {
  const std::vector<double> pair = cost.Numbers(field, 2, kSeconds);
  if (pair.size() == 2 && pair[0] <= pair[1]) return {pair[0], pair[1]};
  cost.Fail(field, "must be two numbers [a, b] with a <= b");
  return {};
}

ExponentialCost ReadExponential(model::FieldReader& cost) {
  if (!cost.Any("exponential").is_object()) return {cost.RequiredNumber("exponential", kSeconds)};
  return {cost.RequiredObject("exponential").RequiredNumber("mean", kSeconds)};
}

ListedCost ReadList(model::FieldReader& cost) {
  ListedCost listed{cost.Numbers("list", kMaxListed, kSeconds)};
  if (listed.seconds.empty()) cost.Fail("list", "must have at least one number");
  return listed;
}

CostShape ReadShape(model::FieldReader& cost, const std::string& kind) {
  if (kind == "constant") return ConstantCost{cost.RequiredNumber("constant", kSeconds)};
  if (kind == "exponential") return ReadExponential(cost);
  if (kind == "list") return ReadList(cost);
  const Pair pair = ReadPair(cost, kind);
  if (kind == "uniform") return UniformCost{pair.low, pair.high};
  return IncreasingCost{pair.low, pair.high};
}

/// The shape under `cost`. May be absent with mode None; then it is a constant 0.
CostShape ReadCost(model::FieldReader& fields, Mode mode) {
  if (mode == Mode::kNone && !fields.Has("cost")) return ConstantCost{};
  model::FieldReader cost = fields.RequiredObject("cost");
  std::optional<std::string> kind;
  int kinds = 0;
  for (const char* known : {"constant", "uniform", "exponential", "increasing", "list"}) {
    if (!cost.Has(known)) continue;
    kind = known;
    ++kinds;
  }
  if (kinds == 1) return ReadShape(cost, *kind);
  fields.Fail("cost", "must have exactly one of constant, uniform, exponential, increasing, list");
  return ConstantCost{};
}

std::int64_t ReadTasks(model::FieldReader& fields, const CostShape& cost) {
  const auto* listed = std::get_if<ListedCost>(&cost);
  if (listed == nullptr) return fields.RequiredInt("tasks", {1, kMaxTasks});
  const auto length = static_cast<std::int64_t>(listed->seconds.size());
  const std::int64_t tasks = fields.OptionalInt("tasks", {1, kMaxTasks}, length);
  if (tasks != length) {
    fields.Fail("tasks", "must be left out or " + std::to_string(length) +
                             ", the length of cost.list, is " + std::to_string(tasks));
  }
  return length;
}

Mode ReadMode(model::FieldReader& fields) {
  const std::string mode = fields.OptionalChoice("mode", {"Sleep", "Spin", "None"}, "Sleep");
  if (mode == "None") return Mode::kNone;
  return mode == "Spin" ? Mode::kSpin : Mode::kSleep;
}

std::vector<model::TaskIndex> ReadFailing(model::FieldReader& fields, std::int64_t tasks) {
  auto failing = fields.Ints("failing", kMaxListed, {0, tasks - 1});
  std::sort(failing.begin(), failing.end());
  failing.erase(std::unique(failing.begin(), failing.end()), failing.end());
  return failing;
}

std::optional<std::int32_t> ReadOptional(model::FieldReader& fields, const std::string& field,
                                         model::IntRange allowed) {
  if (!fields.Has(field)) {
    fields.Any(field);  // known, although absent
    return std::nullopt;
  }
  return static_cast<std::int32_t>(fields.RequiredInt(field, allowed));
}

/// Checks the limits that depend on several fields.
void CheckTotals(const SyntheticSpec& spec, model::FieldReader& fields) {
  if (spec.mode == Mode::kNone || spec.tasks < 1) return;
  if (spec.costs_known && spec.tasks > kMaxTasksInTables) {
    fields.Fail("tasks", "must be at most " + std::to_string(kMaxTasksInTables) +
                             " unless costsKnown is false or mode is None, is " +
                             std::to_string(spec.tasks));
    return;
  }
  const Duration bound = TaskCosts(spec.cost, spec.tasks, spec.seed).Bound();
  if (bound.count() > std::numeric_limits<model::Cost>::max() / spec.tasks) {
    fields.Fail("cost", "must be less: all tasks together may take more than 292 years");
  }
}

}  // namespace

Result<SyntheticSpec> ReadSyntheticSpec(model::FieldReader fields) {
  SyntheticSpec spec;
  spec.mode = ReadMode(fields);
  spec.cost = ReadCost(fields, spec.mode);
  spec.tasks = ReadTasks(fields, spec.cost);
  constexpr std::int64_t kMaxSeed = std::numeric_limits<std::int64_t>::max();
  spec.seed = static_cast<std::uint64_t>(fields.OptionalInt("seed", {0, kMaxSeed}, 1));
  spec.costs_known = fields.OptionalBool("costsKnown", true);
  spec.failing = ReadFailing(fields, spec.tasks);
  spec.failing_attempts = ReadOptional(fields, "failingAttempts", {1, 1000});
  spec.exit_code = ReadOptional(fields, "exitCode", {0, 255});
  CheckTotals(spec, fields);
  if (auto read = fields.Finish(); !read) return tl::unexpected(read.error());
  return spec;
}

namespace {

class Synthetic final : public Workload {
 public:
  explicit Synthetic(SyntheticSpec spec)
      : spec_(std::move(spec)), costs_(spec_.cost, spec_.tasks, spec_.seed) {}

  [[nodiscard]] std::string_view Name() const override { return kName; }
  [[nodiscard]] std::uint32_t Version() const override { return kVersion; }
  [[nodiscard]] std::int64_t TaskCount() const override { return spec_.tasks; }

  [[nodiscard]] std::shared_ptr<const model::CostModel> Costs() const override {
    if (spec_.costs_known && HasTable()) return Table();
    return std::make_shared<model::UnitCosts>(spec_.tasks);
  }
  [[nodiscard]] std::shared_ptr<const model::CostModel> TrueCosts() const override {
    return HasTable() ? Table() : Costs();
  }
  /// A unit of TrueCosts() is a nanosecond, and a node of speed 1 sleeps for exactly that.
  [[nodiscard]] double DeclaredUnitsPerSecond() const override {
    return Sleeps() && HasTable() ? 1e9 : 0.0;
  }
  [[nodiscard]] bool Sleeps() const override { return spec_.mode == Mode::kSleep; }

  [[nodiscard]] std::unique_ptr<TaskRunner> MakeRunner(
      const RunnerOptions& options) const override {
    return MakeSyntheticRunner(spec_, costs_, options);
  }
  [[nodiscard]] std::unique_ptr<Reducer> MakeReducer() const override {
    return MakeSyntheticReducer(spec_.tasks, spec_.seed);
  }

 private:
  [[nodiscard]] bool HasTable() const {
    return spec_.mode != Mode::kNone && spec_.tasks <= kMaxTasksInTables;
  }

  [[nodiscard]] std::shared_ptr<const model::CostModel> Table() const {
    // Workers never ask, so they do not pay for it.
    std::call_once(table_made_, [this] {
      std::vector<model::Cost> nanoseconds(static_cast<std::size_t>(spec_.tasks));
      for (std::size_t i = 0; i < nanoseconds.size(); ++i) {
        nanoseconds[i] = costs_.Of(static_cast<model::TaskIndex>(i)).count();
      }
      table_ = std::make_shared<model::PrefixCosts>(nanoseconds);
    });
    return table_;
  }

  SyntheticSpec spec_;
  TaskCosts costs_;
  mutable std::once_flag table_made_;
  mutable std::shared_ptr<const model::CostModel> table_;  // set once, under table_made_
};

}  // namespace

Result<std::shared_ptr<const Workload>> MakeSynthetic(const model::FieldReader& fields) {
  return ReadSyntheticSpec(fields).map(
      [](const SyntheticSpec& spec) -> std::shared_ptr<const Workload> {
        return std::make_shared<Synthetic>(spec);
      });
}

}  // namespace evenkeel::workloads::synthetic
