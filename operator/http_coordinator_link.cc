#include "operator/http_coordinator_link.h"

#include <memory>
#include <utility>

#include "cluster/names.h"
#include "kubernetes/cpprest_transport.h"
#include "kubernetes/credentials.h"

namespace evenkeel::controller {
namespace {

constexpr std::size_t kMaxReplyBytes = 1U << 20;
constexpr Duration kTimeout = std::chrono::seconds(5);
constexpr int kThreads = 16;

std::string UrlOf(const CoordinatorAddress& to) {
  const bool six = to.ip.find(':') != std::string::npos;
  const std::string host = six ? "[" + to.ip + "]" : to.ip;
  return "https://" + host + ":" + std::to_string(cluster::port::kControl);
}

Result<ControlReply> Ask(const CoordinatorAddress& to, const ControlCall& call) {
  kube::CpprestOptions options;
  options.server = UrlOf(to);
  options.tls.ca_pem = to.ca_pem;
  options.tls.server_name = to.server_name;
  options.tokens = std::make_shared<kube::TokenSource>(call.token);
  options.user_agent = "evenkeel-operator";
  options.max_body_bytes = kMaxReplyBytes;
  auto transport = kube::MakeCpprestTransport(std::move(options));
  if (!transport) return tl::unexpected<Error>(transport.error());
  kube::Request request;
  request.method = call.method;
  request.target = call.path;
  request.timeout = kTimeout;
  auto response = (*transport)->Send(request);
  if (!response) return Fail(ErrorCode::kUnavailable, response.error().message);
  return ControlReply{response->status, std::move(response->body)};
}

}  // namespace

HttpCoordinatorLink::HttpCoordinatorLink() {
  for (int i = 0; i < kThreads; ++i) threads_.emplace_back([this] { Run(); });
}

void HttpCoordinatorLink::Send(const CoordinatorAddress& to, const ControlCall& call,
                               OnReply on_reply) {
  {
    const std::scoped_lock lock(mutex_);
    if (!stopped_) {
      pending_.push_back({to, call, std::move(on_reply)});
      changed_.notify_one();
      return;
    }
  }
  on_reply(Fail(ErrorCode::kUnavailable, "the operator ends"));
}

void HttpCoordinatorLink::Stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

void HttpCoordinatorLink::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopped_ || !pending_.empty(); });
    if (stopped_) return;
    Pending next = std::move(pending_.front());
    pending_.pop_front();
    lock.unlock();
    next.on_reply(Ask(next.to, next.call));
    lock.lock();
  }
}

}  // namespace evenkeel::controller
