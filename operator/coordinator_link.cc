#include "operator/coordinator_link.h"

#include <memory>
#include <string>
#include <utility>

#include "cluster/job_status_json.h"
#include "cluster/names.h"
#include "kubernetes/cpprest_transport.h"

namespace evenkeel::controller {
namespace {

constexpr std::size_t kMaxAnswerBytes = 1u << 20;
constexpr Duration kQuick = std::chrono::seconds(5);
// A coordinator lets running tasks end for up to 20 s when it is drained.
constexpr Duration kDrain = std::chrono::seconds(30);
constexpr int kOk = 200;
constexpr int kConflict = 409;
constexpr int kTooLarge = 413;

std::string UrlOf(const CoordinatorAddress& to) {
  const bool six = to.ip.find(':') != std::string::npos;
  const std::string host = six ? "[" + to.ip + "]" : to.ip;
  return "https://" + host + ":" + std::to_string(cluster::port::kControl);
}

Result<kube::Response> Ask(const CoordinatorAddress& to, std::string method, std::string target,
                           Duration timeout) {
  kube::CpprestOptions options;
  options.server = UrlOf(to);
  options.tls.ca_pem = to.ca_pem;
  options.tls.server_name = to.server_name;
  options.tokens = std::make_shared<kube::TokenSource>(to.token);
  options.user_agent = "evenkeel-operator";
  options.max_body_bytes = kMaxAnswerBytes;
  auto transport = kube::MakeCpprestTransport(std::move(options));
  if (!transport) return tl::unexpected<Error>(transport.error());
  kube::Request request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.timeout = timeout;
  return (*transport)->Send(request);
}

tl::unexpected<Error> Refusal(const CoordinatorAddress& to, const kube::Response& response) {
  constexpr std::size_t kMaxQuoted = 300;
  const bool is_permanent = response.status == kTooLarge || response.status == kConflict;
  std::string message = to.server_name + " answered " + std::to_string(response.status);
  if (!response.body.empty()) message += ": " + response.body.substr(0, kMaxQuoted);
  return Fail(is_permanent ? ErrorCode::kConflict : ErrorCode::kUnavailable, std::move(message));
}

Result<std::string> BodyOf(const CoordinatorAddress& to, std::string method, std::string target,
                           Duration timeout) {
  auto response = Ask(to, std::move(method), std::move(target), timeout);
  if (!response) return Fail(ErrorCode::kUnavailable, response.error().message);
  if (response->status != kOk) return Refusal(to, *response);
  return std::move(response->body);
}

Result<void> Post(const CoordinatorAddress& to, std::string target) {
  return BodyOf(to, "POST", std::move(target), kDrain).map([](const std::string&) {});
}

}  // namespace

Result<cluster::Progress> HttpsCoordinatorLink::AskProgress(const CoordinatorAddress& to) {
  auto body = BodyOf(to, "GET", "/progress", kQuick);
  if (!body) return tl::unexpected<Error>(body.error());
  return cluster::ReadProgress(*body);
}

Result<void> HttpsCoordinatorLink::Suspend(const CoordinatorAddress& to) {
  return Post(to, "/suspend");
}

Result<void> HttpsCoordinatorLink::Resume(const CoordinatorAddress& to) {
  return Post(to, "/resume");
}

Result<std::string> HttpsCoordinatorLink::TakeSnapshot(const CoordinatorAddress& to) {
  return BodyOf(to, "GET", "/snapshot", kDrain);
}

}  // namespace evenkeel::controller
