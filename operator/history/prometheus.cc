#include "operator/history/prometheus.h"

#include <cstdio>
#include <utility>

#include "operator/history/rate_answer.h"
#include "operator/history/rate_query.h"
#include "operator/kube/bounded_file.h"
#include "operator/kube/cpprest_transport.h"
#include "operator/kube/resource.h"
#include "operator/kube/server_address.h"

namespace evenkeel::operating {
namespace {

using plan::HistoryAnswer;

constexpr std::size_t kMaxPemBytes = 256U << 10;
constexpr int kOk = 200;
// Prometheus' answers to a question that it understood and would not answer.
constexpr int kBadRequest = 400;
constexpr int kUnprocessable = 422;

HistoryAnswer Unreachable(std::string trouble) {
  return {HistoryAnswer::Kind::kUnreachable, {}, std::move(trouble)};
}

/// As Prometheus reads durations; it gives up by itself, too.
std::string Milliseconds(Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) +
         "ms";
}

}  // namespace

Result<std::shared_ptr<Prometheus>> Prometheus::Make(const PrometheusAddress& address,
                                                     const PrometheusOptions& options,
                                                     const Clock& clock) {
  const auto server = kube::ParseServerAddress(address.url);
  if (!server) return InvalidInput("--prometheus-url: " + server.error().message);
  if (server->secure && address.ca_file.empty()) {
    return InvalidInput("--prometheus-url: https needs --prometheus-ca-file");
  }
  if (!server->secure && !address.token_file.empty()) {
    return InvalidInput("--prometheus-token-file: a token is shown over https only");
  }
  kube::CpprestOptions http;
  http.server = address.url;
  http.user_agent = "evenkeel-operator";
  http.max_body_bytes = kMaxAnswerBytes;
  http.keep_connections = false;  // a job starts with this one answer, maybe hours after the last
  if (!address.ca_file.empty()) {
    auto ca = kube::ReadBoundedFile(address.ca_file, kMaxPemBytes);
    if (!ca) return InvalidInput("--prometheus-ca-file: " + ca.error().message);
    http.tls.ca_pem = std::move(*ca);
  }
  if (!address.token_file.empty()) {
    http.tokens = std::make_shared<kube::TokenSource>(address.token_file, clock);
  }
  auto transport = kube::MakeCpprestTransport(std::move(http));
  if (!transport) return tl::unexpected<Error>(transport.error());
  return std::make_shared<Prometheus>(server->Url(), std::move(*transport), options);
}

HistoryAnswer Prometheus::Ask(const std::string& profile) const {
  kube::Request request;
  request.method = "POST";  // the query is too long for some proxies' idea of an address
  request.target = "/api/v1/query";
  request.content_type = "application/x-www-form-urlencoded";
  request.body = "timeout=" + Milliseconds(options_.timeout) +
                 "&query=" + kube::PercentEncode(RateQuery(profile, options_.window_seconds));
  request.timeout = options_.timeout;
  const auto response = transport_->Send(request);
  if (!response) return Unreachable(response.error().message);
  const int status = response->status;
  if (status != kOk && status != kBadRequest && status != kUnprocessable) {
    return Unreachable(url_ + " answered " + std::to_string(status));
  }
  auto samples = ReadRateAnswer(response->body, options_.window_seconds);
  if (samples) return {HistoryAnswer::Kind::kSamples, std::move(*samples), {}};
  return {HistoryAnswer::Kind::kInvalid, {}, url_ + ": " + samples.error().message};
}

bool Prometheus::IsThere() const {
  kube::Request request;
  request.method = "GET";
  request.target = "/api/v1/status/buildinfo";
  request.timeout = options_.timeout;
  const auto response = transport_->Send(request);
  return response && response->status == kOk && IsBuildInfo(response->body);
}

}  // namespace evenkeel::operating
