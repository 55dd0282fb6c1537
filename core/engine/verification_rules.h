#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/range_set.h"
#include "core/model/run_record.h"

namespace evenkeel::engine {

/// A cryptographic digest of the part of a result that is the same in all correct results of a
/// task. A wrong result has another digest.
using ResultDigest = std::array<std::uint8_t, 32>;

/// Which tasks are verified and how results are compared. Both functions always give the same
/// answer.
struct VerificationRules {
  /// Whether the task is drawn. Workers must not be able to predict it.
  std::function<bool(model::TaskIndex)> draws;
  std::function<ResultDigest(std::string_view result)> digest_of;
};

/// The durable result of a drawn task, from the journal.
struct DrawnResult {
  model::TaskIndex index = 0;
  std::string node;
  ResultDigest digest{};
  std::string second{};  ///< the node that confirmed it; empty if none has
};

/// The state of the verification when the coordinator starts, from the journal.
struct VerifiedSoFar {
  std::map<std::string, model::RangeSet> results;  ///< of each node
  std::vector<DrawnResult> drawn;
  std::vector<model::ExclusionRecord> exclusions;
};

}  // namespace evenkeel::engine
