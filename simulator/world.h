#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "core/engine/coordinator.h"
#include "core/engine/worker.h"
#include "simulator/event_queue.h"
#include "simulator/transfer_network.h"
#include "simulator/world_config.h"

namespace evenkeel::simulator {

/// A discrete-event world around the production state machines: virtual time, a network, nodes with
/// speeds that change, a journal, faults. It only carries messages and lets time pass; every
/// decision is core/engine's. The same configuration gives the same outcome everywhere. Not
/// thread-safe.
class World {
 public:
  explicit World(WorldConfig config);
  ~World();
  /// Runs until the job ends or nothing can happen any more.
  [[nodiscard]] Outcome Run();

 private:
  struct ThreadState {
    std::optional<engine::Batch> batch;
    Instant started{};
    Instant ready{};               // its blocks are there
    std::uint64_t generation = 0;  // tells an outdated end of a batch from the true one
  };
  struct Process {
    std::unique_ptr<engine::Worker> worker;  // none while the process is down
    std::vector<ThreadState> threads;
    std::uint64_t incarnation = 0;
    std::optional<engine::StreamId> stream;  // its end of it
    Instant timer = kNever;
    Instant cut_until{};
    Instant still_until{};
  };
  struct Direction {  // of a stream
    Duration latency{};
    Instant first_arrival{};  // of the message that opens it: nothing overtakes that
    Instant last_arrival{};
    Instant sent_until{};  // its data have left by then
    bool used = false;
  };
  struct Cargo {  // what of a message takes time
    double bytes = 0;
    std::int64_t tasks = 0;  // that it hands out
  };
  struct CoordinatorMachine {
    Instant busy_until{};  // its processor
    Instant sent_until{};  // its link
    Instant received_until{};
  };
  struct Stream {
    std::size_t node = 0;
    bool open = true;        // until the coordinator sees its end closed
    bool carries_up = true;  // false: what is under way to the coordinator is lost
    Direction up;
    Direction down;
  };

  struct Up {  // a message on its way
    engine::StreamId stream;
    engine::ToCoordinator message;
  };
  struct Down {
    engine::StreamId stream;
    engine::ToWorker message;
  };
  struct Commit {
    std::uint64_t epoch = 0;
    engine::Persist batch;
  };

  void At(Instant at, std::function<void()> happen);
  /// The same for what happens all the time, without an object for each.
  void At(Instant at, Event event, EventQueue::Lane lane = EventQueue::Lane::kNone);
  void Dispatch(const Event& event);
  /// Has the memory of the node of the next event fetched while this one happens: with thousands of
  /// nodes it is far away whenever it is the node's turn.
  void FetchAhead() const;
  /// Nothing if it never was, or the coordinator saw its end closed.
  [[nodiscard]] Stream* OpenStream(engine::StreamId stream);
  [[nodiscard]] Instant Later(Duration from_now) const;
  /// True if the node stands still: then `happen` will come when it goes on, if ever.
  [[nodiscard]] bool PutOff(std::size_t node, std::function<void()> happen);
  /// Of a message whose last byte is sent then.
  [[nodiscard]] Instant Arrival(Direction& direction, Instant sent);
  struct Hop {
    Instant& busy_until;  // of the link
    Duration lasts;       // 0: they are through at once, whatever else is there
  };
  [[nodiscard]] Hop OnLinkOf(std::size_t node, Direction& direction, double bytes);
  [[nodiscard]] Hop OnLinkOfCoordinator(Instant& busy_until, double bytes) const;
  /// When data that are ready to be sent `from` then on are through both links.
  [[nodiscard]] static Instant Through(const Hop& first, const Hop& second, Instant from);
  /// What a message on its way is put off by chance.
  [[nodiscard]] Duration Delay();
  [[nodiscard]] Cargo CargoOf(const engine::ToWorker& message) const;
  [[nodiscard]] Cargo CargoOf(const engine::ToCoordinator& message) const;
  /// When the coordinator's processor is through with it, if it can begin `from` then on.
  [[nodiscard]] Instant Worked(const Cargo& cargo, double seconds_a_byte, Instant from);
  [[nodiscard]] Instant Left(std::size_t node, Direction& down, const Cargo& cargo);
  void StartCoordinator();
  void KillCoordinator();
  void Grow(std::int64_t tasks);
  void StartWorker(std::size_t node);
  void KillWorker(std::size_t node);
  void Connect(std::size_t node);
  /// The worker's end of its stream is closed; the coordinator learns of it `noticed_after` later.
  void Disconnect(std::size_t node, Duration noticed_after, Duration back_after);
  void CloseAtCoordinator(engine::StreamId stream);
  void Carry(engine::Effects effects);
  void Committed(Commit commit);
  void MakeDurable(const engine::Persist& persist);
  void WatchRetry(std::size_t node, const engine::Grant& grant);
  void Carry(std::size_t node, engine::Worker::Effects effects);
  /// The thread's batch ends with the task that runs now.
  void CutBatch(std::size_t node, std::uint32_t thread_number);
  void ToCoordinator(std::size_t node, engine::ToCoordinator message);
  void ToWorker(engine::StreamId stream, engine::ToWorker message);
  /// It has come to the coordinator's machine.
  void Received(Up up);
  void Deliver(Up up);
  void Arrived(std::size_t node, engine::StreamId stream, engine::ToWorker message);
  void FeedThreads(std::size_t node);
  [[nodiscard]] Instant EndOf(model::TaskIndex task, std::size_t node, Instant start) const;
  void BatchEnded(std::size_t node, std::uint32_t thread, std::uint64_t generation, bool stopped);
  /// `step`: engine::Effects(engine::Coordinator&).
  template <typename Step>
  void StepCoordinator(const Step& step) {
    if (coordinator_) Stepped(step(*coordinator_));
  }
  void Stepped(engine::Effects effects);
  void PlanCoordinatorTimer();
  void PlanWorkerTimer(std::size_t node);
  void WorkerTimer(std::size_t node, Instant due);
  [[nodiscard]] bool Watched() const { return config_.check_invariants || witness_.Traces(); }
  void DropBatches(std::size_t node);

  // world_blocks.cc
  /// When the blocks that these tasks need are there; those that are missing are asked for now.
  Instant BlocksOf(std::size_t node, model::IndexRange tasks);
  Instant Fetch(std::size_t node, std::int64_t block, double bytes);
  [[nodiscard]] Instant FromCoordinator(std::size_t node, double bytes);
  [[nodiscard]] Instant FromWorker(std::size_t holder, std::size_t node, std::int64_t block,
                                   double bytes);
  void DropBlocks(std::size_t node);

  // world_transfers.cc
  /// Takes out of it what is at other nodes; that arrives when it has come from there.
  void FetchRemote(std::size_t node, engine::StreamId stream, engine::Assign& assign);
  [[nodiscard]] std::vector<engine::PlacedTasks> PlacedWithin(model::IndexRange tasks) const;
  [[nodiscard]] std::vector<engine::NodeLink> Links() const;

  // world_faults.cc
  void PlanFaults();
  void Happen(const Fault& fault);
  void DrainWorker(std::size_t node, Instant back);
  void CutLink(const Fault& fault);
  void StandStill(const Fault& fault);

  WorldConfig config_;
  Rng rng_;
  Instant now_{};
  EventQueue events_;
  Shelf<std::function<void()>> calls_;
  Shelf<Up> ups_;
  Shelf<Down> downs_;
  Shelf<Commit> commits_;
  std::shared_ptr<const model::CostModel> costs_;  // of the tasks that there are so far
  std::unique_ptr<engine::Coordinator> coordinator_;
  std::uint64_t epoch_ = 0;
  Instant coordinator_timer_ = kNever;
  std::vector<Process> processes_;
  std::vector<Stream> streams_;  // all that there ever were: number n is at n - 1
  std::size_t open_from_ = 0;    // those before are closed
  Instant medium_busy_until_{};
  CoordinatorMachine machine_;
  std::vector<std::map<std::int64_t, Instant>> blocks_;       // of each node: when they are there
  std::map<std::int64_t, std::vector<std::size_t>> holders_;  // of each block, the first one first
  TransferNetwork transfers_;
  model::RangeSet durable_;
  std::vector<model::FailureRecord> durable_failures_;
  Duration durable_active_{};
  model::RangeSet acknowledged_;
  std::map<model::TaskIndex, int> failures_left_;
  std::map<model::TaskIndex, std::set<std::string>> failed_on_;  // as the coordinator knows it
  Witness witness_;
  Outcome outcome_;
  bool over_ = false;
  Instant stop_at_{};
};

}  // namespace evenkeel::simulator
