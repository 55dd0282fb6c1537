#include "core/engine/node_exclusion.h"

#include <utility>

namespace evenkeel::engine {

using model::IndexRange;
using scheduling::WorkerId;

void NodeExclusion::ExcludeFound(Instant now) {
  for (const auto& finding : parts_.verification.TakeFindings()) Exclude(finding, now);
}

void NodeExclusion::Exclude(const ResultVerification::Finding& finding, Instant now) {
  // A node that only took part in an earlier start gets an entry like one that was lost.
  auto worker = parts_.membership.Find(finding.node);
  if (!worker) {
    worker = parts_.lifecycle.AddNode({finding.node, 0}, now);
    parts_.driver.AddWorker(*worker, 0, now);
  }
  parts_.membership.Exclude(finding.node, finding.reason);
  parts_.lifecycle.Lose(*worker, finding.reason, /*in_good_order=*/true, now);
  parts_.commits.Revoke(*worker);
  const model::RangeSet results = parts_.verification.Exclude(finding.node);
  Revoke(*worker, results, now);

  Commit commit;
  commit.worker = *worker;
  commit.exclusions.push_back({finding.node, finding.index, finding.reason, results.Size()});
  parts_.verification.NoteExclusion(commit.exclusions.back());
  parts_.commits.Add(std::move(commit));
  parts_.statistics.RecordNodeEvent(model::TimelineEvent::Kind::kExcluded, *worker, now,
                                    finding.reason);
}

void NodeExclusion::Revoke(WorkerId worker, const model::RangeSet& results, Instant now) {
  std::vector<IndexRange> durable;
  model::Cost cost = 0;
  results.ForEach([&](IndexRange range) {
    cost += parts_.costs.Of(range);
    parts_.ledger.ForEachState(range, [&](IndexRange part, TaskState state) {
      if (state == TaskState::kDurable) durable.push_back(part);
    });
  });
  for (const IndexRange range : durable) parts_.completion.Revoke(range);
  parts_.statistics.Revoke(worker, cost);
  results.ForEach([&](IndexRange range) {
    parts_.ledger.Revoke(range);
    parts_.driver.Return(worker, range, scheduling::TaskOrigin::kLost, now);
  });
}

}  // namespace evenkeel::engine
