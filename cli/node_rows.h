#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal.h"

namespace evenkeel::cli {

/// A node's part in a job, as a line of a table.
struct NodeRow {
  std::string name;
  double weight = 0;        ///< relative to the lightest node
  double share = 0;         ///< of all work, as first planned; 0..1
  std::int64_t done = 0;    ///< tasks
  std::int64_t stolen = 0;  ///< tasks done that were planned elsewhere
  double rate = 0;          ///< work units per second; 0: not known
  std::string state;        ///< a word
};

/// A job's progress, as the two lines above the table.
struct JobHead {
  std::string name;
  double done_ratio = 0;  ///< 0..1
  std::string eta;        ///< "ETA 2:07 ± 0.3 s", "done"
  std::int64_t tasks_completed = 0;
  std::int64_t tasks_total = 0;
  std::int64_t tasks_failed = 0;
  std::string elapsed;  ///< "12.3 s"; empty: not known
};

/// The lines of both for a terminal of that size: so many of the nodes as fit, the others summed
/// up, never as many lines as it has, because the cursor cannot go up beyond its top.
[[nodiscard]] std::vector<std::string> JobLines(const JobHead& head,
                                                const std::vector<NodeRow>& nodes,
                                                TerminalSize size);

}  // namespace evenkeel::cli
