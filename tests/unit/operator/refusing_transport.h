#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "kubernetes/transport.h"

namespace evenkeel::controller {

/// Answers some requests itself, in place of the server behind it. Thread-safe.
class RefusingTransport final : public kube::Transport {
 public:
  /// `server` must outlive it.
  explicit RefusingTransport(kube::Transport& server) : server_(server) {}

  /// From now on, requests of this method to a target with this part get this answer.
  void Refuse(std::string method, std::string target_part, kube::Response answer) {
    const std::scoped_lock lock(mutex_);
    refusal_ = {std::move(method), std::move(target_part), std::move(answer)};
  }
  void RefuseNothing() {
    const std::scoped_lock lock(mutex_);
    refusal_.reset();
  }

  Result<kube::Response> Send(const kube::Request& request) override {
    {
      const std::scoped_lock lock(mutex_);
      if (refusal_ && request.method == refusal_->method &&
          request.target.find(refusal_->target_part) != std::string::npos) {
        return refusal_->answer;
      }
    }
    return server_.Send(request);
  }
  Result<kube::Response> Stream(const kube::Request& request, kube::LineSink& sink,
                                std::stop_token stop) override {
    return server_.Stream(request, sink, std::move(stop));
  }

 private:
  struct Refusal {
    std::string method;
    std::string target_part;
    kube::Response answer;
  };
  kube::Transport& server_;
  std::mutex mutex_;
  std::optional<Refusal> refusal_;
};

}  // namespace evenkeel::controller
