#include "operator/runtime/operator_figures.h"

#include <string>
#include <string_view>
#include <utility>

#include "core/metrics/catalogue.h"

namespace evenkeel::operating {
namespace {

using metrics::Metric;
using prometheus::ClientMetric;
using prometheus::MetricFamily;

ClientMetric::Label Is(const metrics::Label& label, std::string_view value) {
  ClientMetric::Label pair;
  pair.name = std::string(label.name);
  pair.value = std::string(value);
  return pair;
}

/// Collects the samples of one metric.
class FamilyOf {
 public:
  explicit FamilyOf(Metric metric) {
    const auto& definition = metrics::Definition(metric);
    family_.name = std::string(definition.name);
    family_.help = std::string(definition.help);
    family_.type = definition.type == metrics::MetricType::kCounter
                       ? prometheus::MetricType::Counter
                       : prometheus::MetricType::Gauge;
  }
  void Add(std::vector<ClientMetric::Label> labels, double value) {
    ClientMetric sample;
    sample.label = std::move(labels);
    if (family_.type == prometheus::MetricType::Counter) {
      sample.counter.value = value;
    } else {
      sample.gauge.value = value;
    }
    family_.metric.push_back(std::move(sample));
  }
  /// Nothing is said of metrics without samples.
  void MoveTo(std::vector<MetricFamily>& all) {
    if (!family_.metric.empty()) all.push_back(std::move(family_));
  }

 private:
  MetricFamily family_;
};

void AddJobs(const std::map<std::string, int>& jobs, std::vector<MetricFamily>& all) {
  if (jobs.empty()) return;
  FamilyOf family(Metric::kJobs);
  for (const std::string_view state : metrics::kJobStates) {
    const auto found = jobs.find(std::string(state));
    family.Add({Is(metrics::kStateOfJob, state)}, found == jobs.end() ? 0 : found->second);
  }
  family.MoveTo(all);
}

void AddPower(const std::map<std::string, model::NodePower>& watts,
              std::vector<MetricFamily>& all) {
  FamilyOf full(Metric::kNodePower);
  FamilyOf idle(Metric::kNodeIdlePower);
  for (const auto& [node, power] : watts) {
    full.Add({Is(metrics::kNode, node)}, power.full_watts);
    idle.Add({Is(metrics::kNode, node)}, power.idle_watts);
  }
  full.MoveTo(all);
  idle.MoveTo(all);
}

void AddHistory(const JobHistory::Figures& history, std::vector<MetricFamily>& all) {
  FamilyOf jobs(Metric::kHistoryJobs);
  jobs.Add({Is(metrics::kCountedOutcome, "counted")}, static_cast<double>(history.counted));
  jobs.Add({Is(metrics::kCountedOutcome, "missed")}, static_cast<double>(history.missed));
  FamilyOf series(Metric::kHistorySeries);
  series.Add({}, static_cast<double>(history.rows.size()));
  FamilyOf units(Metric::kHistoryUnits);
  FamilyOf busy(Metric::kHistoryBusy);
  FamilyOf energy(Metric::kHistoryEnergy);
  for (const auto& [profile, done] : history.rows) {
    const std::vector<ClientMetric::Label> labels{Is(metrics::kNode, done.node),
                                                  Is(metrics::kProfile, profile)};
    units.Add(labels, done.units);
    busy.Add(labels, done.busy_seconds);
    energy.Add(labels, done.joules);
  }
  for (FamilyOf* family : {&units, &busy, &energy, &jobs, &series}) family->MoveTo(all);
}

void AddProcess(const OperatorFigures& figures, std::vector<MetricFamily>& all) {
  for (const auto& [metric, value] : {std::pair{Metric::kProcessCpu, figures.process.cpu_seconds},
                                      {Metric::kProcessMemory, figures.process.resident_bytes},
                                      {Metric::kProcessStart, figures.began}}) {
    FamilyOf family(metric);
    family.Add({}, value);
    family.MoveTo(all);
  }
}

}  // namespace

std::vector<MetricFamily> FamiliesOf(const OperatorFigures& figures) {
  std::vector<MetricFamily> all;
  AddJobs(figures.jobs, all);
  AddPower(figures.node_watts, all);
  AddHistory(figures.history, all);
  AddProcess(figures, all);
  return all;
}

}  // namespace evenkeel::operating
