#include "core/engine/commit_queue.h"

#include <utility>

namespace evenkeel::engine {

void CommitQueue::Add(Commit commit) {
  const BatchId batch{next_batch_++};
  parts_.outbox.Add(
      Persist{batch, std::exchange(commit.results, {}), std::exchange(commit.failures, {}),
              std::exchange(commit.confirmations, {}), std::exchange(commit.exclusions, {})});
  commits_.emplace(batch, std::move(commit));
}

void CommitQueue::Revoke(scheduling::WorkerId worker) {
  for (auto& [batch, commit] : commits_) {
    if (commit.worker != worker) continue;
    commit.completed.clear();
    commit.batch.completed = 0;
    commit.batch.wanted = 0;
  }
}

void CommitQueue::OnDurable(BatchId batch, Instant now) {
  while (!commits_.empty() && commits_.begin()->first <= batch) {
    Commit commit = std::move(commits_.begin()->second);
    commits_.erase(commits_.begin());
    for (const model::IndexRange range : commit.completed) parts_.ledger.MarkDurable(range);
    parts_.completion.AddDurable(commit.batch);
    const bool settled = commit.batch.completed + commit.batch.failed > 0;
    parts_.statistics.NoteDurable(settled ? parts_.statistics.JobTime(now) : commit.ended);
    const Member& member = parts_.membership.At(commit.worker);
    if (member.stream != commit.stream) continue;  // it reports again on its next stream
    parts_.outbox.Send(commit.stream,
                       Acknowledge{std::move(commit.reported), member.reports_received});
  }
}

}  // namespace evenkeel::engine
