#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "core/base/rng.h"
#include "core/scheduling/reserved_pool.h"

namespace evenkeel::scheduling {

/// Equal consecutive parts, leased at once; an idle worker takes unstarted tasks from another
/// worker.
///   Static stealing, as in OpenMP runtimes (schedule static_steal of LLVM): the victim is the next
///   worker in the order of numbers that has something, beginning with the last one that gave; a
///   quarter of what waits there, at least one task.
///   Random victims (R. D. Blumofe and C. E. Leiserson, "Scheduling multithreaded computations by
///   work stealing", J. ACM 46(5), 1999): the same, looking from a worker on that is drawn each
///   time; half of what waits.
/// A theft is a request to the victim, its answer, and a lease for the thief. The coordinator knows
/// which workers have nothing waiting, and does not ask them.
class WorkStealing final : public Strategy {
 public:
  enum class Victim { kNext, kRandom };

  WorkStealing(const StrategyContext& context, Victim victim);

  void Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
             Instant now) override;
  void OnTasksAvailable(const TasksAvailable& tasks, Instant now) override;
  void OnTasksTaken(model::IndexRange range) override { pool_.Withdraw(range); }
  void OnWorkerEvent(const WorkerEvent& event, Instant now) override;
  [[nodiscard]] std::vector<Decision> Decide(Instant now) override;
  [[nodiscard]] Instant NextDecision() const override { return next_look_; }

 private:
  struct State {
    bool asks = false;                         // it is in asking_
    bool steals = false;                       // a request for it is under way
    std::optional<WorkerId> thief;             // who has asked it
    bool gave = false;                         // since the request
    std::int64_t tasks_at_failed_recall = -1;  // it gave nothing when it had so many
    std::uint32_t last_victim = 0;
  };

  void Return(const TasksAvailable& tasks);
  void EndRecall(WorkerId worker);
  [[nodiscard]] bool Usable(WorkerId worker) const { return pool_.Usable(worker, context_.leases); }
  void Ask(WorkerId worker);
  void Serve(WorkerId worker, std::vector<Decision>& decisions);
  void Steal(WorkerId thief, std::vector<Decision>& decisions);
  /// Tasks that wait there; 0 if no request is allowed.
  [[nodiscard]] std::int64_t Waiting(WorkerId victim) const;
  [[nodiscard]] std::optional<WorkerId> FindVictim(WorkerId thief);

  StrategyContext context_;
  ReservedPool pool_;
  Victim victim_;
  Rng rng_;
  std::vector<State> states_;
  std::deque<WorkerId> asking_;
  std::deque<WorkerId> idle_;  // found no victim
  bool no_victims_ = false;    // in this round of decisions
  Duration pause_;             // until they look again
  Instant next_look_ = kNever;
};

}  // namespace evenkeel::scheduling
