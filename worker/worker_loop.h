#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/engine/worker.h"
#include "worker/connection_keeper.h"

namespace evenkeel::worker {

/// Streams to the coordinator. The loop numbers them and uses one at a time; what arrives on a
/// stream goes to WorkerLoop::OnMessage and OnClosed with its number. None of these calls blocks or
/// calls the loop back.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Starts to open a stream. Messages may be sent at once.
  virtual void Open(std::uint64_t stream, Duration connect_timeout) = 0;
  /// Queues a message on the open stream.
  virtual void Send(engine::ToCoordinator message) = 0;
  /// Forgets the open stream, which was closed by the other side.
  virtual void Drop() = 0;
};

/// Threads that run batches. They ask the loop for work (Take) and return the outcome
/// (OnBatchDone).
class TaskThreads {
 public:
  virtual ~TaskThreads() = default;
  /// Idle threads may find work now.
  virtual void Wake() = 0;
  /// Asks the running task of the thread to stop; no further task of its batch starts.
  virtual void Stop(std::uint32_t thread) = 0;
  /// Takes back tasks from the end of the thread's batch that were not started, up to `max_tasks`.
  virtual model::IndexRange Cut(std::uint32_t thread, std::int64_t max_tasks, Instant now) = 0;
  /// The first task that the thread's batch, which is one run, has not reported as done.
  [[nodiscard]] virtual model::TaskIndex Progress(std::uint32_t thread) const = 0;
};

/// Makes the tasks of a job runnable in this process: its workload, its access to blocks, and data
/// of tasks that have to be fetched. None of these calls calls the loop back.
class JobLoader {
 public:
  virtual ~JobLoader() = default;
  /// Called with each Welcome, before any task of it runs. An error ends the worker.
  virtual Result<void> Load(const engine::Welcome& welcome) = 0;
  /// For how many tasks that wait FetchAhead can fetch data; 0: tasks have no such data.
  [[nodiscard]] virtual std::int64_t TasksAhead() const { return 0; }
  /// The tasks that this worker runs, and behind them the first ones that wait, in the order of
  /// their start. Called when they change, if TasksAhead() is not 0. Does not block.
  virtual void FetchAhead(const std::vector<engine::HeldTask>& tasks) { static_cast<void>(tasks); }
};

/// Also the exit code of evenkeel-worker; 2 is a bad command line.
enum class WorkerExit : std::uint8_t { kDone = 0, kFailed = 1, kRefused = 3, kNoCoordinator = 4 };

struct WorkerEnd {
  WorkerExit exit = WorkerExit::kDone;
  std::string reason;  ///< one line
};

/// The two deadlines of a draining worker: the first ends running tasks, the second the wait for
/// the last acknowledgements. Not thread-safe.
class DrainDeadline {
 public:
  enum class Due { kNothing, kStopTasks, kEnd };

  /// False if it was started before.
  bool Start(Instant now, Duration grace);
  [[nodiscard]] bool Started() const { return until_ != kNever; }
  /// Returns each deadline once, when it is due.
  [[nodiscard]] Due OnTimer(Instant now);
  [[nodiscard]] Instant Next() const { return until_; }

 private:
  Instant until_ = kNever;
  bool tasks_stopped_ = false;
};

/// A worker without threads, sockets or a clock of its own: an engine::Worker, its connection to
/// the coordinator, which is opened again whenever it breaks, and its end. Events go in; what is to
/// be done goes to the seams. Not thread-safe: the process calls it under one lock, the simulator
/// in virtual time.
class WorkerLoop {
 public:
  struct Options {
    ConnectionKeeper::Options connection;
    Duration drain_grace = std::chrono::seconds(20);  ///< what running tasks get to end
  };
  /// All of them outlive the loop.
  struct Seams {
    const Clock& clock;
    Transport& transport;
    TaskThreads& threads;
    JobLoader& jobs;
  };
  WorkerLoop(Options options, engine::WorkerConfig config, Seams seams);

  /// Does what is due: to be called first, and at NextWakeup() at the latest.
  void Step();
  [[nodiscard]] Instant NextWakeup() const;

  void OnMessage(std::uint64_t stream, engine::ToWorker message);
  /// Returns a line for the log, if the end of the stream is worth one.
  [[nodiscard]] std::optional<std::string> OnClosed(std::uint64_t stream,
                                                    const std::string& reason);
  /// The next batch of an idle thread, or nothing: wait for TaskThreads::Wake.
  [[nodiscard]] std::optional<engine::Batch> Take(std::uint32_t thread);
  void OnBatchDone(std::uint32_t thread, engine::BatchOutcome outcome);
  /// Stop in good order: running tasks may end within the grace, the rest goes back.
  void Drain();

  /// Set once the worker is through. Nothing is due any more.
  [[nodiscard]] const std::optional<WorkerEnd>& End() const { return end_; }

 private:
  void Connect(Instant now);
  void NoteProgress();
  void ContinueDrain(Instant now);
  void StartDrain(Instant now);
  void Apply(engine::Worker::Effects effects, Instant now);
  /// Tells the job loader which tasks are held, if they have changed.
  void NoteHeldTasks();
  void EndWith(WorkerExit exit, std::string reason);

  const Duration drain_grace_;
  const std::uint32_t thread_count_;
  const Seams seams_;
  engine::Worker engine_;
  ConnectionKeeper connection_;
  DrainDeadline drain_;
  std::vector<engine::HeldTask> held_;  // the argument of the last JobLoader::FetchAhead
  std::string leave_reason_;            // why the worker drains by itself; empty if it does not
  std::optional<WorkerEnd> end_;
};

}  // namespace evenkeel::worker
