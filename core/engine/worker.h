#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/engine/messages.h"
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
  double ratio = 0;  ///< weight of the node, for Hello; 0: unknown
  /// How long a batch of short tasks lasts at most, about: what cannot be given back meanwhile.
  Duration batch = std::chrono::milliseconds(4);
  /// Results kept until they are acknowledged; beyond it nothing new is started.
  std::int64_t max_unacknowledged_bytes = 64 << 20;
};

/// Tasks for one thread, to be run in order.
struct Batch {
  model::IndexRange range;
  bool copy = false;
  std::int32_t attempt = 0;    ///< how often each of these has failed before
  model::TaskInputs inputs{};  ///< of these and perhaps of more tasks
};

/// What became of a batch: a front part was run; then, unless all were run, one task may have
/// failed; the rest was not run.
struct BatchOutcome {
  model::PackedResults results;  ///< one per task of the front part
  Instant started{};
  Instant ended{};
  Duration busy{};                            ///< of the front part
  Duration waited{};                          ///< the part of it spent waiting for data
  std::optional<model::TaskFailure> failure;  ///< why the task after the front part failed
  Duration failure_busy{};
  /// What a task that was stopped left for the results, should it have been for its timeout.
  std::string stopped_record{};
  /// Why the task after the front part could not be begun, nor can any other; empty: it could.
  std::string unable{};
};

/// The worker as a state machine without I/O or threads: a queue of leased tasks, batches for its
/// threads, reports, and results kept until they are durable. Not thread-safe: the process guards
/// it with one lock. `now` never decreases.
class Worker {
 public:
  struct SendToCoordinator {
    ToCoordinator message;
  };
  /// Ask the thread to stop its batch; OnBatchDone follows all the same.
  struct StopBatch {
    std::uint32_t thread;
  };
  /// There is work for threads that found none.
  struct WorkAvailable {};
  /// The worker is through; `refused` if it was never let in.
  struct End {
    std::string reason;
    bool refused = false;
  };
  /// No task can be run here any more: the process is to drain, and say why.
  struct Unable {
    std::string reason;
  };
  using Effect = std::variant<SendToCoordinator, StopBatch, WorkAvailable, End, Unable>;
  using Effects = std::vector<Effect>;

  explicit Worker(WorkerConfig config);

  /// A stream is open: the Hello to be sent first. Called again after each reconnect.
  [[nodiscard]] Hello OnConnected(Instant now);
  void OnDisconnected(Instant now);
  [[nodiscard]] Effects OnMessage(ToWorker message, Instant now);

  /// The next batch for an idle thread (0..threads-1), or nothing: wait for WorkAvailable.
  [[nodiscard]] std::optional<Batch> Take(std::uint32_t thread, Instant now);
  [[nodiscard]] Effects OnBatchDone(std::uint32_t thread, BatchOutcome outcome, Instant now);
  /// To be called at NextTimer() at the latest.
  [[nodiscard]] Effects OnTimer(Instant now);
  [[nodiscard]] Instant NextTimer() const;
  /// Stop in good order (SIGTERM): the running tasks end, the rest goes back, then Goodbye and End.
  [[nodiscard]] Effects OnDrain(Instant now);

  [[nodiscard]] bool Ended() const { return ended_; }
  [[nodiscard]] bool Connected() const { return connected_; }
  /// Of the job, once welcomed.
  [[nodiscard]] const std::optional<Welcome>& Job() const { return welcome_; }

 private:
  // A report goes out early when so many bytes wait, and takes no more rows than fit into them: one
  // message must not outgrow what the wire takes, however long the coordinator was away.
  static constexpr std::size_t kReportBytes = 256 << 10;

  struct Running {
    Batch batch;
    GrantId grant;
    Instant started;
    bool stopped = false;
    bool timed_out = false;
    bool lease_over = false;  // stopped for that: the rest goes back to the coordinator
    bool outdated = false;    // granted by an earlier coordinator: the rest is nobody's here
    bool busy = false;
  };
  struct Finished {  // a CompletedRange with absolute times
    Instant started;
    Instant ended;
    CompletedRange done;
  };

  void Accept(const Welcome& welcome, Effects& effects);
  void Accept(const Assign& assign, Effects& effects);
  void Accept(const Recall& recall, Effects& effects);
  void Accept(const Acknowledge& acknowledged, Effects& effects);
  void Accept(const Cancel& cancel, Effects& effects);

  void KeepFailure(const Running& running, model::TaskIndex index, model::TaskFailure failure,
                   Duration busy);
  void Keep(const Running& running, BatchOutcome outcome);
  /// True if both, `next` behind `row`, can be reported as one: no gap in index or time.
  [[nodiscard]] static bool Continues(const Finished& row, const Finished& next);
  static void Join(Finished& row, const Finished& next);
  void JoinFinished();
  void ReturnRest(const Running& running, model::TaskIndex next, Effects& effects);
  void Stop(std::uint32_t thread, Effects& effects);
  void ReportIfDue(Instant now, Effects& effects);
  void SendReport(Instant now, Effects& effects);
  void SendOne(Report report, Instant now, Effects& effects);
  void EndIfDrained(Instant now, Effects& effects);
  void StopTimedOut(Instant now, Effects& effects);
  void StopWithoutLease(Instant now, Effects& effects);
  [[nodiscard]] std::int64_t BatchTasks() const;
  [[nodiscard]] bool Full() const;
  [[nodiscard]] bool HalfDry() const;
  [[nodiscard]] std::int64_t QueuedTasks() const;
  [[nodiscard]] bool LeaseIsOver(Instant now) const;
  [[nodiscard]] Instant LeaseEnd() const;

  WorkerConfig config_;
  std::optional<Welcome> welcome_;
  std::uint64_t epoch_ = 0;
  bool connected_ = false;
  bool draining_ = false;
  bool ended_ = false;
  std::deque<Grant> queue_;
  std::int64_t window_tasks_ = 0;        // in the queue when it was last filled, or reported of
  std::vector<Running> running_;         // one a thread
  std::vector<Finished> finished_;       // not reported yet
  std::vector<FailedTask> failed_;       // likewise
  std::int64_t failed_bytes_ = 0;        // of their records
  std::deque<Finished> unacknowledged_;  // reported, not durable yet
  std::int64_t unacknowledged_bytes_ = 0;
  double task_seconds_ = 0;  // recent mean of one task; 0 while unknown
  Instant last_report_{};
  std::vector<Instant> report_times_;  // of this stream, where leases must not be overrun
  Instant connected_at_{};             // when the Hello of this stream was sent
  Instant renewed_{};                  // the coordinator has heard what was sent then
};

}  // namespace evenkeel::engine
