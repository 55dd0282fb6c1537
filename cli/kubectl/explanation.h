#pragma once

#include <iosfwd>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/kubectl/history_view.h"
#include "cli/kubectl/job_events.h"
#include "cli/kubectl/job_object.h"
#include "core/base/error.h"
#include "core/model/node_profile.h"
#include "core/model/task_facts.h"
#include "core/model/weighting_policy.h"

namespace evenkeel::cli {

/// A node that has no worker of the job, and why.
struct UnusedNode {
  std::string name;
  std::vector<std::string> reasons;
};

/// A job that has to be complete before the explained one starts.
struct AwaitedJob {
  std::string name;
  bool was_complete = false;  ///< it does not matter any more, and may be deleted
  Result<JobObject> job;      ///< read unless it was complete
};

/// All sections of the explanation of a job. A section that could not be read is replaced by its
/// error.
struct Explanation {
  JobObject job;
  std::vector<model::TaskNote> tasks;  ///< what the job says of them
  std::vector<AwaitedJob> awaited;     ///< before it starts
  /// The nodes whose weights are explained: those that the run was planned with, or before that
  /// those that could be.
  Result<std::vector<model::NodeProfile>> nodes;
  Result<model::WeightingPolicy> policy;
  bool planned = false;                  ///< the run has been planned
  std::map<std::string, double> ratios;  ///< by node, as planned
  HistoryView history;
  std::set<std::string> left_out;  ///< nodes that get no work, to save energy
  std::vector<UnusedNode> unused;
  Result<std::vector<JobEvent>> events;
};

/// Writes it in words. `now`: seconds since 1970.
void WriteExplanation(const Explanation& explanation, double now, std::ostream& out);

}  // namespace evenkeel::cli
