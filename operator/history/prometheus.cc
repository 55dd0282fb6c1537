#include "operator/history/prometheus.h"

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/log.h"
#include "core/metrics/catalogue.h"
#include "core/scheduling/history/blended_rates.h"
#include "kubernetes/config.h"
#include "kubernetes/cpprest_transport.h"
#include "kubernetes/credentials.h"
#include "kubernetes/object.h"
#include "platform/backoff.h"

namespace evenkeel::controller {
namespace {

/// A text in PromQL's quotation marks.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + '"';
}

/// The rises of the metric within the last seconds, a series a node and operator.
std::string Rise(metrics::Metric metric, const ProfileKey& key, std::int64_t seconds) {
  return "increase(" + std::string(metrics::Definition(metric).name) +
         "{job_namespace=" + Quoted(key.namespace_name) + ",profile=" + Quoted(key.profile) + "}[" +
         std::to_string(seconds) + "s])";
}

/// "or" keeps what has other labels: a window in which there is nothing takes nothing away.
std::string Weighed(metrics::Metric metric, const ProfileKey& key, std::int64_t window_seconds) {
  std::string sum;
  for (const auto& window : scheduling::RecencyWindows(window_seconds)) {
    char factor[32];
    std::snprintf(factor, sizeof factor, "%.6f", window.factor);
    if (!sum.empty()) sum += " or ";
    sum += "label_replace(" + std::string(factor) + " * " + Rise(metric, key, window.seconds) +
           ",\"within\",\"" + std::to_string(window.seconds) + "\",\"\",\"\")";
  }
  return sum;
}

std::string Figure(const std::string& name, const std::string& rises) {
  return "label_replace(sum by (node,exported_node) (" + rises + "),\"" + figure::kLabel + "\",\"" +
         name + "\",\"\",\"\")";
}

}  // namespace

std::string RateQuery(const ProfileKey& key, std::int64_t window_seconds) {
  using metrics::Metric;
  return Figure(figure::kUnits, Weighed(Metric::kHistoryUnits, key, window_seconds)) + " or " +
         Figure(figure::kBusySeconds, Weighed(Metric::kHistoryBusy, key, window_seconds)) + " or " +
         Figure(figure::kAllBusySeconds, Rise(Metric::kHistoryBusy, key, window_seconds));
}

namespace {

using nlohmann::json;
using scheduling::RateSample;

constexpr std::size_t kMaxNodeBytes = 253;
constexpr std::size_t kMaxNumberBytes = 64;

const json& Member(const json& object, const char* name) {
  static const json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

std::string TextOf(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// Of at most that many bytes, in one line.
std::string Excerpt(std::string text) {
  constexpr std::size_t kMaxQuoted = 200;
  if (text.size() > kMaxQuoted) text.resize(kMaxQuoted);
  for (char& c : text) {
    if (c < ' ' || c == '\x7f') c = ' ';  // also non-ASCII bytes: a character may be cut
  }
  return text;
}

tl::unexpected<Error> Nonsense(const std::string& what) {
  return Fail(ErrorCode::kUnavailable, "the answer of Prometheus " + what);
}

/// "1.5e3", "NaN", "+Inf"; NaN if it is no number at all.
double NumberOf(const json& sample) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!sample.is_array() || sample.size() != 2 || !sample[1].is_string()) return kNone;
  const std::string text = sample[1].get<std::string>();
  if (text.empty() || text.size() > kMaxNumberBytes) return kNone;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return *end == '\0' ? number : kNone;
}

struct Figures {
  double units = 0;
  double busy = 0;
  double all_busy = 0;
};

void Take(const json& series, std::map<std::string, Figures>& figures) {
  const json& labels = Member(series, "metric");
  std::string node = TextOf(Member(labels, "exported_node"));
  if (node.empty()) node = TextOf(Member(labels, "node"));
  if (node.empty() || node.size() > kMaxNodeBytes) return;
  const double number = NumberOf(Member(series, "value"));
  const std::string figure = TextOf(Member(labels, figure::kLabel.c_str()));
  if (figure == figure::kUnits) figures[node].units = number;
  if (figure == figure::kBusySeconds) figures[node].busy = number;
  if (figure == figure::kAllBusySeconds) figures[node].all_busy = number;
}

/// A total that has been shown and never rose is no sample.
bool Says(const Figures& one) { return one.units != 0 || one.busy != 0; }

}  // namespace

Result<std::map<std::string, RateSample>> ReadRateAnswer(const std::string& body,
                                                         std::int64_t window_seconds) {
  const json answer = json::parse(body, nullptr, false);
  if (!answer.is_object()) return Nonsense("is no JSON object: " + Excerpt(body));
  const std::string status = TextOf(Member(answer, "status"));
  if (status == "error") {
    return Nonsense("is an error: " + Excerpt(TextOf(Member(answer, "error"))));
  }
  const json& data = Member(answer, "data");
  const json& result = Member(data, "result");
  if (status != "success" || TextOf(Member(data, "resultType")) != "vector" || !result.is_array()) {
    return Nonsense("has no vector of results");
  }
  if (result.size() > kMaxAnswerSeries) {
    return Nonsense("has " + std::to_string(result.size()) + " series, at most " +
                    std::to_string(kMaxAnswerSeries) + " are taken");
  }
  std::map<std::string, Figures> figures;
  for (const json& series : result) Take(series, figures);
  std::map<std::string, RateSample> samples;
  for (const auto& [node, one] : figures) {
    if (!Says(one)) continue;
    samples[node] = {one.units, one.busy,
                     scheduling::MeanAge(one.all_busy, one.busy, window_seconds)};
  }
  return samples;
}

bool IsBuildInfo(const std::string& body) {
  const json answer = json::parse(body, nullptr, false);
  return TextOf(Member(answer, "status")) == "success" &&
         Member(Member(answer, "data"), "version").is_string();
}

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

HistoryAnswer Prometheus::Ask(const ProfileKey& key) const {
  kube::Request request;
  request.method = "POST";  // the query is too long for some proxies' idea of an address
  request.target = "/api/v1/query";
  request.content_type = "application/x-www-form-urlencoded";
  request.body = "timeout=" + Milliseconds(options_.timeout) +
                 "&query=" + kube::PercentEncode(RateQuery(key, options_.window_seconds));
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

namespace {

constexpr Duration kInterval = std::chrono::minutes(1);
/// Where no Prometheus is found, the searches become rarer.
constexpr platform::BackoffOptions kSearch{.shortest = kInterval, .longest = 16 * kInterval};
/// Failed probes until another Prometheus is searched: an upgrade takes a minute or two.
constexpr int kMaxFailures = 5;

constexpr const char* kNamespaces[] = {"monitoring", "prometheus", "observability",
                                       "cattle-monitoring-system"};
constexpr const char* kServices[] = {
    "prometheus-operated.%.svc:9090",               // whatever the Prometheus Operator runs
    "kube-prometheus-stack-prometheus.%.svc:9090",  // its chart
    "prometheus-k8s.%.svc:9090",                    // kube-prometheus
    "rancher-monitoring-prometheus.%.svc:9090",     // Rancher's, for k3s and others
    "prometheus-server.%.svc:80",                   // prometheus-community/prometheus
    "prometheus.%.svc:9090",                        // by hand
};

}  // namespace

std::vector<std::string> UsualPrometheusUrls(const std::vector<std::string>& namespaces) {
  const std::vector<std::string> where =
      namespaces.empty() ? std::vector<std::string>(std::begin(kNamespaces), std::end(kNamespaces))
                         : namespaces;
  std::vector<std::string> urls;
  for (const std::string& namespace_name : where) {
    for (const std::string service : kServices) {
      const auto gap = service.find('%');
      urls.push_back("http://" + service.substr(0, gap) + namespace_name + service.substr(gap + 1));
    }
  }
  return urls;
}

void PrometheusFinder::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void PrometheusFinder::Stop() { thread_ = {}; }

std::shared_ptr<const Prometheus> PrometheusFinder::Found() const {
  const std::scoped_lock lock(mutex_);
  return found_;
}

Duration PrometheusFinder::Look(const std::stop_token& stop) {
  if (const auto known = Found()) {
    silent_ = known->IsThere() ? 0 : silent_ + 1;
    if (silent_ < kMaxFailures) return kInterval;
    Log(LogLevel::kWarning, known->Url() + " does not answer any more; weights go without history");
    Set(nullptr);
  }
  for (const auto& candidate : candidates_) {
    if (stop.stop_requested()) return kInterval;
    if (!candidate->IsThere()) continue;
    Log(LogLevel::kInfo, "found Prometheus at " + candidate->Url());
    silent_ = in_vain_ = 0;
    Set(candidate);
    return kInterval;
  }
  return platform::ExponentialPause(kSearch, in_vain_++);
}

void PrometheusFinder::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Duration pause = Look(stop);
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, stop, pause, [] { return false; });
  }
}

void PrometheusFinder::Set(std::shared_ptr<const Prometheus> found) {
  const std::scoped_lock lock(mutex_);
  found_ = std::move(found);
}

}  // namespace evenkeel::controller
