#include "operator/history/prometheus_finder.h"

#include <algorithm>
#include <utility>

#include "core/base/log.h"

namespace evenkeel::operating {
namespace {

constexpr Duration kInterval = std::chrono::minutes(1);
/// Names that nobody knows are asked for seldom.
constexpr int kMostDoublings = 4;
/// A Prometheus that is upgraded is away for a minute or two.
constexpr int kPatience = 5;

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
  for (const std::string& name_space : where) {
    for (const std::string service : kServices) {
      const auto gap = service.find('%');
      urls.push_back("http://" + service.substr(0, gap) + name_space + service.substr(gap + 1));
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
    if (silent_ < kPatience) return kInterval;
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
  return kInterval * (1 << std::min(in_vain_++, kMostDoublings));
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

}  // namespace evenkeel::operating
