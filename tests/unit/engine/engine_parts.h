#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/commit_queue.h"
#include "core/engine/lease_reclaimer.h"
#include "core/engine/result_intake.h"
#include "core/engine/withheld_placement.h"
#include "core/engine/worker_lifecycle.h"
#include "core/scheduling/strategy.h"

namespace evenkeel::engine {

/// The coordinator's parts, with `kTasks` tasks of cost 1 and the members a, b, c ... of `kNodes`.
/// The strategy is MasterSlave without a master: one task a thread, in order.
class EngineParts : public testing::Test {
 protected:
  using WorkerId = scheduling::WorkerId;
  static constexpr std::int64_t kTasks = 20;
  static constexpr std::uint32_t kNodes = 3;

  Instant now{std::chrono::seconds(100)};
  CoordinatorConfig config = Config();
  model::UnitCosts costs{kTasks};
  scheduling::DataHolders holders;
  scheduling::TimingEstimator estimator{EstimatorOptions(config, costs)};
  TaskLedger ledger{costs};
  Membership membership{
      {"", "w", 1, true, 10, config.job.balancing.lease, config.job.task_policy.idempotent}};
  RetryPolicy retries{config.job.task_policy};
  CrashIsolation isolation;
  LostRunners lost_runners;
  CompletionPolicy completion{config.job.task_policy, kTasks};
  RunStatistics statistics{Duration::zero()};
  EffectOutbox outbox{statistics, nullptr};
  DeliveryWatch deliveries{ledger, estimator};
  StrategyDriver driver{
      scheduling::MakeStrategy({costs, estimator, ledger, ledger, config.job.balancing}),
      true,
      {ledger, membership, statistics, outbox, deliveries}};
  WorkerRoom room{{costs, estimator, membership, ledger, isolation}, std::chrono::seconds(1)};
  WithheldPlacement placement{{room, membership, ledger, retries, isolation, driver, outbox}};
  LeaseReclaimer reclaimer{{ledger, retries, isolation, driver}};
  ResultVerification verification{{ledger, membership, room, outbox},
                                  std::nullopt,
                                  config.job.task_policy.backoff_limit_per_task};
  CommitQueue commits{{ledger, membership, completion, statistics, outbox}};
  ResultIntake intake{
      {costs, holders, membership, estimator, ledger, retries, isolation, lost_runners, completion,
       statistics, driver, placement, verification, commits, outbox, deliveries},
      config.job.task_policy.idempotent};
  WorkerLifecycle lifecycle{{config, membership, estimator, ledger, retries, isolation, statistics,
                             driver, placement, reclaimer, intake, outbox}};

  EngineParts() {
    statistics.Start(now);
    for (std::uint32_t i = 0; i < kNodes; ++i) lifecycle.AddNode({Name(i)}, now);
    driver.Start(now);
  }

  static CoordinatorConfig Config() {
    CoordinatorConfig config;
    config.epoch = 2;
    config.job.workload = "w";
    config.job.balancing.strategy = model::StrategyName::kMasterSlave;
    config.job.balancing.master_slave.dedicated_coordinator = true;
    config.job.balancing.lease = std::chrono::seconds(10);
    return config;
  }
  static std::string Name(std::uint32_t node) {
    return std::string(1, static_cast<char>('a' + node));
  }
  [[nodiscard]] Hello HelloOf(std::uint32_t node, int process = 1) const {
    Hello hello;
    hello.node = Name(node);
    hello.incarnation = Name(node) + "/" + std::to_string(process);
    hello.workload = "w";
    hello.epoch = config.epoch;
    hello.boot_id = "boot";
    return hello;
  }
  /// Node n connects on stream n + 1.
  void Connect(std::uint32_t node) {
    ASSERT_TRUE(lifecycle.Admit(StreamOf(node), HelloOf(node), now));
    (void)outbox.Take(now);
  }
  static StreamId StreamOf(std::uint32_t node) { return StreamId{node + 1}; }
  void Decide() { driver.Decide(now); }
  /// A lease of free tasks, as if the strategy had decided it.
  GrantId Lease(model::IndexRange range, std::uint32_t node) {
    driver.TakeAway(range);
    ledger.Reserve(range, {node});
    const GrantId grant = outbox.AddGrant(StreamOf(node), range, false, 0);
    ledger.Lease(range, {node}, grant, now);
    outbox.SendGrants();
    return grant;
  }
  [[nodiscard]] static Report DoneReport(model::IndexRange range) {
    CompletedRange done;
    done.range = range;
    done.busy = std::chrono::milliseconds(range.Size());
    for (auto i = range.begin; i < range.end; ++i) done.results.Append(std::to_string(i));
    return {{done}, {}};
  }

  /// The messages of that kind on the stream, of effects that were taken.
  template <typename Message>
  [[nodiscard]] static std::vector<Message> Sent(const Effects& effects, StreamId stream) {
    std::vector<Message> found;
    for (const Effect& effect : effects) {
      const auto* send = std::get_if<SendToWorker>(&effect);
      if (send == nullptr || send->stream != stream) continue;
      if (const auto* message = std::get_if<Message>(&send->message)) found.push_back(*message);
    }
    return found;
  }
  template <typename Kind>
  [[nodiscard]] static std::vector<Kind> Of(const Effects& effects) {
    std::vector<Kind> found;
    for (const Effect& effect : effects) {
      if (const auto* kind = std::get_if<Kind>(&effect)) found.push_back(*kind);
    }
    return found;
  }
};

}  // namespace evenkeel::engine
