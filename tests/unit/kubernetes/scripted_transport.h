#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/transport.h"

namespace evenkeel::kube {

/// Returns the answers of a script in order and records the requests.
class ScriptedTransport final : public Transport {
 public:
  ScriptedTransport& Answer(int status, std::string body = "{}",
                            std::optional<Duration> retry_after = std::nullopt) {
    answers_.push_back(Response{status, std::move(body), retry_after});
    return *this;
  }
  ScriptedTransport& Break(std::string why) {
    answers_.push_back(Fail(ErrorCode::kUnavailable, std::move(why)));
    return *this;
  }

  Result<Response> Send(const Request& request) override {
    requests.push_back(request);
    if (answers_.empty()) return Fail(ErrorCode::kInternal, "the script is at its end");
    Result<Response> answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

  Result<Response> Stream(const Request& request, LineSink&, std::stop_token) override {
    return Send(request);
  }

  std::vector<Request> requests;

 private:
  std::deque<Result<Response>> answers_;
};

}  // namespace evenkeel::kube
