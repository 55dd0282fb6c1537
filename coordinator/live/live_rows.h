#pragma once

#include <string>
#include <vector>

#include "core/engine/progress.h"
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
  ///   [[number, [name, weight, ratio, share, threads, declared speed or null],
  ///     [state, completed, stolen in, stolen out, busy seconds, rate, last end,
  ///      predicted end]], ...]
  ///
  /// `state` is b: has tasks, i: has none, a: is not there, l: lost. The predicted end is that of
  /// its planned share at its present rate if nothing were moved; 0 if not known.
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

}  // namespace evenkeel::coordinator
