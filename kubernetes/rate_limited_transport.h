#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "core/base/clock.h"
#include "kubernetes/pacing.h"
#include "kubernetes/transport.h"

namespace evenkeel::kube {

/// One request that is over, for rest_client_requests_total{code,host,method}.
struct RequestOutcome {
  std::string code;  ///< "200"; "<error>" when no answer came, as client-go counts it
  std::string host;
  std::string method;
};

/// Called after each request, on the thread that made it; watches count when they end.
using RequestObserver = std::function<void(const RequestOutcome&)>;

struct RateLimitOptions {
  std::string host;  ///< as it stands in the metric: "10.43.0.1:443"
  double requests_per_second = 20;
  int burst = 30;
  RequestObserver observer;  ///< may be empty
};

/// Holds the requests of all clients of one server to a rate and counts them. Thread-safe.
class RateLimitedTransport final : public Transport {
 public:
  /// `inner`, `clock` and `waiter` must outlive it.
  RateLimitedTransport(Transport& inner, const Clock& clock, Waiter& waiter,
                       RateLimitOptions options);

  [[nodiscard]] Result<Response> Send(const Request& request) override;
  [[nodiscard]] Result<Response> Stream(const Request& request, LineSink& sink,
                                        std::stop_token stop) override;

 private:
  /// Waits for a turn; false: stopped before it came.
  bool WaitForTurn(const std::stop_token& stop);
  void Count(const Request& request, const Result<Response>& answer) const;

  Transport& inner_;
  const Clock& clock_;
  Waiter& waiter_;
  RateLimitOptions options_;
  std::mutex mutex_;
  TokenBucket bucket_;  // guarded by mutex_
};

}  // namespace evenkeel::kube
