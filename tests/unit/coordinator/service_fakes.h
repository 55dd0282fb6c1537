#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/live/snapshot_source.h"
#include "coordinator/service/job_control.h"
#include "core/base/clock.h"
#include "http/http_message.h"
#include "tests/unit/coordinator/empty_journal.h"

namespace evenkeel::coordinator {

inline http::HttpRequest Get(std::string target, std::string authorization = "") {
  return {"GET", std::move(target), std::move(authorization)};
}

/// Returns the values that the test sets.
class FakeControl final : public JobControl {
 public:
  void Suspend() override {
    ++suspends;
    to_be_suspended = true;
  }
  void Resume() override {
    ++resumes;
    to_be_suspended = false;
  }
  [[nodiscard]] bool IsToBeSuspended() const override { return to_be_suspended; }
  void ReportContainerEnds(engine::ContainerEnds ends, std::string digest) override {
    container_ends = std::move(ends);
    container_ends_digest = std::move(digest);
  }
  [[nodiscard]] std::string ContainerEndsDigest() const override { return container_ends_digest; }
  Result<std::string> Snapshot() override {
    if (error) return tl::unexpected(*error);
    return std::string("packed");
  }

  std::optional<Error> error;
  bool to_be_suspended = false;
  std::optional<engine::ContainerEnds> container_ends;
  std::string container_ends_digest;
  int suspends = 0;
  int resumes = 0;
};

/// A run with one range of results and one event.
class FakeRun final : public SnapshotSource, public EmptyJournal {
 public:
  Result<void> WithSnapshot(const Visit& visit) const override {
    ++looks;
    if (over) return Fail(ErrorCode::kUnavailable, "nothing runs");
    model::RunSummary summary;
    summary.job = "primes";
    summary.tasks_total = 10;
    summary.nodes.emplace_back().name = "pi4a";
    engine::Progress progress;
    progress.tasks_total = 10;
    progress.elapsed = elapsed;
    progress.nodes.emplace_back().name = "pi4a";
    progress.nodes.back().threads = 2;
    progress.nodes.back().connected = true;
    progress.nodes.back().runs_alone = runs_alone;
    summary.nodes.back().slots = slots;
    summary.nodes.back().ranges = ranges;
    return visit({*this, summary, progress});
  }

  Result<void> ForEachRange(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const override {
    ++readings;
    model::ResultRecord record;
    record.range = {0, 3};
    record.node = "pi4a";
    record.ended = record.busy = std::chrono::seconds(2);
    return visit(record);
  }
  Result<void> ForEachEvent(
      const std::function<Result<void>(const model::TimelineEvent&)>& visit) const override {
    model::TimelineEvent event;
    event.kind = model::TimelineEvent::Kind::kJoined;
    event.node = "pi4a";
    return visit(event);
  }

  bool over = false;
  bool runs_alone = false;
  std::optional<model::NodeSlots> slots{};
  std::optional<model::RangeStatistics> ranges{};
  Duration elapsed = std::chrono::seconds(3);
  mutable int looks = 0;
  mutable int readings = 0;  // of the journal's ranges
};

/// A clock that the test advances.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] Instant Now() const override { return now; }
  Instant now{std::chrono::seconds(100)};
};

}  // namespace evenkeel::coordinator
