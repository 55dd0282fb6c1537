#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "operator/history/prometheus.h"
#include "operator/history/rate_history.h"

namespace evenkeel::operating {

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

}  // namespace evenkeel::operating
