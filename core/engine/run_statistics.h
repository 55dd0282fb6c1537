#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"
#include "core/engine/eta_spread.h"
#include "core/engine/progress.h"
#include "core/model/cost_model.h"
#include "core/model/run_record.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::engine {

/// Statistics of a run: figures of each node, messages, moves, wasted time, predictions of the
/// end, and the events of the timeline. Decides nothing. Times of its results are on the job's own
/// time line. Not thread-safe.
class RunStatistics {
 public:
  using WorkerId = scheduling::WorkerId;

  /// `active_before`: length of the job's time line before this start.
  explicit RunStatistics(Duration active_before)
      : active_before_(active_before), last_durable_(active_before) {}

  /// The time line of this start begins then.
  void Start(Instant start) { start_ = start; }
  [[nodiscard]] Instant StartTime() const { return start_; }
  [[nodiscard]] Duration JobTime(Instant at) const { return active_before_ + (at - start_); }

  void AddNode(const std::string& name, double ratio, const std::optional<model::NodePower>& power);
  [[nodiscard]] NodeProgress& Node(WorkerId worker) { return nodes_[worker.value].figures; }
  [[nodiscard]] const NodeProgress& Node(WorkerId worker) const {
    return nodes_[worker.value].figures;
  }

  // Counters.
  void CountMessage() { ++messages_; }
  void CountCopy() { ++moves_.copies; }
  void CountFailedRecall() { ++recalls_failed_; }
  /// An attempt of a task failed on that node. `reason` may contain any bytes.
  void CountFailedAttempt(model::TaskIndex index, const std::string& node, std::string_view reason,
                          bool out_of_memory);
  /// Moves of leased tasks that the worker gave back.
  [[nodiscard]] std::int64_t LeasedMovesFrom(WorkerId worker) const {
    return nodes_[worker.value].leased_moves;
  }
  /// Tasks of that cost ran on the worker for so long, over all threads, whether they counted or
  /// not.
  void AddRun(WorkerId worker, model::Cost cost, double busy_seconds);
  void AddWasted(double seconds) { wasted_seconds_ += seconds; }
  void NoteTaskStarted(Instant started);
  /// Tasks of that cost were completed before this start.
  void RestoreCompleted(model::Cost cost) { completed_cost_ += cost; }
  /// Tasks with a result that counts, of the given cost, the last of which ended at `ended`.
  void AddCompleted(WorkerId worker, std::int64_t tasks, model::Cost cost, Duration ended);
  /// The results of all of the worker's tasks do not count any more; their cost, including that of
  /// earlier starts, is `cost`.
  void Revoke(WorkerId worker, model::Cost cost);
  /// Cost of all tasks with a result that counts.
  [[nodiscard]] model::Cost CompletedCost() const { return completed_cost_; }
  /// Predicts when the worker will have done what was planned for it, once a tenth of it is done.
  /// `planned`: cost of these tasks; 0 if nothing was planned. `rate`: units per second.
  void PredictShareEnd(WorkerId worker, model::Cost planned, double rate, Instant now);
  /// Results have become durable; `at` is on the job's time line.
  void NoteDurable(Duration at);

  // Events of the timeline.
  void RecordNodeEvent(model::TimelineEvent::Kind kind, WorkerId worker, Instant at,
                       const std::string& detail);
  /// A move of a reserved range, inside of the coordinator.
  void RecordReservedMove(WorkerId from, WorkerId to, std::int64_t tasks, Instant at);
  /// The worker gave back leased tasks, for `to` if that is known.
  void RecordLeasedMove(WorkerId from, std::optional<WorkerId> to, std::int64_t tasks, Instant at);
  /// A prediction is due: predictions are recorded at most once in a sixty-fourth of the time so
  /// far.
  [[nodiscard]] bool PredictionDue(Instant now) const;
  void RecordPrediction(Instant now, Duration left, Duration sigma);
  /// How far predictions of the end have wandered, relative to the time left.
  [[nodiscard]] double PredictionVariance() const { return eta_spread_.RelativeVariance(); }
  /// The events since the last call.
  [[nodiscard]] std::vector<model::TimelineEvent> TakeEvents();

  /// The figures so far; the caller adds what it owns: states of tasks and of connections.
  [[nodiscard]] Progress Snapshot(Instant now) const;

 private:
  struct NodeFigures {
    NodeProgress figures;
    double run_cost = 0;
    double run_seconds = 0;
    std::int64_t leased_moves = 0;
  };

  Duration active_before_;
  Instant start_{};
  std::vector<NodeFigures> nodes_;
  std::vector<model::TimelineEvent> events_;
  model::Cost completed_cost_ = 0;
  std::optional<Instant> first_task_;
  Duration last_durable_;
  Duration prediction_recorded_{};
  EtaSpread eta_spread_;
  std::int64_t messages_ = 0;
  double wasted_seconds_ = 0;
  model::MoveCounts moves_;
  std::int64_t recalls_failed_ = 0;
  model::FailedAttempts failed_attempts_;
};

}  // namespace evenkeel::engine
