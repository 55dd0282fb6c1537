#include "bench/tournament/draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "core/base/splitmix.h"

namespace evenkeel::tournament {
namespace {

std::string Number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

template <std::size_t kSize>
double OneOf(Rng& rng, const std::array<double, kSize>& values) {
  return values[static_cast<std::size_t>(rng.Below(kSize))];
}

std::string OneOf(Rng& rng, const std::vector<std::string>& values) {
  return values[static_cast<std::size_t>(rng.Below(values.size()))];
}

double LogUniform(Rng& rng, double low, double high) {
  return low * PortableExp(rng.Unit() * PortableLog(high / low));
}

/// Writes a scenario, section by section. Each dimension has its own generator of random numbers,
/// so that a new dimension does not change the others.
class ScenarioWriter {
 public:
  ScenarioWriter(std::uint64_t seed, Field field) : seed_(seed), field_(field) {
    draw_.seed = seed;
  }

  Draw Make() {
    DrawSize();
    draw_.yaml = "name: draw-" + std::to_string(seed_) + "\n";
    DrawTasks();
    DrawNodes();
    DrawWeights();
    DrawNetwork();
    return std::move(draw_);
  }

 private:
  Rng For(const std::string& dimension) const {
    std::uint64_t key = 0;
    for (const char letter : dimension) key = key * 131 + static_cast<unsigned char>(letter);
    return Rng(SplitMixAt(seed_, key));
  }
  void Note(const std::string& dimension, const std::string& value) {
    draw_.dimensions.emplace_back(dimension, value);
  }
  [[nodiscard]] bool Full() const { return field_ == Field::kFull; }

  void DrawSize() {
    Rng rng = For("nodes");
    nodes_ = static_cast<std::int64_t>(LogUniform(rng, 2, 200.999));
    Note("nodes", nodes_ < 6 ? "2-5" : nodes_ < 20 ? "6-19" : nodes_ < 64 ? "20-63" : "64-200");
    Rng per_node = For("tasks per node");
    const double tasks = OneOf<5>(per_node, {3, 8, 20, 60, 200});
    tasks_ = nodes_ * static_cast<std::int64_t>(tasks);
    draw_.tasks = tasks_;
    Note("tasks per node", Number(tasks));
    mean_seconds_ = 30;
    if (!Full()) return;
    Rng seconds = For("mean task, s");
    mean_seconds_ = OneOf<4>(seconds, {30, 30, 3, 0.3});
    Note("mean task, s", Number(mean_seconds_));
  }

  void DrawTasks() {
    Rng rng = For("costs");
    std::vector<std::string> kinds{"constant",       "uniform",    "exponential", "log-normal 0.5",
                                   "log-normal 1.0", "increasing", "decreasing"};
    if (Full()) kinds.insert(kinds.end(), {"Pareto 1.5", "Pareto 2.5"});
    const std::string kind = OneOf(rng, kinds);
    Note("costs", kind);
    const std::string mean = Number(mean_seconds_);
    const std::string least = Number(0.1 * mean_seconds_);
    const std::string most = Number(1.9 * mean_seconds_);
    std::string seconds = mean;
    if (kind == "uniform") seconds = "{uniform: [" + least + ", " + most + "]}";
    if (kind == "exponential") seconds = "{exponential: " + mean + "}";
    if (kind == "log-normal 0.5") seconds = "{logNormal: {mean: " + mean + ", sigma: 0.5}}";
    if (kind == "log-normal 1.0") seconds = "{logNormal: {mean: " + mean + ", sigma: 1.0}}";
    if (kind == "increasing") seconds = "{increasing: [" + least + ", " + most + "]}";
    if (kind == "decreasing") seconds = "{increasing: [" + most + ", " + least + "]}";
    if (kind == "Pareto 1.5") seconds = "{pareto: {mean: " + mean + ", shape: 1.5}}";
    if (kind == "Pareto 2.5") seconds = "{pareto: {mean: " + mean + ", shape: 2.5}}";
    draw_.yaml += "tasks:\n  count: " + std::to_string(tasks_) + "\n  seconds: " + seconds + "\n";
    if (!Full()) return;
    DrawDeclaredCosts();
    DrawArrivals();
  }

  void DrawDeclaredCosts() {
    Rng rng = For("declared costs");
    const std::string declared = OneOf(rng, {"none", "none", "none", "right", "sigma 0.5"});
    Note("declared costs", declared);
    if (declared != "none") draw_.yaml += "  costsTold: true\n";
    if (declared == "sigma 0.5") draw_.yaml += "  costError: 0.5\n";
  }

  void DrawArrivals() {
    Rng rng = For("arrivals");
    const bool some = rng.Chance(0.15);
    Note("arrivals", some ? "a third later" : "none");
    if (!some) return;
    const std::int64_t times = rng.Between(1, 4);
    draw_.yaml += "  arrivals:\n";
    double at = 0;
    for (std::int64_t i = 0; i < times; ++i) {
      at += rng.Uniform(0.05, 0.25);
      draw_.yaml += "  - {at: {ofBound: " + Number(at) +
                    "}, tasks: " + std::to_string(std::max<std::int64_t>(tasks_ / (3 * times), 1)) +
                    "}\n";
    }
  }

  /// An item of `nodes`; the speed of a special node is one of those of the others.
  void AddGroup(const std::string& name, std::int64_t count, const std::string& speed,
                const std::string& more = "") {
    if (count <= 0) return;
    draw_.yaml += "- {name: " + name + ", count: " + std::to_string(count) + ", speed: " + speed +
                  common_ + more + "}\n";
  }

  void DrawNodes() {
    Rng rng = For("speeds");
    const double spread = OneOf<5>(rng, {1.5, 3, 5, 10, 20});
    const std::string uniform = "{uniform: [1, " + Number(spread) + "]}";
    std::string kind = "uniform";
    if (Full()) {
      kind = OneOf(
          rng, {"uniform", "uniform", "uniform", "two speeds", "one very slow", "one very fast"});
    }
    Note("largest speed", Number(spread));
    if (Full()) Note("speeds", kind);
    DrawSlots();
    DrawLinks();

    draw_.yaml += "nodes:\n";
    std::int64_t left = nodes_;
    const std::string special = kind == "two speeds" ? Number(spread) : uniform;
    const auto take = [&](bool chance) { return chance && left > 1 ? (--left, 1) : 0; };
    Rng death = For("death");
    const bool dies = take(death.Chance(0.25)) > 0;
    Note("death", dies ? "one" : "none");
    if (dies) {
      AddGroup("dies", 1, special,
               ", faults: [{kind: Dies, at: {ofBound: " + Number(death.Uniform(0.1, 0.9)) + "}}]");
    }
    if (Full()) {
      DrawSlowDown(special, left);
      DrawJoin(special, left);
    }
    if (kind == "one very slow" && take(true) > 0) AddGroup("slow", 1, "0.1");
    if (kind == "one very fast" && take(true) > 0) AddGroup("fast", 1, Number(10 * spread));
    if (kind == "two speeds") {
      const std::int64_t fast = rng.Between(0, left);
      AddGroup("fast", fast, Number(spread));
      AddGroup("node", left - fast, "1");
    } else {
      AddGroup("node", left, uniform);
    }
  }

  void DrawSlots() {
    if (!Full()) return;
    Rng rng = For("slots");
    const std::string slots = OneOf(rng, {"1", "1", "1", "2", "4"});
    Note("slots", slots);
    if (slots != "1") common_ += ", cores: " + slots;
  }

  void DrawLinks() {
    if (!Full()) return;
    Rng rng = For("links");
    const bool data = rng.Chance(0.2);
    Note("links", data ? "data" : "none");
    if (!data) return;
    const double megabits = OneOf<3>(rng, {10, 100, 1000});
    // On average, the transfer of a task's data takes 1 to 30 % of the task's own time.
    const double bytes = LogUniform(rng, 0.01, 0.3) * mean_seconds_ * megabits * 1e6 / 8;
    common_ += ", link: {megabitsPerSecond: " + Number(megabits) + "}";
    draw_.yaml += "  inputBytes: " + Number(std::round(bytes)) + "\n";  // of `tasks`
  }

  void DrawSlowDown(const std::string& speed, std::int64_t& left) {
    Rng rng = For("slow-down");
    const bool some = rng.Chance(0.2) && left > 1;
    Note("slow-down", some ? "some" : "none");
    if (!some) return;
    const std::int64_t count = rng.Between(1, std::max<std::int64_t>(left / 4, 1));
    left -= count;
    AddGroup("throttled", count, speed,
             ", changes: [{at: {ofBound: " + Number(rng.Uniform(0.1, 0.8)) +
                 "}, speedFactor: " + Number(OneOf<3>(rng, {0.1, 0.3, 0.6})) + "}]");
  }

  void DrawJoin(const std::string& speed, std::int64_t& left) {
    Rng rng = For("join");
    const bool some = rng.Chance(0.15) && left > 1;
    Note("join", some ? "some" : "none");
    if (!some) return;
    const std::int64_t count = rng.Between(1, std::max<std::int64_t>(left / 4, 1));
    left -= count;
    AddGroup("late", count, speed,
             ", expected: " + std::string(rng.Chance(0.5) ? "true" : "false") +
                 ", joins: {ofBound: " + Number(rng.Uniform(0.1, 0.7)) + "}");
  }

  void DrawWeights() {
    Rng rng = For("weights");
    const std::string weights = OneOf(rng, {"Speeds", "Equal", "Inverse"});
    Note("weights", weights);
    draw_.yaml += "weights: " + weights + "\n";
  }

  void DrawNetwork() {
    Rng rng = For("latency");
    const double seconds = LogUniform(rng, 0.0003, 0.05);
    Note("latency, ms", seconds < 0.002 ? "0.3-2" : seconds < 0.01 ? "2-10" : "10-50");
    draw_.yaml += "network: {latencySeconds: " + Number(seconds) + "}\n";
  }

  std::uint64_t seed_;
  Field field_;
  Draw draw_;
  std::int64_t nodes_ = 0;
  std::int64_t tasks_ = 0;
  double mean_seconds_ = 0;
  std::string common_;  // of all nodes
};

}  // namespace

std::string Draw::Value(const std::string& dimension) const {
  for (const auto& [name, value] : dimensions) {
    if (name == dimension) return value;
  }
  return {};
}

Draw DrawScenario(std::uint64_t seed, Field field) { return ScenarioWriter(seed, field).Make(); }

}  // namespace evenkeel::tournament
