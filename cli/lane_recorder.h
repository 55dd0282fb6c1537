#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/timeline_digest.h"
#include "simulator/scenario_run.h"

namespace evenkeel::cli {

/// The timeline of one simulated run, in bounded memory, and what the page orders its nodes by.
/// Not thread-safe.
class LaneRecorder {
 public:
  struct NodeFigures {
    Duration last_end{};
    std::int64_t stolen_out = 0;  ///< tasks that moved away
  };

  /// A lane each, in this order.
  explicit LaneRecorder(const std::vector<std::string>& nodes) : digest_(nodes) {}

  /// Outlived by this object.
  [[nodiscard]] simulator::Recorder Recorder();
  void Add(const report::TimelineEntry& entry);

  [[nodiscard]] report::TimelineDigest& Digest() { return digest_; }
  [[nodiscard]] NodeFigures Of(const std::string& node) const;

 private:
  report::TimelineDigest digest_;
  std::map<std::string, NodeFigures> figures_;
};

}  // namespace evenkeel::cli
