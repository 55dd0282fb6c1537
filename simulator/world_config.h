#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/progress.h"
#include "core/model/job_spec.h"
#include "core/model/run_record.h"
#include "simulator/speed_profile.h"
#include "simulator/witness.h"

namespace evenkeel::simulator {

/// Lasts to the end of the world.
inline constexpr Duration kForEver = Duration::max();

struct NodeModel {
  std::string name;
  double ratio = 1;  ///< the weight that the scheduler is told
  /// What it is told of earlier jobs: units a second, and the relative standard deviation of that.
  std::optional<double> rate = std::nullopt;
  std::optional<double> sigma = std::nullopt;
  SpeedProfile speed{1.0};  ///< of each thread
  std::uint32_t threads = 1;
  bool expected = true;  ///< known to the coordinator from the start
  Duration joins_at{};   ///< its process starts then
  std::optional<model::NodePower> power;
  /// Of its link, in each direction; 0: data take no time, only messages do.
  double link_bytes_per_second = 0;
  Duration link_latency{};  ///< of its link, one way, on top of the network's
};

struct NetworkModel {
  Duration latency = std::chrono::microseconds(300);  ///< one way
  Duration jitter{};                                  ///< mean of an exponential addition
  /// False: messages of one stream may overtake each other (but not the first one, which opens it).
  bool ordered = true;
  /// True: data of one message at a time travel between the coordinator and anybody, as with a
  /// medium that all share or a master that sends to one after the other.
  bool shared_medium = false;
  /// Probability that a message is lost on its way. A stream sends it again after
  /// `retransmit_after`, and twice that when it is lost again, as TCP does.
  double loss = 0;
  Duration retransmit_after = std::chrono::milliseconds(200);
};

/// Tasks that are at a node before they run, and how they get to others.
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
  std::vector<PlacedLoad> placed;  ///< no task twice; others are nowhere in particular
  /// The scheduler is told these, too. None: tasks get everywhere in no time.
  std::vector<Link> links;
  bool exponential = false;  ///< the time of a transfer over a link, with the mean that follows
  bool streams = false;      ///< what has arrived is run while the rest of a transfer is under way
};

struct Fault {
  enum class Kind {
    kKillWorker,       ///< SIGKILL; the process starts anew after `lasts`
    kKillCoordinator,  ///< likewise; it comes back on what is durable
    kCutLink,          ///< what is under way is lost; the worker connects again after `lasts`
    kDrainWorker,      ///< SIGTERM; comes back after `lasts`
    kStandStill        ///< the node does nothing at all (SIGSTOP, a hung board), then goes on
  };
  Kind kind = Kind::kKillWorker;
  std::size_t node = 0;
  Duration at{};
  Duration lasts{};
  Duration noticed_after{};  ///< kCutLink: until the coordinator sees its end of the stream close
};

/// The job has so many tasks from then on, unless it is over.
struct Growth {
  Duration at{};
  std::int64_t tasks = 0;  ///< not fewer than before, not more than there are costs
};

/// Is told what a journal keeps, as it becomes durable; what is not set is not told.
struct Recorder {
  std::function<void(const model::ResultRecord&)> on_result;
  std::function<void(const model::TimelineEvent&)> on_event;
};

struct WorldConfig {
  std::vector<double> true_costs;              ///< seconds at speed 1, one a task
  std::optional<std::int64_t> tasks_at_first;  ///< of them; all if nothing is said
  std::vector<Growth> growths;                 ///< in order of time
  bool costs_known = true;
  double input_bytes = 0;   ///< that a task takes to its worker
  double result_bytes = 0;  ///< and back
  model::JobSpec job;
  double left_out_ratio = 0;  ///< of nodes that get no worker, together
  std::vector<NodeModel> nodes;
  NetworkModel network;
  TransferModel transfers;
  Duration durable_after = std::chrono::milliseconds(2);  ///< time of a group commit
  Duration report_interval = std::chrono::seconds(1);
  std::vector<Fault> faults;
  std::map<model::TaskIndex, int> failing;              ///< task -> how many of its runs fail
  std::map<model::TaskIndex, std::int32_t> exit_codes;  ///< of the runs of a task that fail
  bool inputs = false;                                  ///< tasks have inputs
  std::uint64_t seed = 1;
  Duration give_up_after = std::chrono::hours(24);
  Duration linger{};              ///< time goes on for so long after the end of the job
  bool check_invariants = false;  ///< after each step of the coordinator; slow
  /// Results say which task they are of, and the outcome tells how often each was run. Without it
  /// results are empty, and a task takes no memory here but its cost.
  bool account_tasks = true;
  Witness::Trace trace;  ///< if set, one line for each thing that happens
  Recorder recorder;
};

struct Outcome {
  model::JobState state = model::JobState::kRunning;
  std::string reason;
  Duration makespan{};  ///< until the last durable result
  // The first two of each task; empty without account_tasks.
  std::vector<std::int64_t> times_run;       ///< completed runs, by any worker
  std::vector<std::int64_t> times_durable;   ///< durable results: 1 for all, or a bug
  std::int64_t run_after_acknowledged = 0;   ///< runs that began after the result was acknowledged
  std::vector<double> busy_seconds;          ///< of each node
  engine::Progress progress;                 ///< the coordinator's own view at the end
  std::vector<model::TimelineEvent> stages;  ///< of the strategy
  std::uint64_t coordinator_starts = 1;
  std::int64_t messages_sent = 0;  ///< both directions, all starts of the coordinator
  Findings findings;               ///< some of it only with check_invariants
};

}  // namespace evenkeel::simulator
