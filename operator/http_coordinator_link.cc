#include "operator/http_coordinator_link.h"

#include <utility>

namespace evenkeel::controller {

void HttpCoordinatorLink::Send(const CoordinatorAddress& to, const ControlCall& call,
                               OnReply on_reply) {
  // A snapshot has 512 KiB at most; nothing else is as large.
  constexpr std::size_t kMaxBodyBytes = 768U << 10;
  const bool is_v6 = to.ip.find(':') != std::string::npos;
  http::HttpCall request;
  request.peer = {(is_v6 ? "[" + to.ip + "]" : to.ip) + ":" + std::to_string(port_), to.ca_pem,
                  to.server_name};
  request.method = call.method;
  request.target = call.path;
  request.body = call.body;
  if (!call.token.empty()) request.authorization = "Bearer " + call.token;
  request.max_body_bytes = kMaxBodyBytes;
  client_.Send(std::move(request), [on_reply = std::move(on_reply)](Result<http::HttpReply> reply) {
    if (!reply) return on_reply(tl::unexpected<Error>(reply.error()));
    on_reply(ControlReply{reply->status, std::move(reply->body)});
  });
}

}  // namespace evenkeel::controller
