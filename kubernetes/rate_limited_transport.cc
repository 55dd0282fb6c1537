#include "kubernetes/rate_limited_transport.h"

#include <utility>

namespace evenkeel::kube {

GovernedTransport::GovernedTransport(Transport& inner, const Clock& clock, Waiter& waiter,
                                     GovernorOptions options)
    : inner_(inner),
      clock_(clock),
      waiter_(waiter),
      options_(std::move(options)),
      bucket_(options_.requests_per_second, options_.burst) {}

Result<Response> GovernedTransport::Send(const Request& request) {
  WaitForTurn({});
  Result<Response> answer = inner_.Send(request);
  Count(request, answer);
  return answer;
}

Result<Response> GovernedTransport::Stream(const Request& request, LineSink& sink,
                                           std::stop_token stop) {
  if (!WaitForTurn(stop)) return Response{};
  Result<Response> answer = inner_.Stream(request, sink, std::move(stop));
  Count(request, answer);
  return answer;
}

bool GovernedTransport::WaitForTurn(const std::stop_token& stop) {
  Duration pause;
  {
    const std::lock_guard lock(mutex_);
    pause = bucket_.Take(clock_.Now());
  }
  return pause <= Duration::zero() || waiter_.WaitFor(pause, stop);
}

void GovernedTransport::Count(const Request& request, const Result<Response>& answer) const {
  if (!options_.observer) return;
  const bool answered = answer && answer->status != 0;
  options_.observer(
      {answered ? std::to_string(answer->status) : "<error>", options_.host, request.method});
}

}  // namespace evenkeel::kube
