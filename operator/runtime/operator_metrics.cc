#include "operator/runtime/operator_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <iterator>
#include <map>

#include "core/metrics/catalogue.h"
#include "operator/runtime/operator_figures.h"

namespace evenkeel::operating {
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

}  // namespace evenkeel::operating
