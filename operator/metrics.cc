#include "operator/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/metrics/catalogue.h"

namespace evenkeel::controller {
namespace {

double Seconds(const timeval& time) {
  constexpr double kMicro = 1e-6;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * kMicro;
}

double ResidentBytes() {
  std::ifstream file("/proc/self/statm");  // proc(5): all pages, then the resident ones
  double all = 0;
  double resident = 0;
  file >> all >> resident;
  return file ? resident * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

ProcessFigures ReadProcessFigures() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {Seconds(usage.ru_utime) + Seconds(usage.ru_stime), ResidentBytes()};
}

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
  /// Metrics without samples are left out.
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
  for (const auto& [key, done] : history.rows) {
    const std::vector<ClientMetric::Label> labels{Is(metrics::kNode, done.node),
                                                  Is(metrics::kProfile, key.profile),
                                                  Is(metrics::kJobNamespace, key.namespace_name)};
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

namespace {

using metrics::Metric;
using prometheus::Histogram;
using prometheus::Labels;
using prometheus::Registry;

const Labels kController{{"controller", "weightedjob"}};
const Labels kQueue{{"name", "weightedjob"}};

std::string ResultName(ReconcileResult result) {
  switch (result) {
    case ReconcileResult::kSuccess:
      return "success";
    case ReconcileResult::kError:
      return "error";
    case ReconcileResult::kRequeueAfter:
      return "requeue_after";
  }
  return "error";
}

template <typename Builder>
auto& Register(Builder builder, Metric metric, Registry& registry) {
  const auto& definition = metrics::Definition(metric);
  return builder.Name(std::string(definition.name))
      .Help(std::string(definition.help))
      .Register(registry);
}

class PrometheusMetrics final : public OperatorMetrics {
 public:
  void OnReconcileBegin() override { active_.Increment(); }
  void OnReconcileEnd(ReconcileResult result, Duration took) override {
    active_.Decrement();
    results_.at(result)->Increment();
    if (result == ReconcileResult::kError) errors_.Increment();
    time_.Observe(ToSeconds(took));
  }
  void OnRequest(const kube::RequestOutcome& outcome) override {
    requests_.Add({{"code", outcome.code}, {"host", outcome.host}, {"method", outcome.method}})
        .Increment();
  }
  void SetLeader(bool leads) override { leader_.Set(leads ? 1 : 0); }
  void SetMaxConcurrentReconciles(int threads) override { max_concurrent_.Set(threads); }

  void OnAdded(std::size_t depth) override {
    depth_.Set(static_cast<double>(depth));
    adds_.Increment();
  }
  void OnTaken(std::size_t depth, Duration queued) override {
    depth_.Set(static_cast<double>(depth));
    queued_.Observe(ToSeconds(queued));
  }
  void OnDone(Duration worked) override { worked_.Observe(ToSeconds(worked)); }
  void OnRetry() override { retries_.Increment(); }

  std::string Text(const OperatorFigures& figures) override {
    depth_.Set(static_cast<double>(figures.queue.depth));
    unfinished_.Set(ToSeconds(figures.queue.unfinished));
    longest_.Set(ToSeconds(figures.queue.longest_running));
    auto families = registry_.Collect();
    auto more = FamiliesOf(figures);
    families.insert(families.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
    return prometheus::TextSerializer().Serialize(families);
  }

 private:
  prometheus::Counter& Counter(Metric metric, const Labels& labels) {
    return Register(prometheus::BuildCounter(), metric, registry_).Add(labels);
  }
  prometheus::Gauge& Gauge(Metric metric, const Labels& labels) {
    return Register(prometheus::BuildGauge(), metric, registry_).Add(labels);
  }
  Histogram& Times(Metric metric, const Labels& labels) {
    const auto bounds = metrics::Definition(metric).buckets;
    return Register(prometheus::BuildHistogram(), metric, registry_)
        .Add(labels, Histogram::BucketBoundaries(bounds.begin(), bounds.end()));
  }
  std::map<ReconcileResult, prometheus::Counter*> Results() {
    auto& family = Register(prometheus::BuildCounter(), Metric::kReconciles, registry_);
    std::map<ReconcileResult, prometheus::Counter*> results;
    for (const auto result :
         {ReconcileResult::kSuccess, ReconcileResult::kError, ReconcileResult::kRequeueAfter}) {
      Labels labels = kController;
      labels["result"] = ResultName(result);
      results[result] = &family.Add(labels);
    }
    return results;
  }

  Registry registry_;
  std::map<ReconcileResult, prometheus::Counter*> results_ = Results();
  prometheus::Counter& errors_ = Counter(Metric::kReconcileErrors, kController);
  Histogram& time_ = Times(Metric::kReconcileTime, kController);
  prometheus::Gauge& max_concurrent_ = Gauge(Metric::kMaxConcurrentReconciles, kController);
  prometheus::Gauge& active_ = Gauge(Metric::kActiveWorkers, kController);
  prometheus::Gauge& depth_ = Gauge(Metric::kQueueDepth, kQueue);
  prometheus::Counter& adds_ = Counter(Metric::kQueueAdds, kQueue);
  Histogram& queued_ = Times(Metric::kQueueWait, kQueue);
  Histogram& worked_ = Times(Metric::kQueueWork, kQueue);
  prometheus::Gauge& unfinished_ = Gauge(Metric::kQueueUnfinished, kQueue);
  prometheus::Gauge& longest_ = Gauge(Metric::kQueueLongest, kQueue);
  prometheus::Counter& retries_ = Counter(Metric::kQueueRetries, kQueue);
  prometheus::Family<prometheus::Counter>& requests_ =
      Register(prometheus::BuildCounter(), Metric::kApiRequests, registry_);
  prometheus::Gauge& leader_ = Gauge(Metric::kLeader, {{"name", "evenkeel-operator"}});
};

}  // namespace

std::unique_ptr<OperatorMetrics> OperatorMetrics::Make() {
  return std::make_unique<PrometheusMetrics>();
}

}  // namespace evenkeel::controller
