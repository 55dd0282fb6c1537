#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "coordinator/job_version.h"
#include "coordinator/loop_inbox.h"
#include "core/base/clock.h"
#include "core/engine/coordinator.h"

namespace evenkeel::coordinator {

/// The coordinator's end of the workers' streams, as the loop uses it. No call waits.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Queues a message. Does nothing if the stream is gone.
  virtual void Send(StreamId stream, engine::ToWorker message) = 0;
  /// Ends the stream after what is queued for it.
  virtual void Close(StreamId stream) = 0;
  /// There is room again for messages of a stream that LoopInbox::MayReadOn has refused.
  virtual void ReadOn(StreamId stream) = 0;
};

/// A new version of the job, to be stored before any of its new tasks is run.
struct VersionChange {
  SharedJobVersion version;
  JobIdentity identity;
};
/// Entries that the loop writes to the journal.
using JournalEntry =
    std::variant<engine::Persist, std::vector<model::TimelineEvent>, VersionChange>;

/// Where the loop's records go. Posts BatchCommitted, VersionCommitted or JournalFailed to the
/// loop's inbox when it is done with them. No call waits.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void Append(JournalEntry entry) = 0;
  /// Size of the results that are not durable yet.
  [[nodiscard]] virtual std::size_t PendingBytes() const = 0;
};

/// A notice for observers of a run: a result that counts (without its bytes), another event, or the
/// version of the job that is in effect from now on.
using RunNotice = std::variant<model::ResultRecord, model::TimelineEvent, SharedJobVersion>;

/// Receives the loop's progress. No call waits.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  /// When the next snapshot is wanted.
  [[nodiscard]] virtual Instant NextProgress() const = 0;
  /// Replaces the snapshot before.
  virtual void PutProgress(engine::Progress progress) = 0;
  virtual void Put(RunNotice notice) = 0;
};

/// Whether a new version is refused for good: only another manifest can help.
[[nodiscard]] bool IsPermanent(const Error& error);

/// How a loop ended.
struct LoopEnd {
  model::JobState state = model::JobState::kRunning;
  std::string reason;  ///< one line unless complete
  model::EndCause cause = model::EndCause::kOther;
  engine::Progress progress;           ///< the last one
  std::optional<Error> journal_error;  ///< why the journal could not be written, if that was it
  bool superseded = false;             ///< a later start has the job now
  SharedJobVersion version;            ///< with the tasks that were appended
};

/// The coordinator's control loop: owns the state machine, feeds it with what its inbox and clock
/// say, and carries out its decisions through seams none of which ever waits. Single-threaded and
/// without I/O of its own: a thread drives it in a process, an event queue in the simulator.
///
///   loop.Start();
///   while (!loop.Ended()) { wait for the inbox until loop.NextWakeup(); loop.Step(); }
///   LoopEnd end = loop.Finish();
///
/// Two rules protect workers from what is not their doing:
/// - While more results wait for the journal than it can take, reports with results stay in the
///   inbox. Heartbeats, hellos and acknowledgements go on.
/// - A lease expires only after everything that had arrived was handled. Time in which the loop did
///   not run (SIGSTOP, swapping, a suspended machine) or did not read streams extends the leases.
class CoordinatorLoop {
 public:
  /// The loop wakes up at least this often, so that it notices when it was not run.
  static constexpr Duration kMaxSleep = std::chrono::milliseconds(500);
  /// A step that comes later than this after it was due follows a stall.
  static constexpr Duration kStallTolerance = std::chrono::milliseconds(250);
  /// A step that comes later than this after it was due may follow a stall that began while the
  /// loop slept: what arrived meanwhile has kReadTime to be read before leases end. At most once
  /// in kBetweenHolds, so that on a loaded machine a lost worker is still noticed.
  static constexpr Duration kLateStep = std::chrono::milliseconds(10);
  static constexpr Duration kReadTime = std::chrono::milliseconds(100);
  static constexpr Duration kBetweenHolds = std::chrono::seconds(1);

  struct Config {
    engine::CoordinatorConfig engine;
    SharedJobVersion version;
    Duration drain_grace = std::chrono::seconds(5);  ///< for running tasks after an interrupt
    Instant deadline = kNever;                       ///< when the job fails with `deadline_reason`
    std::string deadline_reason;
    /// Bytes of results that may wait for the journal before reports are held back.
    std::size_t max_pending_bytes = 64 << 20;
  };
  /// All must outlive the loop; `progress` may be null.
  struct Ports {
    const Clock& clock;
    LoopInbox& inbox;
    Transport& transport;
    RecordSink& journal;
    ProgressSink* progress = nullptr;
  };

  CoordinatorLoop(Config config, Ports ports);

  /// Once, before the first step.
  void Start();
  /// Handles what is in the inbox and what is due. Never waits.
  void Step();
  /// When the next step is due if nothing arrives before.
  [[nodiscard]] Instant NextWakeup() const { return next_wakeup_; }
  [[nodiscard]] bool Ended() const { return engine_.Ended(); }
  /// After the end, once: hands the last events to the journal.
  [[nodiscard]] LoopEnd Finish();

  [[nodiscard]] const engine::Coordinator& engine() const { return engine_; }

 private:
  /// The time now. Notes how long the loop was not run before.
  [[nodiscard]] Instant Attend();
  void PlanWakeup();
  void HandleInbox();
  void HandleTimers(Instant now);
  [[nodiscard]] engine::Effects Handle(LoopEvent event, Instant now);
  void Execute(engine::Effects effects);
  void Persist(engine::Persist batch);
  void PublishEvents();
  void PublishProgress(Instant now);

  void StoreVersion(SharedJobVersion version, JobIdentity identity);
  [[nodiscard]] engine::Effects OnVersionCommitted(VersionCommitted committed, Instant now);
  void UseVersion(const SharedJobVersion& version, engine::Effects& effects, Instant now);
  void WarnOfVersion(const std::string& why);

  Config config_;  // its version is the one in effect
  Ports ports_;
  engine::Coordinator engine_;
  LoopEnd end_;

  Instant attended_{};     // when the loop ran last
  Instant next_wakeup_{};  // as planned then
  Instant next_hold_{};    // no earlier are leases held again
  Duration unattended_{};  // time without reading streams; leases are not extended yet

  // The engine must not end the job while a new version is on its way into the journal: commits
  // that come meanwhile are kept until it is there.
  bool storing_version_ = false;
  std::optional<engine::BatchId> committed_meanwhile_;
  std::optional<VersionRead> next_version_;  // to be stored after that, or at retry_version_at_
  Instant retry_version_at_ = kNever;
  std::string warning_;  // the last one about a version
};

/// The engine's configuration for a version of a job, without what belongs to one start of it.
[[nodiscard]] engine::CoordinatorConfig EngineConfigOf(const JobVersion& version);

}  // namespace evenkeel::coordinator
