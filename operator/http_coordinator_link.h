#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "operator/coordinator_link.h"

namespace evenkeel::controller {

/// Over HTTPS to the control port of the pod.
class HttpCoordinatorLink final : public CoordinatorLink {
 public:
  HttpCoordinatorLink();
  ~HttpCoordinatorLink() override { Stop(); }

  void Send(const CoordinatorAddress& to, const ControlCall& call, OnReply on_reply) override;
  void Stop() override;

 private:
  struct Pending {
    CoordinatorAddress to;
    ControlCall call;
    OnReply on_reply;
  };
  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Pending> pending_;  // guarded by mutex_
  bool stopped_ = false;         // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace evenkeel::controller
