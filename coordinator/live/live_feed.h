#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "coordinator/live/live_rows.h"
#include "coordinator/live/run_look.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/model/range_set.h"
#include "report/live_timeline.h"

namespace evenkeel::coordinator {

/// How a job stands, also before and after its run.
struct LiveState {
  std::string job;
  std::string state;   ///< "Running", "Complete", "Blocked", ...
  std::string reason;  ///< one line, or empty
  bool over = false;   ///< report.html is that of the end
};

/// What the live page is told. As long as nobody looks, nothing is kept and being told costs a
/// glance at a flag. The first look begins to keep what happens, the next one a second later reads
/// from the journal what happened before; half a minute after the last one all is forgotten.
/// Memory is bounded (1.5 MiB of cells and some hundred bytes a node), whatever the number of
/// readers; so is the time: readers are told when to come again, so that all of them together take
/// no more than a twentieth of a core. Thread-safe.
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

  /// Whether somebody has looked lately.
  [[nodiscard]] bool Watched() const { return watched_; }

  /// The answer to a reader who has what the answer with `"at": since` and those before it said;
  /// empty: who has nothing. docs/live-page.md has its fields. kUnavailable: too many ask too
  /// often; the others are those of the journal.
  [[nodiscard]] Result<std::string> Answer(const RunLook& look, const LiveState& state,
                                           std::string_view since);

 private:
  /// What is kept while somebody looks.
  struct Kept {
    Instant since{};  ///< also tells it from what was kept before
    bool caught_up = false;
    report::LiveTimeline timeline;
    LiveRows rows;
    model::RangeSet told;  ///< ranges not to be taken from the journal; until it has been read
  };

  Result<void> WriteRun(const RunView& run, std::string_view since, std::string& out);
  Result<void> CatchUp(const Journal& journal);

  const Clock& clock_;
  std::atomic<bool> watched_{false};

  std::mutex answer_mutex_;  // one answer at a time; outermost
  Instant free_at_{};        // when the time that answers took is made up for

  std::mutex mutex_;  // guards what follows
  Instant last_look_{};
  std::optional<Kept> kept_;
};

}  // namespace evenkeel::coordinator
