#include "kubernetes/rate_limited_transport.h"

#include <utility>

namespace evenkeel::kube {

RateLimitedTransport::RateLimitedTransport(Transport& inner, const Clock& clock, Waiter& waiter,
                                           RateLimitOptions options)
    : inner_(inner),
      clock_(clock),
      waiter_(waiter),
      options_(std::move(options)),
      bucket_(options_.requests_per_second, options_.burst) {}

Result<Response> RateLimitedTransport::Send(const Request& request) {
  WaitForTurn({});
  Result<Response> answer = inner_.Send(request);
  Count(request, answer);
  return answer;
}

Result<Response> RateLimitedTransport::Stream(const Request& request, LineSink& sink,
                                              std::stop_token stop) {
  if (!WaitForTurn(stop)) return Response{};
  Result<Response> answer = inner_.Stream(request, sink, std::move(stop));
  Count(request, answer);
  return answer;
}

bool RateLimitedTransport::WaitForTurn(const std::stop_token& stop) {
  Duration pause;
  {
    const std::lock_guard lock(mutex_);
    pause = bucket_.Take(clock_.Now());
  }
  return pause <= Duration::zero() || waiter_.WaitFor(pause, stop);
}

void RateLimitedTransport::Count(const Request& request, const Result<Response>& answer) const {
  if (!options_.observer) return;
  const bool answered = answer && answer->status != 0;
  options_.observer(
      {answered ? std::to_string(answer->status) : "<error>", options_.host, request.method});
}

}  // namespace evenkeel::kube
