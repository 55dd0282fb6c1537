#include "core/metrics/job_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/metrics/catalogue.h"
#include "core/model/run_figures.h"

namespace evenkeel::metrics {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;

template <typename Builder>
auto& Register(Builder builder, Metric metric, prometheus::Registry& registry) {
  const MetricDefinition& definition = Definition(metric);
  return builder.Name(std::string(definition.name))
      .Help(std::string(definition.help))
      .Register(registry);
}

Family<Counter>& RegisterCounter(Metric metric, prometheus::Registry& registry) {
  return Register(prometheus::BuildCounter(), metric, registry);
}

Family<Gauge>& RegisterGauge(Metric metric, prometheus::Registry& registry) {
  return Register(prometheus::BuildGauge(), metric, registry);
}

/// A pair for prometheus::Labels.
std::pair<std::string, std::string> LabelPair(const Label& label, std::string_view value) {
  return {std::string(label.name), std::string(value)};
}

Histogram::BucketBoundaries Buckets(Metric metric) {
  const auto buckets = Definition(metric).buckets;
  return {buckets.begin(), buckets.end()};
}

/// A counter that follows an external total.
class RisingCounter {
 public:
  explicit RisingCounter(Counter& counter) : counter_(counter) {}
  void RaiseTo(double total) {
    if (!(total > highest_)) return;
    counter_.Increment(total - highest_);
    highest_ = total;
  }

 private:
  Counter& counter_;
  double highest_ = 0;
};

/// A gauge whose series exists only while it has a value.
class OptionalGauge {
 public:
  OptionalGauge(Family<Gauge>& family, prometheus::Labels labels)
      : family_(family), labels_(std::move(labels)) {}
  void Set(std::optional<double> value) {
    if (value) {
      if (gauge_ == nullptr) gauge_ = &family_.Add(labels_);
      gauge_->Set(*value);
    } else if (gauge_ != nullptr) {
      family_.Remove(gauge_);
      gauge_ = nullptr;
    }
  }

 private:
  Family<Gauge>& family_;
  prometheus::Labels labels_;
  Gauge* gauge_ = nullptr;
};

double LoadImbalance(const std::vector<engine::NodeProgress>& nodes) {
  std::vector<double> finish_seconds;
  for (const auto& node : nodes) finish_seconds.push_back(ToSeconds(node.last_end));
  return model::LoadImbalance(finish_seconds);
}

/// From the rates measured in this run. Nothing until all nodes are measured.
std::optional<double> LowerBoundSeconds(const engine::Progress& progress) {
  std::vector<model::NodeCapacity> nodes;
  for (const auto& node : progress.nodes) {
    if (node.mean_rate <= 0) return std::nullopt;
    nodes.push_back({node.mean_rate, node.threads});
  }
  if (progress.cost_total <= 0) return std::nullopt;
  const model::WorkSize work{static_cast<double>(progress.cost_total),
                             static_cast<double>(progress.cost_longest)};
  return model::LowerBoundSeconds(work, nodes);
}

}  // namespace

class JobMetrics::Series {
 public:
  Series(const std::string& profile, const std::string& namespace_name, const std::string& job)
      : profile_(profile),
        job_labels_{LabelPair(kNamespace, namespace_name), LabelPair(kWeightedJob, job)},
        progress_(RegisterGauge(Metric::kJobProgress, registry_).Add(job_labels_)) {}

  void Update(const engine::Progress& progress, TransferredBytes bytes) {
    const std::lock_guard lock(mutex_);
    completed_.RaiseTo(static_cast<double>(progress.tasks_completed));
    failed_.RaiseTo(static_cast<double>(progress.tasks_failed));
    reserved_moves_.RaiseTo(static_cast<double>(progress.moves.reserved));
    leased_moves_.RaiseTo(static_cast<double>(progress.moves.leased));
    failed_moves_.RaiseTo(static_cast<double>(progress.recalls_failed));
    copies_.RaiseTo(static_cast<double>(progress.moves.copies));
    sent_.RaiseTo(static_cast<double>(bytes.sent));
    received_.RaiseTo(static_cast<double>(bytes.received));
    progress_.Set(progress.cost_done_ratio);
    imbalance_.Set(LoadImbalance(progress.nodes));
    eta_.Set(progress.eta ? std::optional(ToSeconds(*progress.eta)) : std::nullopt);
    elapsed_.Set(ToSeconds(progress.elapsed));
    lower_bound_.Set(LowerBoundSeconds(progress));
    for (const auto& node : progress.nodes) Update(node);
  }

  void ObserveTasks(std::int64_t count, Duration busy) {
    EVENKEEL_CHECK(count > 0, "a duration without tasks");
    const double seconds = ToSeconds(busy);
    const auto bucket =
        std::lower_bound(bounds_.begin(), bounds_.end(), seconds / static_cast<double>(count));
    std::vector<double> increments(bounds_.size() + 1);
    increments[static_cast<std::size_t>(bucket - bounds_.begin())] = static_cast<double>(count);
    const std::lock_guard lock(mutex_);
    durations_.ObserveMultiple(increments, seconds);
  }

  void SetState(std::string_view state) {
    const std::lock_guard lock(mutex_);
    for (const std::string_view one : kRunStates) {
      prometheus::Labels labels = job_labels_;
      labels.insert(LabelPair(kRunState, one));
      states_.Add(labels).Set(one == state ? 1 : 0);
    }
  }

  void SetResultsVolume(double size_bytes, double free_bytes) {
    const std::lock_guard lock(mutex_);
    results_size_.Set(size_bytes);
    results_free_.Set(free_bytes);
  }

  std::string Text() const {
    const std::lock_guard lock(mutex_);
    return prometheus::TextSerializer().Serialize(registry_.Collect());
  }

 private:
  struct Node {
    RisingCounter units;
    RisingCounter busy;
    RisingCounter data_wait;
    RisingCounter fetched_bytes;
    RisingCounter fetch_time;
    Gauge& weight;
    OptionalGauge rate;
    OptionalGauge threads;
    RisingCounter stolen_in;
    RisingCounter stolen_out;
    std::optional<RisingCounter> joules;
  };

  void Update(const engine::NodeProgress& progress) {
    auto known = nodes_.find(progress.name);
    if (known == nodes_.end()) known = nodes_.emplace(progress.name, NewNode(progress.name)).first;
    Node& node = known->second;
    node.units.RaiseTo(static_cast<double>(progress.cost));
    node.busy.RaiseTo(progress.busy_seconds);
    node.data_wait.RaiseTo(progress.data_wait_seconds);
    node.fetched_bytes.RaiseTo(static_cast<double>(progress.transfer.bytes));
    node.fetch_time.RaiseTo(ToSeconds(progress.transfer.time));
    node.weight.Set(progress.ratio);
    node.rate.Set(progress.rate > 0 ? std::optional(progress.rate) : std::nullopt);
    node.threads.Set(progress.threads > 0 ? std::optional<double>(progress.threads) : std::nullopt);
    node.stolen_in.RaiseTo(static_cast<double>(progress.stolen_in));
    node.stolen_out.RaiseTo(static_cast<double>(progress.stolen_out));
    if (progress.power && progress.threads > 0) UpdateJoules(progress, node);
  }

  void UpdateJoules(const engine::NodeProgress& progress, Node& node) {
    if (!node.joules) {
      const prometheus::Labels labels{LabelPair(kNode, progress.name),
                                      LabelPair(kProfile, profile_)};
      node.joules.emplace(energy_.Add(labels));
    }
    node.joules->RaiseTo(
        model::JoulesOf(*progress.power, progress.busy_seconds, progress.threads, 0).dynamic);
  }

  Node NewNode(const std::string& name) {
    const prometheus::Labels labels{LabelPair(kNode, name), LabelPair(kProfile, profile_)};
    return {RisingCounter(units_.Add(labels)),
            RisingCounter(busy_.Add(labels)),
            RisingCounter(data_wait_.Add({LabelPair(kNode, name)})),
            RisingCounter(fetched_bytes_.Add({LabelPair(kNode, name)})),
            RisingCounter(fetch_time_.Add({LabelPair(kNode, name)})),
            weights_.Add({LabelPair(kNode, name)}),
            OptionalGauge(rates_, labels),
            OptionalGauge(threads_, {LabelPair(kNode, name)}),
            RisingCounter(stolen_.Add({LabelPair(kNode, name), LabelPair(kWay, "in")})),
            RisingCounter(stolen_.Add({LabelPair(kNode, name), LabelPair(kWay, "out")})),
            {}};
  }

  RisingCounter MoveCounter(std::string_view kind, std::string_view outcome) {
    return RisingCounter(moves_.Add({LabelPair(kKind, kind), LabelPair(kOutcome, outcome)}));
  }

  mutable std::mutex mutex_;
  const std::string profile_;
  const prometheus::Labels job_labels_;
  prometheus::Registry registry_{prometheus::Registry::InsertBehavior::Throw};

  Family<Counter>& units_ = RegisterCounter(Metric::kWorkUnits, registry_);
  Family<Counter>& busy_ = RegisterCounter(Metric::kWorkerBusy, registry_);
  Family<Counter>& data_wait_ = RegisterCounter(Metric::kWorkerDataWait, registry_);
  Family<Counter>& fetched_bytes_ = RegisterCounter(Metric::kWorkerFetchedBytes, registry_);
  Family<Counter>& fetch_time_ = RegisterCounter(Metric::kWorkerFetchTime, registry_);
  Family<Counter>& energy_ = RegisterCounter(Metric::kEnergy, registry_);
  Family<Counter>& moves_ = RegisterCounter(Metric::kMoves, registry_);
  Family<Counter>& transfer_ = RegisterCounter(Metric::kTransfer, registry_);
  Family<Gauge>& weights_ = RegisterGauge(Metric::kNodeWeight, registry_);
  Family<Counter>& stolen_ = RegisterCounter(Metric::kStolenTasks, registry_);
  Family<Gauge>& threads_ = RegisterGauge(Metric::kNodeThreads, registry_);
  Family<Gauge>& states_ = RegisterGauge(Metric::kJobState, registry_);
  Family<Gauge>& rates_ = RegisterGauge(Metric::kNodeRate, registry_);

  // Counters start at 0 instead of being absent, so that rate() sees their first increase.
  RisingCounter completed_{RegisterCounter(Metric::kTasksCompleted, registry_).Add({})};
  RisingCounter failed_{
      RegisterCounter(Metric::kTasksFailed, registry_).Add({LabelPair(kReason, "task")})};
  RisingCounter reserved_moves_ = MoveCounter("reserved", "done");
  RisingCounter leased_moves_ = MoveCounter("leased", "done");
  RisingCounter failed_moves_ = MoveCounter("leased", "failed");
  RisingCounter copies_ = MoveCounter("copy", "started");
  RisingCounter sent_{transfer_.Add({LabelPair(kDirection, "sent")})};
  RisingCounter received_{transfer_.Add({LabelPair(kDirection, "received")})};
  const Histogram::BucketBoundaries bounds_ = Buckets(Metric::kTaskDuration);
  Histogram& durations_ =
      Register(prometheus::BuildHistogram(), Metric::kTaskDuration, registry_).Add({}, bounds_);
  Gauge& progress_;
  Gauge& imbalance_ = RegisterGauge(Metric::kJobLoadImbalance, registry_).Add({});
  Gauge& elapsed_ = RegisterGauge(Metric::kJobElapsed, registry_).Add({});
  OptionalGauge lower_bound_{RegisterGauge(Metric::kJobLowerBound, registry_), {}};
  OptionalGauge results_size_{RegisterGauge(Metric::kResultsSize, registry_), {}};
  OptionalGauge results_free_{RegisterGauge(Metric::kResultsFree, registry_), {}};
  OptionalGauge eta_{RegisterGauge(Metric::kJobEta, registry_), {}};
  std::map<std::string, Node> nodes_;
};

JobMetrics::JobMetrics(const std::string& profile, const std::string& namespace_name,
                       const std::string& job)
    : series_(std::make_unique<Series>(profile, namespace_name, job)) {}

JobMetrics::~JobMetrics() = default;

void JobMetrics::Update(const engine::Progress& progress, TransferredBytes bytes) {
  series_->Update(progress, bytes);
}

void JobMetrics::ObserveTasks(std::int64_t count, Duration busy) {
  series_->ObserveTasks(count, busy);
}

void JobMetrics::SetState(std::string_view state) { series_->SetState(state); }

void JobMetrics::SetResultsVolume(double size_bytes, double free_bytes) {
  series_->SetResultsVolume(size_bytes, free_bytes);
}

std::string JobMetrics::Text() const { return series_->Text(); }

}  // namespace evenkeel::metrics
