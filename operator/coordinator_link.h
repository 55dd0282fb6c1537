#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"

namespace evenkeel::controller {

/// How to reach the coordinator of a job, and how to know that it is the right one.
struct CoordinatorAddress {
  std::string pod_uid;
  std::string ip;                   ///< of the pod
  std::string server_name;          ///< that its certificate must carry
  std::string ca_pem;               ///< the job's own authorities
  std::vector<std::string> tokens;  ///< what we may show, the best first

  friend bool operator==(const CoordinatorAddress&, const CoordinatorAddress&) = default;
};

/// One request to the control port of a coordinator.
struct ControlCall {
  std::string method;
  std::string path;
  std::string token;   ///< one of CoordinatorAddress::tokens
  std::string body{};  ///< JSON, at most 16 KiB; empty: none
};

struct ControlReply {
  int status = 0;
  std::string body;
};

/// Carries requests to coordinators. Coordinators run images of tenants: a call ends within a fixed
/// time and size whatever they answer, and none holds a thread.
class CoordinatorLink {
 public:
  using OnReply = std::function<void(Result<ControlReply>)>;
  virtual ~CoordinatorLink() = default;

  /// Returns at once. `on_reply` is called exactly once, on a thread of the link or, after Stop(),
  /// within this call. Errors: kUnavailable (no answer, a bad one, or too many calls).
  virtual void Send(const CoordinatorAddress& to, const ControlCall& call, OnReply on_reply) = 0;
  /// Ends all calls. No callback runs any more once it has returned.
  virtual void Stop() = 0;
};

}  // namespace evenkeel::controller
