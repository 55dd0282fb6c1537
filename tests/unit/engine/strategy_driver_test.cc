#include "core/engine/strategy_driver.h"

#include "tests/unit/engine/engine_parts.h"

namespace evenkeel::engine {
namespace {

class StrategyDriverTest : public EngineParts {};

/// Decides once what a test wants.
class Scripted final : public scheduling::Strategy {
 public:
  explicit Scripted(std::vector<scheduling::Decision> decisions)
      : decisions_(std::move(decisions)) {}
  void Start(const std::vector<scheduling::WorkerFacts>&, const model::RangeSet&,
             Instant) override {}
  void OnTasksAvailable(const scheduling::TasksAvailable&, Instant) override {}
  void OnTasksTaken(model::IndexRange) override {}
  void OnWorkerEvent(const scheduling::WorkerEvent&, Instant) override {}
  [[nodiscard]] std::vector<scheduling::Decision> Decide(Instant) override {
    return std::exchange(decisions_, {});
  }

 private:
  std::vector<scheduling::Decision> decisions_;
};

TEST_F(StrategyDriverTest, LeasesWhatTheStrategyDecidesUnderTheGrantThatIsSent) {
  Connect(1);
  Decide();
  const auto assigns = Sent<Assign>(outbox.Take(now), StreamOf(1));
  ASSERT_EQ(assigns.size(), 1U);
  const Grant grant = assigns[0].grants[0];
  EXPECT_EQ(grant.attempt, 0);
  EXPECT_FALSE(grant.copy);
  bool leased = false;
  ledger.ForEachLease(grant.range, [&](const TaskLedger::Holding& lease) {
    leased = lease == TaskLedger::Holding{grant.range, {1}, grant.id};
  });
  EXPECT_TRUE(leased);
  ledger.CheckInvariants();
}

TEST_F(StrategyDriverTest, ThePlanIsWhatTheStrategyReservesFirst) {
  TaskLedger planned{costs};
  for (std::uint32_t i = 0; i < kNodes; ++i) planned.AddWorker();
  StrategyDriver planner{scheduling::MakeStrategy({costs, estimator, planned, planned, {}}),
                         true,
                         {planned, membership, statistics, outbox, deliveries}};
  planner.Start(now);
  EXPECT_EQ(planned.Count(TaskState::kReserved), kTasks);
  double shares = 0;
  for (std::uint32_t i = 0; i < kNodes; ++i) shares += statistics.Node({i}).share;
  EXPECT_DOUBLE_EQ(shares, 1);
}

TEST_F(StrategyDriverTest, ShareIsThatOfTheWeightsIfNothingIsPlanned) {
  EXPECT_DOUBLE_EQ(statistics.Node({0}).share, 1.0 / kNodes) << "no weight is known";
  TaskLedger unplanned{costs};
  Membership weighted{
      {"", "w", 1, true, 10, config.job.balancing.lease, config.job.task_policy.idempotent}};
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    unplanned.AddWorker();
    (void)weighted.Add(Name(i), i + 1.0, now);
  }
  StrategyDriver puller{
      scheduling::MakeStrategy({costs, estimator, unplanned, unplanned, config.job.balancing}),
      true,
      {unplanned, weighted, statistics, outbox, deliveries}};
  puller.Start(now);
  EXPECT_EQ(unplanned.Count(TaskState::kReserved), 0) << "MasterSlave plans nothing";
  EXPECT_DOUBLE_EQ(statistics.Node({0}).share, 1.0 / 6);
  EXPECT_DOUBLE_EQ(statistics.Node({2}).share, 0.5);
}

TEST_F(StrategyDriverTest, ACopyThatIsDroppedIsCancelledAtItsWorker) {
  Connect(0);
  Connect(1);
  Lease({0, 1}, 0);
  const scheduling::CopyDecision copy{{1}, {0, 1}};
  const scheduling::DropCopiesDecision drop{{1}, {0, 1}};
  StrategyDriver scripted{std::make_unique<Scripted>(std::vector<scheduling::Decision>{copy, drop}),
                          true,
                          {ledger, membership, statistics, outbox, deliveries}};
  scripted.Decide(now);
  EXPECT_TRUE(ledger.Copies({1}).Empty());
  EXPECT_EQ(ledger.StateOf(0), TaskState::kLeased) << "the original goes on";
  ledger.CheckInvariants();
  const auto cancels = Sent<Cancel>(outbox.Take(now), StreamOf(1));
  ASSERT_EQ(cancels.size(), 1U);
  EXPECT_EQ(cancels[0].ranges, (std::vector<model::IndexRange>{{0, 1}}));
}

TEST_F(StrategyDriverTest, PredictsTheEndOfAPlanOnceATenthOfItIsDone) {
  statistics.AddCompleted({0}, 1, 9, Duration::zero());
  statistics.PredictShareEnd({0}, 0, 10, now);
  EXPECT_EQ(statistics.Node({0}).predicted_end, Duration::zero()) << "nothing is planned";
  statistics.PredictShareEnd({0}, 100, 10, now);
  EXPECT_EQ(statistics.Node({0}).predicted_end, Duration::zero());
  statistics.AddCompleted({0}, 1, 1, Duration::zero());
  statistics.PredictShareEnd({0}, 100, 10, now);
  EXPECT_EQ(statistics.Node({0}).predicted_end, std::chrono::seconds(9)) << "90 units are left";
  statistics.AddCompleted({0}, 1, 10, Duration::zero());
  statistics.PredictShareEnd({0}, 100, 10, now + std::chrono::seconds(4));
  EXPECT_EQ(statistics.Node({0}).predicted_end, std::chrono::seconds(9)) << "predicted once";
}

TEST_F(StrategyDriverTest, AllTasksAreRecalledWithoutWaitingForAnAnswer) {
  Connect(0);
  driver.RecallAll(StreamOf(0));
  const auto recalls = Sent<Recall>(outbox.Take(now), StreamOf(0));
  ASSERT_EQ(recalls.size(), 1U);
  EXPECT_EQ(recalls[0].max_tasks, kTasks);
  EXPECT_TRUE(recalls[0].failed_before);
  EXPECT_EQ(driver.NextRecallExpiry(), kNever);
  driver.RecallAnswered({0}, recalls[0].id, 0, now);
  EXPECT_EQ(statistics.Snapshot(now).recalls_failed, 0);
}

TEST_F(StrategyDriverTest, TasksThatComeBackAreLeasedAgain) {
  Connect(0);
  Lease({0, 1}, 0);
  (void)ledger.Release({0}, {0, 1}, nullptr);
  driver.Return({0}, {0, 1}, scheduling::TaskOrigin::kGivenBack, now);
  ledger.CheckInvariants();
  Decide();
  EXPECT_EQ(ledger.StateOf(0), TaskState::kLeased);
}

TEST_F(StrategyDriverTest, AWorkerThatIsLostGetsNothing) {
  Connect(0);
  Connect(1);
  (void)membership.Remove({0});
  placement.UpdateAvailability({0});
  driver.WorkerLost({0}, now);
  Decide();
  EXPECT_EQ(ledger.OutstandingTasks({0}), 0);
  EXPECT_GT(ledger.OutstandingTasks({1}), 0);
  (void)outbox.Take(now);
}

}  // namespace
}  // namespace evenkeel::engine
