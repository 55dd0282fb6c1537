#include "operator/runtime/operator_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>

namespace evenkeel::operating {
namespace {

using prometheus::Histogram;
using prometheus::Labels;
using prometheus::Registry;

const Labels kController{{"controller", "weightedjob"}};
const Labels kQueue{{"name", "weightedjob"}};

Histogram::BucketBoundaries ReconcileBuckets() {
  return {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
}
Histogram::BucketBoundaries QueueBuckets() {
  return {0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1000};
}

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

  std::string Text(const kube::WorkQueueFigures& queue) override {
    depth_.Set(static_cast<double>(queue.depth));
    unfinished_.Set(ToSeconds(queue.unfinished));
    longest_.Set(ToSeconds(queue.longest_running));
    return prometheus::TextSerializer().Serialize(registry_.Collect());
  }

 private:
  prometheus::Counter& Counter(const std::string& name, const std::string& help,
                               const Labels& labels) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry_).Add(labels);
  }
  prometheus::Gauge& Gauge(const std::string& name, const std::string& help, const Labels& labels) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add(labels);
  }
  Histogram& Times(const std::string& name, const std::string& help, const Labels& labels,
                   const Histogram::BucketBoundaries& buckets) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry_).Add(labels,
                                                                                      buckets);
  }
  std::map<ReconcileResult, prometheus::Counter*> Results() {
    auto& family = prometheus::BuildCounter()
                       .Name("controller_runtime_reconcile_total")
                       .Help("Looks at jobs, by how they ended")
                       .Register(registry_);
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
  prometheus::Counter& errors_ = Counter("controller_runtime_reconcile_errors_total",
                                         "Looks at jobs that failed", kController);
  Histogram& time_ = Times("controller_runtime_reconcile_time_seconds",
                           "How long a look at a job takes", kController, ReconcileBuckets());
  prometheus::Gauge& max_concurrent_ = Gauge("controller_runtime_max_concurrent_reconciles",
                                             "Jobs looked at at a time, at most", kController);
  prometheus::Gauge& active_ =
      Gauge("controller_runtime_active_workers", "Jobs looked at right now", kController);
  prometheus::Gauge& depth_ = Gauge("workqueue_depth", "Jobs waiting to be looked at", kQueue);
  prometheus::Counter& adds_ = Counter("workqueue_adds_total", "Jobs put into the queue", kQueue);
  Histogram& queued_ = Times("workqueue_queue_duration_seconds",
                             "How long a job waits in the queue", kQueue, QueueBuckets());
  Histogram& worked_ = Times("workqueue_work_duration_seconds",
                             "How long a job from the queue is worked on", kQueue, QueueBuckets());
  prometheus::Gauge& unfinished_ =
      Gauge("workqueue_unfinished_work_seconds", "Age of all work in progress, summed up", kQueue);
  prometheus::Gauge& longest_ = Gauge("workqueue_longest_running_processor_seconds",
                                      "Age of the oldest work in progress", kQueue);
  prometheus::Counter& retries_ =
      Counter("workqueue_retries_total", "Jobs put back after a failure", kQueue);
  prometheus::Family<prometheus::Counter>& requests_ =
      prometheus::BuildCounter()
          .Name("rest_client_requests_total")
          .Help("Requests to the API server, by code, host and method")
          .Register(registry_);
  prometheus::Gauge& leader_ = Gauge("leader_election_master_status", "1 if this replica leads",
                                     {{"name", "evenkeel-operator"}});
};

}  // namespace

std::unique_ptr<OperatorMetrics> OperatorMetrics::Make() {
  return std::make_unique<PrometheusMetrics>();
}

}  // namespace evenkeel::operating
