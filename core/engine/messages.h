#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/strong_id.h"
#include "core/base/time.h"
#include "core/model/data_transfer.h"
#include "core/model/index_range.h"
#include "core/model/packed_results.h"
#include "core/model/task_failure.h"
#include "core/model/task_inputs.h"

/// Messages between coordinator and worker. core/protocol translates these to and from the
/// wire; the simulator passes them as they are. Times are durations before the message was sent,
/// because the clocks of two boards do not agree.
namespace evenkeel::engine {

/// Number of a grant, rising, never used twice in one epoch.
using GrantId = StrongId<struct GrantIdTag, std::uint64_t>;
/// Number of a request for work back.
using RecallId = StrongId<struct RecallIdTag, std::uint64_t>;

/// When the coordinator sent a message, in nanoseconds of its own clock; 0: not stamped. Opaque to
/// workers.
using ClockStamp = StrongId<struct ClockStampTag, std::uint64_t>;

inline constexpr std::uint32_t kProtocolVersion = 1;
/// The largest weight, relative to the lightest node, that a worker may ask for.
inline constexpr double kMaxRatio = 1e6;
/// The longest Hello::boot_id.
inline constexpr std::size_t kMaxBootIdBytes = 64;
/// The longest Hello::epoch_tag.
inline constexpr std::size_t kMaxEpochTagBytes = 64;
/// The most entries of Hello::held.
inline constexpr std::size_t kMaxHeldGrants = 100'000;

/// A range leased to a worker.
struct Grant {
  GrantId id;
  model::IndexRange range;
  bool copy = false;           ///< a speculative copy of tasks that are leased to another worker
  std::int32_t attempt = 0;    ///< how often each of these has failed before
  model::TaskInputs inputs{};  ///< of these tasks, if tasks have any; only coordinators send them
  friend bool operator==(const Grant&, const Grant&) = default;
};

/// The latest stamp that a worker received on its stream, sent back once: from it the coordinator
/// measures the round trip, as RTCP does from LSR and DLSR (RFC 3550, section 6.4.1). Workers of
/// earlier versions send none.
struct StampEcho {
  ClockStamp stamp;  ///< 0: nothing was stamped since the last echo
  Duration held{};   ///< from receiving the stamp to sending this, on the worker's clock
  friend bool operator==(const StampEcho&, const StampEcho&) = default;
};

// ---- worker to coordinator ----

/// The first message on a stream.
struct Hello {
  std::uint32_t protocol_version = kProtocolVersion;
  std::string node;
  std::string
      incarnation;  ///< random, of this worker process; a new one holds nothing of the old one
  std::uint32_t threads = 1;
  std::string workload;
  std::uint32_t workload_version = 1;
  std::uint64_t epoch = 0;  ///< the highest coordinator epoch this worker has seen; 0 at first
  std::string token;        ///< proves on loopback that this is our child; empty under mutual TLS
  /// Grants of this epoch it still works on, after a reconnect, and with grant 0 the results that
  /// it has not reported. At most kMaxHeldGrants.
  std::vector<Grant> held;
  /// The weight of its node relative to the lightest one, up to kMaxRatio; 0: it does not know.
  /// Counts only if the coordinator did not expect the node.
  double ratio = 0;
  /// Random, new with each start of the node's kernel; up to kMaxBootIdBytes. Empty: unknown. It
  /// tells a process that died alone from a node that was restarted.
  std::string boot_id{};
  /// The authenticated name of the sender, from its certificate: the worker's pod. Set by the
  /// coordinator's end of the stream and never sent. Empty: the stream has no certificates.
  std::string peer{};
  std::string epoch_tag{};  ///< that came with the Welcome of `epoch`
  /// Memory that the worker's tasks may use together; 0: unknown.
  std::int64_t task_memory_bytes = 0;
  friend bool operator==(const Hello&, const Hello&) = default;
};

/// Consecutive tasks that one thread ran one after the other.
struct CompletedRange {
  model::IndexRange range;
  Duration started_ago{};          ///< when the first of them started, before sending
  Duration ended_ago{};            ///< when the last of them ended, before sending
  Duration busy{};                 ///< time spent in the tasks themselves
  bool copy = false;               ///< ran as a copy
  model::PackedResults results;    ///< one result a task of `range`
  Duration waited{};               ///< the part of `busy` in which they waited for their data
  model::DataTransfer transfer{};  ///< data that came to the worker, not reported before
  friend bool operator==(const CompletedRange&, const CompletedRange&) = default;
};

struct FailedTask {
  model::TaskIndex index = 0;
  std::string reason;  ///< one line, bounded
  Duration busy{};
  GrantId grant{};  ///< under which it ran; 0: under one of an earlier epoch
  std::optional<std::int32_t> exit_code{};  ///< as model::TaskFailure
  std::string record{};                     ///< likewise
  model::FailureCause cause = model::FailureCause::kTask;
  std::optional<model::NodeSeconds> ran{};  ///< as model::TaskFailure
  friend bool operator==(const FailedTask&, const FailedTask&) = default;
};

/// A task that a thread of the worker runs, alone and for some time already; or the first task of a
/// run that does a range which the run has not reported as done.
struct RunningTask {
  model::TaskIndex index = 0;
  Duration elapsed{};  ///< since it started, or since its run did, before sending
  friend bool operator==(const RunningTask&, const RunningTask&) = default;
};

/// Progress. An empty one is a heartbeat; each one renews the worker's leases.
struct Report {
  std::vector<CompletedRange> completed;
  std::vector<FailedTask> failed;
  bool draining = false;  ///< the process is about to exit and starts no more tasks
  StampEcho echo{};
  /// At most one per thread; tasks that started a moment ago are left out.
  std::vector<RunningTask> running{};
  friend bool operator==(const Report&, const Report&) = default;
};

/// These parts of grants will not be run here. May be empty.
struct GiveBack {
  RecallId recall;           ///< which Recall it answers; 0: none, the lease was over
  std::vector<Grant> parts;  ///< `range` is the part given back, `id` the grant it was part of
  StampEcho echo{};
  friend bool operator==(const GiveBack&, const GiveBack&) = default;
};

/// The worker goes away in good order: everything it held and did not report is free again.
struct Goodbye {
  friend bool operator==(const Goodbye&, const Goodbye&) = default;
};

using ToCoordinator = std::variant<Hello, Report, GiveBack, Goodbye>;

// ---- coordinator to worker ----

/// Accepts a worker.
struct Welcome {
  std::uint64_t epoch = 0;
  std::string job;                  ///< metadata.name
  std::string workload_parameters;  ///< canonical JSON
  Duration report_interval{};       ///< report at least this often while there is something to say
  Duration lease{};                 ///< silence after which the coordinator gives the work away
  bool idempotent = true;           ///< false: stop the tasks when the lease ends unrenewed
  Duration task_timeout{};
  ClockStamp stamp{};
  std::string epoch_tag{};  ///< proof, for other starts of the coordinator, that this epoch exists
  /// One run of the user's program does all tasks of a grant.
  bool runs_whole_grants = false;
  friend bool operator==(const Welcome&, const Welcome&) = default;
};

/// Refuses a worker for good; it must not try again.
struct Refusal {
  std::string reason;
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

struct Assign {
  std::vector<Grant> grants;
  friend bool operator==(const Assign&, const Assign&) = default;
};

/// Asks for leased work that has not started, newest tasks of the queue first.
struct Recall {
  RecallId id;
  std::int64_t max_tasks = 0;  ///< at most so many
  bool failed_before = false;  ///< tasks that failed before, too: nothing is to start any more
  ClockStamp stamp{};
  friend bool operator==(const Recall&, const Recall&) = default;
};

/// These results are durable; the worker may forget them.
struct Acknowledge {
  std::vector<model::IndexRange> ranges;
  std::uint64_t heard =
      0;  ///< reports heard on this stream; a worker's lease runs from the last one
  ClockStamp stamp{};
  friend bool operator==(const Acknowledge&, const Acknowledge&) = default;
};

/// Other workers have finished these tasks or run them now: drop them, and stop them if they run.
struct Cancel {
  std::vector<model::IndexRange> ranges;
  GrantId last{};  ///< later grants are not meant; 0: all grants are, as in version 0.1
  friend bool operator==(const Cancel&, const Cancel&) = default;
};

/// Whether the grant came after a message that is about the grants up to `last`; 0: about all.
[[nodiscard]] inline bool IsLater(GrantId grant, GrantId last) {
  return last != GrantId{} && last < grant;
}

/// The job is over (or stops): report nothing more, end.
struct Finish {
  std::string reason;
  friend bool operator==(const Finish&, const Finish&) = default;
};

using ToWorker = std::variant<Welcome, Refusal, Assign, Recall, Acknowledge, Cancel, Finish>;

}  // namespace evenkeel::engine
