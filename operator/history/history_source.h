#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "operator/history/prometheus.h"

namespace evenkeel::controller {

/// How long answers count.
struct HistoryTimes {
  /// Many jobs of a profile that start at once are one question. Not for long: the next one may
  /// start when the last one has just ended.
  Duration fresh = std::chrono::seconds(1);
  /// After a failure nobody waits for the next one before this time is over, whatever the profile.
  Duration pause = std::chrono::seconds(30);
};

/// Asks the Prometheus that is known at the time, one question at a time. Whoever asks waits for at
/// most two timeouts: somebody else's question, and his own.
class CachedHistory final : public RateHistory {
 public:
  /// Null: there is none. Must not block.
  using Where = std::function<std::shared_ptr<const Prometheus>()>;

  /// `clock` must outlive it.
  CachedHistory(Where where, const Clock& clock, const HistoryTimes& times)
      : where_(std::move(where)), clock_(clock), times_(times) {}

  [[nodiscard]] bool IsThere() const override { return where_() != nullptr; }
  [[nodiscard]] plan::HistoryAnswer Ask(const std::string& profile) override;

 private:
  struct Entry {
    plan::HistoryAnswer answer;
    Instant until{};
  };
  /// What need not be asked for; nothing if it has to be.
  [[nodiscard]] const plan::HistoryAnswer* Known(const std::string& profile) const;

  const Where where_;
  const Clock& clock_;
  const HistoryTimes times_;
  std::mutex mutex_;  // held while somebody asks
  // All guarded by mutex_.
  std::map<std::string, Entry> answers_;
  std::optional<Entry> failure_;
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
  [[nodiscard]] static Result<std::unique_ptr<HistorySource>> Make(const HistorySettings& settings,
                                                                   const Clock& clock);
  virtual ~HistorySource() = default;

  /// Starts looking, if there is something to look for.
  virtual void Start() = 0;
  virtual void Stop() = 0;
  [[nodiscard]] virtual RateHistory& History() = 0;
};

}  // namespace evenkeel::controller
