#include "coordinator/run_snapshots.h"

#include <utility>

namespace evenkeel::coordinator {

/// Reads a journal until the snapshots are closed.
class RunSnapshots::Reader final : public JournalReader {
 public:
  Reader(const RunSnapshots& snapshots, const Journal& journal)
      : snapshots_(snapshots), journal_(journal) {}

  Result<void> ForEachResult(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const override {
    return journal_.ForEachResult(WhileOpen(visit));
  }
  Result<void> ForEachRange(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const override {
    return journal_.ForEachRange(WhileOpen(visit));
  }
  Result<void> ForEachFinalFailure(
      const std::function<Result<void>(const model::FailureRecord&)>& visit) const override {
    return journal_.ForEachFinalFailure(WhileOpen(visit));
  }
  Result<void> ForEachEvent(
      const std::function<Result<void>(const model::TimelineEvent&)>& visit) const override {
    return journal_.ForEachEvent(WhileOpen(visit));
  }

 private:
  template <typename Record>
  [[nodiscard]] std::function<Result<void>(const Record&)> WhileOpen(
      const std::function<Result<void>(const Record&)>& visit) const {
    return [this, &visit](const Record& record) -> Result<void> {
      if (!snapshots_.IsOpen()) return Fail(ErrorCode::kUnavailable, "the run has ended");
      return visit(record);
    };
  }

  const RunSnapshots& snapshots_;
  const Journal& journal_;
};

void RunSnapshots::Open(Run run) {
  auto opened = std::make_shared<const Run>(std::move(run));
  const std::lock_guard lock(mutex_);
  run_ = std::move(opened);
  progress_.reset();
}

void RunSnapshots::SetVersion(SharedJobVersion version) {
  const std::lock_guard lock(mutex_);
  if (!run_) return;
  Run next = *run_;
  next.outcome.version = std::move(version);
  next.outcome.tasks = DescribeTasks(next.outcome.version->spec());
  run_ = std::make_shared<const Run>(std::move(next));
}

void RunSnapshots::SetProgress(const engine::Progress& progress) {
  auto next = std::make_shared<const engine::Progress>(progress);
  const std::lock_guard lock(mutex_);
  progress_.swap(next);
}

void RunSnapshots::Close() {
  std::unique_lock lock(mutex_);
  run_.reset();
  left_.wait(lock, [this] { return readers_ == 0; });
}

bool RunSnapshots::IsOpen() const {
  const std::lock_guard lock(mutex_);
  return run_ != nullptr;
}

Result<void> RunSnapshots::WithSnapshot(const Visit& visit) const {
  std::shared_ptr<const Run> run;
  RunEnd so_far;
  {
    const std::lock_guard lock(mutex_);
    if (!run_ || !progress_) {
      return Fail(ErrorCode::kUnavailable, "the run has just begun or ended; ask again");
    }
    run = run_;
    so_far.progress = *progress_;
    ++readers_;
  }
  so_far.traffic = run->traffic();
  const auto summary = SumUp(run->outcome, so_far, run->earlier, run->journal->State().epoch, 0);
  const auto visited = visit({Reader(*this, *run->journal), summary, so_far.progress});
  run.reset();
  const std::lock_guard lock(mutex_);
  --readers_;
  left_.notify_all();
  return visited;
}

}  // namespace evenkeel::coordinator
