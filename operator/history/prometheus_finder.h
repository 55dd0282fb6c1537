#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/time.h"
#include "operator/history/prometheus.h"

namespace evenkeel::operating {

/// Addresses at which the usual ways to install it put a Prometheus (kube-prometheus-stack,
/// kube-prometheus, the Prometheus Operator, prometheus-community's chart, Rancher's for k3s): each
/// of their Services in each of `namespaces`, or in the usual ones if the list is empty.
[[nodiscard]] std::vector<std::string> UsualPrometheusUrls(
    const std::vector<std::string>& namespaces);

/// Looks for a Prometheus by asking at addresses, on a thread of its own, again and again until one
/// answers; and watches whether that one stays. Thread-safe, but Start() and Stop() are for one
/// owner.
class PrometheusFinder {
 public:
  using Candidates = std::vector<std::shared_ptr<const Prometheus>>;

  explicit PrometheusFinder(Candidates candidates) : candidates_(std::move(candidates)) {}
  PrometheusFinder(const PrometheusFinder&) = delete;
  PrometheusFinder& operator=(const PrometheusFinder&) = delete;
  ~PrometheusFinder() { Stop(); }

  void Start();
  /// Waits for a question under way, for its timeout at most.
  void Stop();

  /// The one that answers; null as long as none does. Never blocks for long.
  [[nodiscard]] std::shared_ptr<const Prometheus> Found() const;

  /// One look. Returns after how long the next one is due. Start() has a thread do this.
  Duration Look(const std::stop_token& stop = {});

 private:
  void Run(const std::stop_token& stop);
  void Set(std::shared_ptr<const Prometheus> found);

  const Candidates candidates_;
  int silent_ = 0;   // looks in a row at which what was found did not answer
  int in_vain_ = 0;  // looks in a row at which nothing was found
  mutable std::mutex mutex_;
  std::condition_variable_any woken_;
  std::shared_ptr<const Prometheus> found_;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace evenkeel::operating
