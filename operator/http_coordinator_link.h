#pragma once

#include "cluster/names.h"
#include "http/http_client.h"
#include "operator/coordinator_link.h"

namespace evenkeel::controller {

/// Over HTTPS to the control port of the pod, on one thread for all coordinators.
class HttpCoordinatorLink final : public CoordinatorLink {
 public:
  /// `port`: of the coordinators; another than theirs only in tests.
  explicit HttpCoordinatorLink(int port = cluster::port::kControl) : port_(port) {}

  void Send(const CoordinatorAddress& to, const ControlCall& call, OnReply on_reply) override;
  void Stop() override { client_.Stop(); }

 private:
  const int port_;
  http::HttpClient client_;
};

}  // namespace evenkeel::controller
