#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "coordinator/live/live_feed.h"
#include "coordinator/live/snapshot_source.h"
#include "tests/integration/report/sample_cluster.h"
#include "tests/integration/report/sample_run.h"

namespace evenkeel::testing {

/// The sample run in progress, at a time that the test sets. Thread-safe.
class PlayedRun final : public coordinator::SnapshotSource, private coordinator::Journal {
 public:
  /// `feed` receives the events of the run and must outlive this.
  PlayedRun(const SampleOptions& options, coordinator::LiveFeed& feed);

  /// Lets everything happen up to then; time does not go back.
  void MoveTo(Duration now);

  [[nodiscard]] Result<void> WithSnapshot(const Visit& visit) const override;

 private:
  void Take(const model::ResultRecord& record);
  void Take(const model::TimelineEvent& event);
  [[nodiscard]] model::RunSummary SummaryOf(const engine::Progress& progress) const;

  [[nodiscard]] const coordinator::JournalState& State() const override { return state_; }
  Result<void> Append(const coordinator::JournalRecords&) override { return {}; }
  Result<void> Grow(const coordinator::JobIdentity&) override { return {}; }
  Result<void> ForEachResult(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const override {
    return ForEachRange(visit);
  }
  Result<void> ForEachRange(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const override;
  Result<void> ForEachFinalFailure(
      const std::function<Result<void>(const model::FailureRecord&)>&) const override {
    return {};
  }
  Result<void> ForEachEvent(
      const std::function<Result<void>(const model::TimelineEvent&)>& visit) const override;
  [[nodiscard]] Result<std::string> Copy(std::int64_t) const override { return std::string(); }
  Result<void> MarkEnded(model::JobState) override { return {}; }
  [[nodiscard]] Result<coordinator::ReduceHistory> ReadReduce(const std::string&) const override {
    return coordinator::ReduceHistory{};
  }
  Result<void> BeginReduce(const std::string&) override { return {}; }
  Result<void> EndReduce(const std::optional<model::ReduceRecord>&) override { return {}; }
  Result<void> ForgetFailedReduce() override { return {}; }

  const SampleOptions options_;
  coordinator::LiveFeed& feed_;
  const coordinator::JournalState state_{};
  SampleCluster cluster_;
  std::vector<model::ResultRecord> records_;  // by their end
  std::vector<model::TimelineEvent> events_;  // by their start
  std::map<std::string, double> last_end_;    // of each node, in seconds

  std::map<std::string, std::size_t> number_;  // of each node

  mutable std::mutex mutex_;  // guards what follows
  engine::Progress progress_;
  model::Cost cost_done_ = 0;
  std::size_t records_done_ = 0;
  std::size_t events_done_ = 0;
};

}  // namespace evenkeel::testing
