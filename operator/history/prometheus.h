#pragma once

#include <compare>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/time.h"
#include "core/scheduling/history/blended_rates.h"
#include "kubernetes/transport.h"
#include "operator/plan/snapshot.h"

namespace evenkeel::controller {

/// Jobs of one namespace that are taken to depend on the same properties of nodes. Namespaces do
/// not share profiles, because the owner of a job controls its history.
struct ProfileKey {
  std::string namespace_name;
  std::string profile;

  friend auto operator<=>(const ProfileKey&, const ProfileKey&) = default;
  friend bool operator==(const ProfileKey&, const ProfileKey&) = default;
};

/// Label that the query gives its three figures of each node, and their values.
namespace figure {
inline const std::string kLabel = "figure";
inline const std::string kUnits = "units";             ///< work, what is older counting less
inline const std::string kBusySeconds = "busy";        ///< inside tasks, in the same way
inline const std::string kAllBusySeconds = "allbusy";  ///< the same, all counting alike
}  // namespace figure

/// One instant query in PromQL for what all nodes did for jobs of a profile within the last
/// `window_seconds`: three series a node, whatever replicas of the operator counted it.
/// Where scrapes give targets a label `node` of their own, Prometheus calls ours `exported_node`.
/// (scheduling::RecencyWindows: sums of rises over nested windows. increase() takes a counter that
/// began anew for what it is, and a series that ended weeks ago still tells its rises.)
[[nodiscard]] std::string RateQuery(const ProfileKey& key, std::int64_t window_seconds);

/// Bytes and series of an answer: three for each of the pairs of node and profile that operators
/// keep, and some to spare.
inline constexpr std::size_t kMaxAnswerBytes = 1U << 20;
inline constexpr std::size_t kMaxAnswerSeries = 8192;

/// Reads the answer of Prometheus' HTTP API (/api/v1/query) to RateQuery() over that window.
/// Whatever the text is, it is judged, and numbers that cannot be are left to
/// scheduling::BlendRates to find. Errors: kUnavailable, one line that says what is wrong with it.
[[nodiscard]] Result<std::map<std::string, scheduling::RateSample>> ReadRateAnswer(
    const std::string& body, std::int64_t window_seconds);

/// Whether the text answers /api/v1/status/buildinfo as a Prometheus does.
[[nodiscard]] bool IsBuildInfo(const std::string& body);

/// How to reach a Prometheus.
struct PrometheusAddress {
  std::string url;         ///< "http://prometheus.monitoring.svc:9090", a path may follow
  std::string token_file;  ///< shown as bearer token, over https only; empty: none
  std::string ca_file;     ///< whom to trust, PEM; needed for https
};

struct PrometheusOptions {
  Duration timeout = std::chrono::seconds(2);  ///< of any question
  std::int64_t window_seconds = 7 * 86400;     ///< that is looked back, at least 64
};

/// The HTTP API of one Prometheus, or of what speaks like it. Thread-safe; calls block for the
/// timeout at most.
class Prometheus {
 public:
  /// `url` stands in messages.
  Prometheus(std::string url, std::unique_ptr<kube::Transport> transport,
             const PrometheusOptions& options)
      : url_(std::move(url)), transport_(std::move(transport)), options_(options) {}

  /// Reads the files and connects nothing yet. `clock` must outlive it. Errors: kInvalidInput, one
  /// line.
  [[nodiscard]] static Result<std::shared_ptr<Prometheus>> Make(const PrometheusAddress& address,
                                                                const PrometheusOptions& options,
                                                                const Clock& clock);

  /// Queries the work that each node did for jobs of the profile.
  [[nodiscard]] plan::HistoryAnswer Ask(const ProfileKey& key) const;
  /// Whether a Prometheus answers there.
  [[nodiscard]] bool IsThere() const;
  [[nodiscard]] const std::string& Url() const { return url_; }

 private:
  const std::string url_;
  const std::unique_ptr<kube::Transport> transport_;
  const PrometheusOptions options_;
};

/// Addresses at which the usual ways to install it put a Prometheus (kube-prometheus-stack,
/// kube-prometheus, the Prometheus Operator, prometheus-community's chart, Rancher's for k3s): each
/// of their Services in each of `namespaces`, or in the usual ones if the list is empty.
[[nodiscard]] std::vector<std::string> UsualPrometheusUrls(
    const std::vector<std::string>& namespaces);

/// Looks for a Prometheus by asking at addresses, on a thread of its own, again and again until one
/// answers; and watches whether that one stays. Thread-safe, but Start() and Stop() are for one
/// owner.
class PrometheusFinder {
 public:
  using Candidates = std::vector<std::shared_ptr<const Prometheus>>;

  explicit PrometheusFinder(Candidates candidates) : candidates_(std::move(candidates)) {}
  PrometheusFinder(const PrometheusFinder&) = delete;
  PrometheusFinder& operator=(const PrometheusFinder&) = delete;
  ~PrometheusFinder() { Stop(); }

  void Start();
  /// Waits for a question under way, for its timeout at most.
  void Stop();

  /// The one that answers; null as long as none does. Never blocks for long.
  [[nodiscard]] std::shared_ptr<const Prometheus> Found() const;

  /// One look. Returns after how long the next one is due. Start() has a thread do this.
  Duration Look(const std::stop_token& stop = {});

 private:
  void Run(const std::stop_token& stop);
  void Set(std::shared_ptr<const Prometheus> found);

  const Candidates candidates_;
  int silent_ = 0;   // looks in a row at which what was found did not answer
  int in_vain_ = 0;  // looks in a row at which nothing was found
  mutable std::mutex mutex_;
  std::condition_variable_any woken_;
  std::shared_ptr<const Prometheus> found_;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace evenkeel::controller
