#pragma once

#include <map>
#include <string>

#include "core/scheduling/history/blended_rates.h"

namespace evenkeel::plan {

/// What came of asking how fast nodes were in earlier jobs of a profile.
struct HistoryAnswer {
  enum class Kind {
    kSamples,      ///< an answer, perhaps of no node at all
    kUnreachable,  ///< none in time
    kInvalid,      ///< one that makes no sense
  };
  Kind kind = Kind::kSamples;
  std::map<std::string, scheduling::RateSample> samples;  ///< by node
  std::string trouble;                                    ///< one line, unless there are samples
};

}  // namespace evenkeel::plan
