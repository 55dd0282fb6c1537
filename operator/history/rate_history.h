#pragma once

#include <string>

#include "operator/plan/history_answer.h"

namespace evenkeel::operating {

/// Whom to ask what earlier jobs have shown. Thread-safe.
class RateHistory {
 public:
  virtual ~RateHistory() = default;
  /// Whether there is somebody to ask. Never blocks.
  [[nodiscard]] virtual bool IsThere() const = 0;
  /// What each node did for jobs of the profile. Blocks for a bounded time.
  [[nodiscard]] virtual plan::HistoryAnswer Ask(const std::string& profile) = 0;
};

}  // namespace evenkeel::operating
