#pragma once

#include <prometheus/metric_family.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/model/node_power.h"
#include "kubernetes/rate_limited_transport.h"
#include "kubernetes/work_queue.h"
#include "operator/job_history.h"

namespace evenkeel::controller {

/// Resource use of this process, for the process_* metrics of all Prometheus clients.
struct ProcessFigures {
  double cpu_seconds = 0;
  double resident_bytes = 0;  ///< 0 if it cannot be read
};

[[nodiscard]] ProcessFigures ReadProcessFigures();

/// Values that are read at each scrape.
struct OperatorFigures {
  kube::WorkQueueFigures queue;
  std::map<std::string, int> jobs;  ///< by status.state; empty unless this replica leads
  std::map<std::string, model::NodePower> node_watts;  ///< likewise
  JobHistory::Figures history;
  ProcessFigures process;
  double began = 0;  ///< when this process did, in seconds since 1970
};

/// The metrics of jobs, nodes and history. They are made anew for each answer, so that what is gone
/// from the cluster is gone from them.
[[nodiscard]] std::vector<prometheus::MetricFamily> FamiliesOf(const OperatorFigures& figures);

enum class ReconcileResult { kSuccess, kError, kRequeueAfter };

/// The metrics of the operator, as in the catalogue. Thread-safe.
class OperatorMetrics : public kube::WorkQueueObserver {
 public:
  [[nodiscard]] static std::unique_ptr<OperatorMetrics> Make();

  virtual void OnReconcileBegin() = 0;
  virtual void OnReconcileEnd(ReconcileResult result, Duration took) = 0;
  virtual void OnRequest(const kube::RequestOutcome& outcome) = 0;
  virtual void SetLeader(bool leads) = 0;
  virtual void SetMaxConcurrentReconciles(int threads) = 0;

  /// All of it in Prometheus' text format.
  [[nodiscard]] virtual std::string Text(const OperatorFigures& figures) = 0;
};

}  // namespace evenkeel::controller
