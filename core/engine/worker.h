#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/engine/grant_queue.h"
#include "core/engine/messages.h"
#include "core/engine/result_outbox.h"
#include "core/engine/worker_lease.h"
#include "core/model/data_transfer.h"
#include "core/model/range_set.h"
#include "core/model/task_failure.h"
#include "core/model/task_inputs.h"

namespace evenkeel::engine {

struct WorkerConfig {
  std::string node;
  std::string incarnation;  ///< random, new with each process
  std::uint32_t threads = 1;
  std::string workload;
  std::uint32_t workload_version = 1;
  std::string token;
  double ratio = 0;                    ///< weight of the node, for Hello; 0: unknown
  std::string boot_id;                 ///< as Hello::boot_id
  std::int64_t task_memory_bytes = 0;  ///< as Hello::task_memory_bytes
  /// How long a batch of short tasks should last.
  Duration batch = std::chrono::milliseconds(4);
  /// A batch of several tasks that lasts so long is cut: the tasks not started return to the queue.
  Duration cut_after = std::chrono::milliseconds(16);
  /// Results kept until they are acknowledged; beyond it nothing new is started.
  std::int64_t max_unacknowledged_bytes = 64 << 20;
};

/// Tasks for one thread, to be run in order.
struct Batch {
  model::IndexRange range;
  bool copy = false;
  std::int32_t attempt = 0;    ///< how often each of these has failed before
  model::TaskInputs inputs{};  ///< of these and perhaps of more tasks
  /// One run of the user's program does all of them: either all have results, or none.
  bool as_one_run = false;
};

/// A task that a worker runs or is about to run.
struct HeldTask {
  model::TaskIndex index = 0;
  std::string input;  ///< as TaskInputs::Of
  bool waits = false;

  friend bool operator==(const HeldTask&, const HeldTask&) = default;
};

/// Outcome of a batch: the tasks of its front part are done; the next one may have failed; the rest
/// did not run.
struct BatchOutcome {
  model::PackedResults results;  ///< one per task of the front part
  Instant started{};
  Instant ended{};
  Duration busy{};    ///< of the front part
  Duration waited{};  ///< the part of it spent waiting for data
  model::DataTransfer
      transfer{};  ///< data that came to the worker and count since the last results
  std::optional<model::TaskFailure> failure;  ///< why the task after the front part failed
  Duration failure_busy{};
  /// Output of a task that was stopped; kept if it was stopped for its time limit.
  std::string stopped_record{};
  /// Why the task after the front part cannot start, nor any other; empty: it can.
  std::string unable{};
};

/// The worker as a state machine without I/O or threads: a queue of leased tasks, batches for its
/// threads, reports, and results kept until they are durable. Not thread-safe: the process guards
/// it with one mutex. `now` never decreases.
class Worker {
 public:
  struct SendToCoordinator {
    ToCoordinator message;
  };
  /// Ask the thread to stop its batch; OnBatchDone follows nevertheless.
  struct StopBatch {
    std::uint32_t thread;
  };
  /// Take tasks that were not started from the end of the thread's batch, up to `max_tasks`, then
  /// call OnBatchCut. The task that runs goes on.
  struct CutBatch {
    std::uint32_t thread;
    std::int64_t max_tasks;
  };
  /// Idle threads may find work now.
  struct WorkAvailable {};
  /// The worker has ended; `refused` if the coordinator did not accept it.
  struct End {
    std::string reason;
    bool refused = false;
  };
  /// No task can run here any more: the process must drain and log the reason.
  struct Unable {
    std::string reason;
  };
  using Effect = std::variant<SendToCoordinator, StopBatch, CutBatch, WorkAvailable, End, Unable>;
  using Effects = std::vector<Effect>;

  static constexpr std::size_t kMaxHeldTasks = 1024;

  explicit Worker(WorkerConfig config);

  /// A stream is open: the Hello to be sent first. Called again after each reconnect.
  [[nodiscard]] Hello OnConnected(Instant now);
  void OnDisconnected(Instant now);
  [[nodiscard]] Effects OnMessage(ToWorker message, Instant now);

  /// The next batch for an idle thread (0..threads-1), or nothing: wait for WorkAvailable.
  [[nodiscard]] std::optional<Batch> Take(std::uint32_t thread, Instant now);
  [[nodiscard]] Effects OnBatchDone(std::uint32_t thread, BatchOutcome outcome, Instant now);
  /// Follows CutBatch, before anything else of this thread: `unstarted` is the end of its batch and
  /// will not be started there, perhaps empty.
  [[nodiscard]] Effects OnBatchCut(std::uint32_t thread, model::IndexRange unstarted, Instant now);
  /// The tasks of the batches that run, and behind them the first `waiting` ones of the queue, in
  /// the order in which they start; at most kMaxHeldTasks.
  [[nodiscard]] std::vector<HeldTask> HeldTasks(std::int64_t waiting) const;
  /// Whether a batch is one run of a program: then the process says how far each has come.
  [[nodiscard]] bool RunsWholeGrants() const { return welcome_ && welcome_->runs_whole_grants; }
  /// The first task of the thread's batch that its run has not reported as done.
  void NoteProgress(std::uint32_t thread, model::TaskIndex next);
  /// To be called at NextTimer() at the latest.
  [[nodiscard]] Effects OnTimer(Instant now);
  [[nodiscard]] Instant NextTimer() const;
  /// Stop in good order (SIGTERM): the running tasks end, the rest goes back, then Goodbye and End.
  [[nodiscard]] Effects OnDrain(Instant now);

 private:
  /// The batch of one thread.
  struct Slot {
    Batch batch;
    GrantId grant;
    Instant started;       // of the batch
    Instant task_started;  // of its only task, or of its last one after a cut, at the latest
    bool busy = false;
    bool cut = false;
    bool stopped = false;
    bool timed_out = false;
    bool lease_over = false;  // stopped for that: the rest goes back to the coordinator
    bool outdated = false;    // granted in an earlier epoch: the rest does not go back
    // The following are of a batch that is one run.
    model::RangeSet cancelled{};         // tasks that others have done, while the run goes on
    model::TaskIndex next = 0;           // not reported as done
    std::optional<GiveBack> recalled{};  // the answer that lacks the tasks being cut off
  };

  void Accept(const Welcome& welcome, Effects& effects);
  void Accept(Assign assign, Effects& effects);
  void Accept(const Recall& recall, Instant now, Effects& effects);
  void Accept(const Acknowledge& acknowledged, Effects& effects);
  void Accept(const Cancel& cancel, Effects& effects);

  void KeepResults(const Slot& slot, BatchOutcome outcome);
  void ReturnRest(const Slot& slot, model::TaskIndex next, Effects& effects);
  void Stop(std::uint32_t thread, Effects& effects);
  void CutLongBatches(Instant now, Effects& effects);
  void StopTimedOut(Instant now, Effects& effects);
  void StopWithoutLease(Instant now, Effects& effects);
  [[nodiscard]] static bool CanBeCut(const Slot& slot);
  /// How long the slot's task may take, or its batch if that is one run.
  [[nodiscard]] Duration TimeLimit(const Slot& slot) const;
  /// A run of several tasks failed, or was stopped for its time limit. If it reported tasks as
  /// done, the task behind these runs alone next; else it shows when the halves run which one
  /// fails.
  void PutBackParts(const Slot& slot, model::TaskIndex next, Effects& effects);
  /// The run with the most tasks that it has not begun, if there are any to be recalled.
  [[nodiscard]] std::optional<std::uint32_t> LongestRun() const;
  void NoteStamp(const ToWorker& message, Instant now);
  /// The latest stamp, if it was not sent back yet.
  [[nodiscard]] StampEcho TakeEcho(Instant now);
  void ReportIfDue(Instant now, Effects& effects);
  void SendReports(Instant now, Effects& effects);
  /// Tasks that run for half a report interval or more.
  [[nodiscard]] std::vector<RunningTask> LongRunning(Instant now) const;
  void EndIfDrained(Instant now, Effects& effects);
  [[nodiscard]] std::int64_t BatchTasks() const;
  [[nodiscard]] bool ResultsFull() const;
  [[nodiscard]] bool NeedsTasks() const;

  WorkerConfig config_;
  std::optional<Welcome> welcome_;
  std::uint64_t epoch_ = 0;
  bool connected_ = false;
  bool draining_ = false;
  bool ended_ = false;
  GrantQueue queue_;
  std::int64_t window_tasks_ = 0;  // in the queue when it was last filled or reported on
  std::vector<Slot> slots_;        // one per thread
  ResultOutbox outbox_;
  WorkerLease lease_;
  double task_seconds_ = 0;  // recent mean of one task; 0 while unknown
  Instant last_report_{};
  bool progressed_ = false;   // a run, since then
  Instant progress_noted_{};  // when the process last had to say how far the runs are
  ClockStamp stamp_{};        // the latest one on this stream; 0: sent back
  Instant stamp_received_{};
};

}  // namespace evenkeel::engine
