#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/live/snapshot_source.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/engine/progress.h"
#include "core/model/range_set.h"
#include "core/model/run_record.h"
#include "report/live_timeline.h"

namespace evenkeel::coordinator {

/// The nodes of a run as the live page's table has them, and when each row changed last. A row has
/// the number of the node's lane. Not thread-safe.
class LiveRows {
 public:
  /// Replaces the rows. `timeline` numbers the nodes and receives their numbers of threads.
  void Update(const model::RunSummary& summary, const engine::Progress& progress,
              report::LiveTimeline& timeline);

  /// A JSON list of the rows that changed after `since`, in two parts each of which may be null:
  ///
  ///   [[number, [name, weight, ratio, share, threads, declared speed or null, slot limit],
  ///     [state, completed, stolen in, stolen out, busy seconds, rate, last end,
  ///      predicted end, [startup seconds, seconds per task, running, cuttable, cut]]], ...]
  ///
  /// `state` is b: has tasks, i: has none, o: runs tasks alone, a: is not there, l: lost. The
  /// predicted end is that of its planned share at its present rate if nothing were moved; 0 if not
  /// known. The slot limit, perhaps empty, is there if the job says what a task needs, and the list
  /// of ranges if runs do ranges; their members are those of RangeStatistics.
  [[nodiscard]] std::string Json(report::Mark since) const;

 private:
  struct Part {
    std::string text;
    report::Mark changed = 0;
  };
  struct Row {
    Part fixed;
    Part now;
  };

  std::vector<Row> rows_;
};

/// How a job stands, also before and after its run.
struct LiveState {
  std::string job;
  std::string state;   ///< "Running", "Complete", "Blocked", ...
  std::string reason;  ///< one line, or empty
  bool over = false;   ///< report.html is that of the end
};

/// Collects a run's records and events for the live page. Without readers it keeps nothing, and
/// each call costs one atomic load. The first request starts to collect; the next one, a second
/// later, reads earlier records from the journal; 30 seconds after the last request everything is
/// dropped. Memory is bounded (1.5 MiB of cells and some hundred bytes per node) for any number of
/// readers. CPU time is bounded, too: each answer says when to ask again, so that all readers
/// together take at most a twentieth of a core. Thread-safe.
class LiveFeed {
 public:
  static constexpr Duration kForgetAfter = std::chrono::seconds(30);

  /// `clock` must outlive this.
  explicit LiveFeed(const Clock& clock) : clock_(clock) {}

  // From the thread of the run.
  void OnCounted(const model::ResultRecord& record);
  void OnEvent(const model::TimelineEvent& event);
  /// To be called now and then.
  void OnTick();
  /// Another run begins, on what the journal has.
  void Forget();

  /// Whether there was a request in the last 30 seconds.
  [[nodiscard]] bool Watched() const { return watched_; }

  /// The answer to a reader who has what the answer with `"at": since` and those before it said;
  /// empty: who has nothing. docs/live-page.md has its fields. kUnavailable: too many ask too
  /// often; the others are those of the journal.
  [[nodiscard]] Result<std::string> Answer(const SnapshotSource& snapshots, const LiveState& state,
                                           std::string_view since);

 private:
  /// Collected while there are requests.
  struct Kept {
    Instant since{};  ///< also tells it from what was kept before
    bool caught_up = false;
    report::LiveTimeline timeline;
    LiveRows rows;
    model::RangeSet received;  ///< ranges not to be taken from the journal; until it has been read
    Duration events_until = Duration::min();  ///< start of the latest event in the journal then
  };

  Result<void> WriteRun(const RunSnapshot& run, std::string_view since, std::string& out);
  Result<void> CatchUp(const JournalReader& journal);

  const Clock& clock_;
  std::atomic<bool> watched_{false};

  std::mutex answer_mutex_;  // one answer at a time; outermost
  Instant free_at_{};        // when the time that answers took is made up for

  std::mutex mutex_;  // guards what follows
  Instant last_look_{};
  std::optional<Kept> kept_;
};

}  // namespace evenkeel::coordinator
