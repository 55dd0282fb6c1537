#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "kubernetes/object.h"
#include "operator/history/prometheus.h"

namespace evenkeel::controller {

/// The rates of nodes in earlier jobs. Thread-safe; no call blocks.
class RateHistory {
 public:
  virtual ~RateHistory() = default;
  /// Whether a source of history is available.
  [[nodiscard]] virtual bool IsThere() const = 0;
  /// The last answer for the profile; nothing if there is none yet: call Request() first.
  [[nodiscard]] virtual std::optional<plan::HistoryAnswer> Find(const ProfileKey& key) const = 0;
  /// Asks for the profile. The job is reported as soon as there is an answer, good or bad.
  virtual void Request(const ProfileKey& key, const kube::ObjectKey& job) = 0;
};

/// How long answers count.
struct HistoryTimes {
  /// Many jobs of a profile that start at once need one query. Not for long: the next job may start
  /// when the last one has just ended.
  Duration fresh = std::chrono::seconds(5);
  /// Time without queries after a failure, for all profiles.
  Duration pause = std::chrono::seconds(30);
};

/// Asks the Prometheus that is known at the time, one query at a time, on a thread of its own. Of
/// one profile at most one query waits. Start() and Stop() are for one owner.
class QueuedHistory final : public RateHistory {
 public:
  /// Null: there is none. Must not block.
  using Where = std::function<std::shared_ptr<const Prometheus>()>;
  using OnAnswer = std::function<void(const kube::ObjectKey& job)>;

  /// `on_answer` is called on the thread of the queue, or within Request(). `clock` must outlive
  /// it.
  QueuedHistory(Where where, const Clock& clock, const HistoryTimes& times, OnAnswer on_answer)
      : where_(std::move(where)), clock_(clock), times_(times), on_answer_(std::move(on_answer)) {}
  ~QueuedHistory() override { Stop(); }

  void Start();
  /// Waits for a query under way, for its timeout at most.
  void Stop();

  [[nodiscard]] bool IsThere() const override { return where_() != nullptr; }
  [[nodiscard]] std::optional<plan::HistoryAnswer> Find(const ProfileKey& key) const override;
  void Request(const ProfileKey& key, const kube::ObjectKey& job) override;
  /// Answers one request that waits; false if none does. Start() has a thread do this.
  bool AnswerOne();

 private:
  struct Entry {
    plan::HistoryAnswer answer;
    Instant until{};
  };
  [[nodiscard]] std::optional<plan::HistoryAnswer> FindLocked(const ProfileKey& key) const;
  void Keep(const ProfileKey& key, const plan::HistoryAnswer& answer);

  const Where where_;
  const Clock& clock_;
  const HistoryTimes times_;
  const OnAnswer on_answer_;
  mutable std::mutex mutex_;
  std::condition_variable_any requested_;
  // All guarded by mutex_.
  std::map<ProfileKey, Entry> answers_;
  std::optional<Entry> failure_;
  std::map<ProfileKey, std::set<kube::ObjectKey>> requests_;  // and the jobs that wait for them

  std::jthread thread_;
};

/// Where the history comes from.
struct HistorySettings {
  PrometheusAddress address;            ///< of the Prometheus; its url may be empty
  bool discover = false;                ///< look for one if there is no url
  std::vector<std::string> namespaces;  ///< where to look; empty: where it usually is
  PrometheusOptions options;
};

/// The history with all that it takes: a Prometheus that is named, one that is found, or none.
class HistorySource {
 public:
  /// Connects nothing yet. `clock` must outlive it. Errors: kInvalidInput, one line.
  [[nodiscard]] static Result<std::unique_ptr<HistorySource>> Make(
      const HistorySettings& settings, const Clock& clock, QueuedHistory::OnAnswer on_answer);
  virtual ~HistorySource() = default;

  virtual void Start() = 0;
  virtual void Stop() = 0;
  [[nodiscard]] virtual RateHistory& History() = 0;
};

}  // namespace evenkeel::controller
