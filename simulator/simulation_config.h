#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/progress.h"
#include "core/model/job_spec.h"
#include "core/model/range_bounds.h"
#include "core/model/range_set.h"
#include "core/model/run_record.h"
#include "core/scheduling/techniques/technique.h"
#include "simulator/invariant_monitor.h"
#include "simulator/speed_profile.h"
#include "simulator/trace_recorder.h"

namespace evenkeel::simulator {

/// Lasts to the end of the simulation.
inline constexpr Duration kForEver = Duration::max();

struct NodeModel {
  std::string name;
  double ratio = 1;  ///< declared weight
  /// From earlier jobs, as declared to the scheduler: cost units per second of the whole worker,
  /// and their relative standard deviation.
  std::optional<double> rate = std::nullopt;
  std::optional<double> sigma = std::nullopt;
  SpeedProfile speed{1.0};  ///< of each thread
  std::uint32_t threads = 1;
  std::int64_t task_memory_bytes = 0;  ///< that its tasks may use together; 0: unlimited
  bool expected = true;                ///< known to the coordinator from the start
  Duration joins_at{};                 ///< its process starts then
  std::optional<model::NodePower> power;
  /// Of its link, in each direction; 0: data take no time, only messages do.
  double link_bytes_per_second = 0;
  Duration link_latency{};  ///< of its link, one way, added to the latency of the network
};

struct NetworkModel {
  Duration latency = std::chrono::microseconds(300);  ///< one way
  Duration jitter{};                                  ///< mean of an exponential addition
  /// False: messages of one stream may overtake each other, except the first, which opens it.
  bool ordered = true;
  /// True: all data share one medium, which carries one message at a time.
  bool shared_medium = false;
  /// Probability that a message is lost. A stream sends it again after `retransmit_after`, and
  /// waits twice as long each further time, as TCP does.
  double loss = 0;
  Duration retransmit_after = std::chrono::milliseconds(200);
};

/// Time that messages take on the coordinator's machine.
struct CoordinatorModel {
  // Of its processor, which handles one message after the other, in the order of arrival.
  double seconds_a_message = 0;        ///< each way
  double seconds_a_task = 0;           ///< to hand it out
  double seconds_a_byte_sent = 0;      ///< of task data
  double seconds_a_byte_received = 0;  ///< of task data, including what it takes to merge them
  bool exponential = false;            ///< the times are exponential, with these means
  /// Of its link, in each direction, shared by the data of all nodes; 0: they take no time there.
  double link_bytes_per_second = 0;
};

/// Data that several tasks need and workers keep. Tasks are the fields of a table, row by row:
/// each needs the block of its row and the block of its column.
struct BlockModel {
  std::int64_t columns = 1;
  double row_bytes = 0;
  double column_bytes = 0;
  bool between_workers = true;  ///< a worker gets a block from another worker that has it
};

/// Tasks that are at a node before they run, and the links over which they reach other nodes.
struct TransferModel {
  struct PlacedLoad {
    model::IndexRange range;
    std::size_t node = 0;
  };
  struct Link {
    std::size_t one = 0;
    std::size_t other = 0;
    double tasks_per_second = 1;  ///< each way, > 0
  };
  std::vector<PlacedLoad> placed;  ///< no task twice; all other tasks are at no node
  /// Declared to the scheduler as well. Without links transfers take no time.
  std::vector<Link> links;
  bool exponential = false;  ///< transfer times are exponential, with the mean that the rate gives
  bool streams = false;      ///< a task can run while the rest of its transfer is under way
};

/// Tasks whose data a node has in its cache: a message that assigns them to it has no data of them,
/// and it need not fetch their files. The coordinator learns of them when the node's worker
/// connects.
struct CachedData {
  model::RangeSet tasks;
  std::size_t node = 0;
};

struct Fault {
  enum class Kind {
    kKillWorker,        ///< SIGKILL; the process starts anew after `lasts`
    kKillCoordinator,   ///< likewise; it starts anew on what is durable
    kCutLink,           ///< messages under way are lost; the worker reconnects after `lasts`
    kDrainWorker,       ///< SIGTERM; the process starts anew after `lasts`
    kStallWorker,       ///< the node does nothing for `lasts` (SIGSTOP, a hung board)
    kStallCoordinator,  ///< likewise; messages for it wait in the kernel and arrive all at once
    kSlowDisk,          ///< for `lasts`, each commit that begins takes `amount`
    kFailDisk,   ///< the next commit fails; the coordinator exits and starts anew after `lasts`
    kJumpClock,  ///< the worker's steady clock jumps ahead by `amount`
    kLosePower   ///< as kKillWorker, but the node boots anew, and the coordinator's end of the
                 ///< connection stays open for `noticed_after`
  };
  Kind kind = Kind::kKillWorker;
  std::size_t node = 0;
  Duration at{};
  Duration lasts{};
  Duration noticed_after{};  ///< kCutLink, kLosePower: until the coordinator notices
  Duration amount{};         ///< kSlowDisk, kJumpClock
};

/// A task that ends what runs it, each time it runs.
struct DeadlyTask {
  enum class Kills {
    kProcess,  ///< the worker's process alone
    kNode      ///< the node, which boots anew; the connection is not closed
  };
  Kills kills = Kills::kProcess;
  double after = 1;          ///< the part of its time that it runs before, 0 to 1
  Duration restart_after{};  ///< the process starts anew then
};

/// Lack of memory ends the whole container of a node's tasks instead of one task.
struct ContainerKills {
  Duration restart_after{};  ///< tasks run there again then
  /// The operator reports each kill to the coordinator, after up to this time; nothing: it reports
  /// none.
  std::optional<Duration> longest_report_delay;
};

/// From `at` on the job has so many tasks, unless it is over.
struct Growth {
  Duration at{};
  std::int64_t tasks = 0;  ///< not fewer than before, at most one for each of `true_costs`
};

/// Receives the records of a journal when they become durable. Each function may be empty.
struct Recorder {
  std::function<void(const model::ResultRecord&)> on_result;
  std::function<void(const model::FailureRecord&)> on_failure;
  std::function<void(const model::TimelineEvent&)> on_event;
};

struct SimulationConfig {
  std::vector<double> true_costs;             ///< of each task, in seconds at speed 1
  std::optional<std::int64_t> initial_tasks;  ///< number of tasks at the start; all if not given
  std::vector<Growth> growths;                ///< by time
  bool costs_known = true;                    ///< the scheduler is given `declared_costs`
  /// One run of a program does a range of tasks; nothing: one task.
  std::optional<model::RangeBounds> ranges;
  bool runs_report_progress = false;   ///< so that runs can be cut
  double startup_seconds = 0;          ///< of the program, at speed 1, with ranges
  std::vector<double> declared_costs;  ///< of each task; empty: those that are true
  double input_bytes = 0;              ///< of each task, on the way to its worker
  double file_bytes = 0;               ///< of the input file of each task, which its node fetches
  double result_bytes = 0;             ///< of each task, on the way back
  std::optional<BlockModel> blocks;
  model::JobSpec job;
  /// Takes the place of the strategy of `job`.
  std::optional<scheduling::TechniqueName> technique;
  scheduling::TechniqueOptions technique_options;
  double left_out_ratio = 0;  ///< total ratio of the nodes that get no worker
  std::vector<NodeModel> nodes;
  NetworkModel network;
  CoordinatorModel coordinator;
  TransferModel transfers;
  std::vector<CachedData> cached{};
  Duration commit_latency = std::chrono::milliseconds(2);  ///< of a group commit
  /// Bytes of results that may wait for a commit before the coordinator holds reports back.
  std::size_t max_pending_bytes = 64 << 20;
  Duration report_interval = std::chrono::seconds(1);
  std::vector<Fault> faults;
  std::map<model::TaskIndex, int> failing;              ///< task -> how many of its runs fail
  std::map<model::TaskIndex, std::int32_t> exit_codes;  ///< of the failing runs of a task
  std::map<model::TaskIndex, DeadlyTask> deadly;
  /// Bytes that a task needs, if it needs more than a thread's part of the memory of some node.
  std::map<model::TaskIndex, std::int64_t> memory_bytes;
  std::optional<ContainerKills> container_kills{};
  bool inputs = false;  ///< tasks have inputs
  std::uint64_t seed = 1;
  Duration give_up_after = std::chrono::hours(24);
  Duration linger{};              ///< the simulation goes on for so long after the end of the job
  bool check_invariants = false;  ///< after each step of the coordinator; slow
  /// Each result names its task, and the outcome counts how often each task was run. If false,
  /// results are empty, and a task takes no memory here except its cost.
  bool account_tasks = true;
  TraceRecorder::Sink trace;  ///< receives one line for each event, if set
  Recorder recorder;
};

struct Outcome {
  model::JobState state = model::JobState::kRunning;
  std::string reason;
  Duration makespan{};  ///< until the last durable result
  // Of each task; empty without account_tasks.
  std::vector<std::int64_t> times_run;      ///< completed runs, by any worker
  std::vector<std::int64_t> times_durable;  ///< durable results; more than 1 is a bug
  std::int64_t run_after_acknowledged = 0;  ///< runs that began after the acknowledgement arrived
  std::vector<double> busy_seconds;         ///< of each node
  std::map<model::TaskIndex, std::int64_t> deaths;  ///< by each deadly task that ran
  double lost_seconds = 0;                   ///< of threads, in the runs that deadly tasks ended
  double coordinator_seconds = 0;            ///< of its processor
  double coordinator_bytes = 0;              ///< of task data that passed it, both ways
  engine::Progress progress;                 ///< the coordinator's own view at the end
  std::vector<model::TimelineEvent> stages;  ///< of the strategy
  std::uint64_t coordinator_starts = 1;
  std::int64_t messages_sent = 0;  ///< both directions, all starts of the coordinator
  Violations violations;           ///< some are counted only with check_invariants
  std::int64_t deliveries = 0;     ///< messages that arrived; with check_invariants or a trace
  std::string digest;              ///< of all deliveries with their times, in order; likewise
};

}  // namespace evenkeel::simulator
