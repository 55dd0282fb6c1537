#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "core/engine/coordinator.h"
#include "core/engine/worker.h"
#include "simulator/speed_profile.h"

namespace evenkeel::simulator {

struct NodeModel {
  std::string name;
  double ratio = 1;            ///< the weight that the scheduler is told
  SpeedProfile speed{1.0};     ///< of each thread
  std::uint32_t threads = 1;
  bool expected = true;        ///< known to the coordinator from the start
  Duration joins_at{};         ///< its process starts then
};

struct NetworkModel {
  Duration latency = std::chrono::microseconds(300);  ///< one way
  Duration jitter{};            ///< mean of an exponential addition
  bool ordered = true;          ///< false: messages of one stream may overtake each other
};

struct Fault {
  enum class Kind {
    kKillWorker,         ///< SIGKILL; the process starts anew after `lasts`
    kKillCoordinator,    ///< likewise; it comes back on what is durable
    kCutLink,            ///< the stream breaks; the worker connects again after `lasts`
    kDrainWorker         ///< SIGTERM; comes back after `lasts`
  };
  Kind kind = Kind::kKillWorker;
  std::size_t node = 0;
  Duration at{};
  Duration lasts{};
};

struct WorldConfig {
  std::vector<double> true_costs;   ///< seconds at speed 1, one a task
  bool costs_known = true;
  model::JobSpec job;
  std::vector<NodeModel> nodes;
  NetworkModel network;
  Duration durable_after = std::chrono::milliseconds(2);  ///< time of a group commit
  Duration report_interval = std::chrono::milliseconds(100);
  std::vector<Fault> faults;
  std::map<model::TaskIndex, int> failing;   ///< task -> how many of its runs fail
  std::uint64_t seed = 1;
  Duration give_up_after = std::chrono::hours(24);
  bool check_invariants = false;             ///< after each step of the coordinator
};

struct Outcome {
  model::JobState state = model::JobState::kRunning;
  std::string reason;
  Duration makespan{};                        ///< until the last durable result
  std::vector<std::int64_t> times_run;        ///< completed runs of each task, by any worker
  std::vector<std::int64_t> times_durable;    ///< durable results of each task: 1 for all, or a bug
  std::int64_t run_after_acknowledged = 0;    ///< runs that began after the result was acknowledged
  std::vector<double> busy_seconds;           ///< of each node
  engine::Progress progress;                  ///< the coordinator's own view at the end
  std::uint64_t coordinator_starts = 1;
};

/// A discrete-event world around the production state machines: virtual time, a network, nodes with
/// speeds that change, a journal, faults. It only carries messages and lets time pass; every decision
/// is core/engine's. The same configuration gives the same outcome everywhere. Not thread-safe.
class World {
 public:
  explicit World(WorldConfig config);
  ~World();
  /// Runs until the job ends or nothing can happen any more.
  [[nodiscard]] Outcome Run();

 private:
  struct Event {
    Instant at;
    std::uint64_t order;  // events of the same instant happen as they were scheduled
    std::function<void()> happen;
    bool operator>(const Event& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  struct ThreadState {
    std::optional<engine::Batch> batch;
    Instant started{};
    std::uint64_t generation = 0;  // tells an outdated end of a batch from the true one
  };
  struct Process {
    std::unique_ptr<engine::Worker> worker;   // none while the process is down
    std::vector<ThreadState> threads;
    std::uint64_t incarnation = 0;
    std::optional<engine::StreamId> stream;
    Instant last_arrival_up{};                // for ordered delivery
    Instant last_arrival_down{};
    Instant timer = kNever;
  };

  void At(Instant at, std::function<void()> happen);
  [[nodiscard]] Instant Arrival(Instant& last);
  void StartCoordinator();
  void KillCoordinator();
  void StartWorker(std::size_t node);
  void KillWorker(std::size_t node);
  void Connect(std::size_t node);
  void Disconnect(std::size_t node, bool tell_coordinator);
  void Carry(engine::Effects effects);
  void MakeDurable(const engine::Persist& persist);
  void Carry(std::size_t node, engine::Worker::Effects effects);
  void ToCoordinator(std::size_t node, engine::ToCoordinator message);
  void ToWorker(engine::StreamId stream, engine::ToWorker message);
  void FeedThreads(std::size_t node);
  void BatchEnded(std::size_t node, std::uint32_t thread, std::uint64_t generation, bool stopped);
  void StepCoordinator(const std::function<engine::Effects(engine::Coordinator&)>& step);
  void PlanCoordinatorTimer();
  void PlanWorkerTimer(std::size_t node);
  void PlanFaults();

  WorldConfig config_;
  Rng rng_;
  Instant now_{};
  std::uint64_t order_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::shared_ptr<const model::CostModel> costs_;
  std::unique_ptr<engine::Coordinator> coordinator_;
  std::uint64_t epoch_ = 0;
  Instant coordinator_timer_ = kNever;
  std::vector<Process> processes_;
  std::map<engine::StreamId, std::size_t> streams_;
  std::uint64_t next_stream_ = 1;
  model::RangeSet durable_;
  std::vector<model::FailureRecord> durable_failures_;
  Duration durable_active_{};
  model::RangeSet acknowledged_;
  std::map<model::TaskIndex, int> failures_left_;
  Outcome outcome_;
  bool over_ = false;
};

}  // namespace evenkeel::simulator
