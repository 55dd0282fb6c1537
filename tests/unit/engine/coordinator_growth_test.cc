#include "tests/unit/engine/coordinator_fixture.h"

namespace evenkeel::engine {
namespace {

class CoordinatorGrowthTest : public CoordinatorFixture {
 protected:
  void GrowTo(std::int64_t tasks, InputOf input_of = nullptr) {
    Note(coordinator().OnGrown(
        {std::make_shared<model::UnitCosts>(tasks), std::move(input_of), "{}"}, now));
  }
};

TEST_F(CoordinatorGrowthTest, IdleWorkersGetAppendedTasksAtOnce) {
  Start(2, 2);
  Connect(1, 0);
  Connect(2, 1);
  Done(1, {0, 1});
  EXPECT_TRUE(Assigned(1).empty());
  GrowTo(4);
  EXPECT_EQ(Assigned(1), (Ranges{{2, 3}}));
  EXPECT_TRUE(Assigned(2).empty()) << "it has a task";
}

TEST_F(CoordinatorGrowthTest, TheJobEndsWithTheLastOfAllTasks) {
  Start(1, 1);
  Connect(1, 0);
  Done(1, {0, 1});
  GrowTo(2);  // before the first result is durable
  AllDurable();
  EXPECT_TRUE(Wanted<EndJob>().empty());
  EXPECT_EQ(coordinator().CurrentProgress(now).tasks_total, 2);
  Done(1, {1, 2});
  AllDurable();
  ASSERT_EQ(Wanted<EndJob>().size(), 1u);
  EXPECT_EQ(Wanted<EndJob>()[0].state, model::JobState::kComplete);
  GrowTo(3);
  EXPECT_TRUE(effects.empty()) << "a job that is over does not begin again";
}

TEST_F(CoordinatorGrowthTest, ResultsOfAppendedTasksCountAndOthersDoNot) {
  Start(1, 1);
  Connect(1, 0);
  GrowTo(3);
  Done(1, {0, 1});
  Done(1, {1, 2});
  EXPECT_EQ(Wanted<Persist>().size(), 1u);
  Done(1, {3, 4});
  EXPECT_EQ(Wanted<CloseStream>().size(), 1u) << "there is no such task";
}

TEST_F(CoordinatorGrowthTest, AppendedTasksHaveTheirInputs) {
  config.input_of = [](model::TaskIndex) { return "old"; };
  Start(1, 1);
  Connect(1, 0);
  GrowTo(2, [](model::TaskIndex index) { return index == 1 ? "new" : "old"; });
  Done(1, {0, 1});
  const auto assigns = Sent<Assign>(1);
  ASSERT_EQ(assigns.size(), 1u);
  EXPECT_EQ(assigns[0].grants[0].inputs.Of(1), "new");
}

TEST_F(CoordinatorGrowthTest, WorkersThatComeLaterAreToldTheNewParameters) {
  Start(1, 1);
  GrowTo(2);
  Connect(1, 0);
  ASSERT_EQ(Sent<Welcome>(1).size(), 1u);
  EXPECT_EQ(Sent<Welcome>(1)[0].workload_parameters, "{}");
}

TEST_F(CoordinatorGrowthTest, ASuccessPolicyCountsAppendedTasksUnlessItNamesItsOwn) {
  config.job.task_policy.success.succeeded_count = 2;
  Start(1, 1);
  Connect(1, 0);
  GrowTo(3);
  Done(1, {0, 1});
  Done(1, {1, 2});
  AllDurable();
  ASSERT_EQ(Wanted<EndJob>().size(), 1u);
  EXPECT_EQ(Wanted<EndJob>()[0].reason, model::kSuccessPolicyMet);
}

TEST_F(CoordinatorGrowthTest, NothingIsGivenOutWhileTheJobDrains) {
  Start(1, 1);
  Connect(1, 0);
  Note(coordinator().OnInterrupt("suspended", std::chrono::seconds(5), now));
  GrowTo(3);
  Done(1, {0, 1});
  EXPECT_TRUE(Assigned(1).empty());
  AllDurable();
  ASSERT_EQ(Wanted<EndJob>().size(), 1u);
  EXPECT_EQ(Wanted<EndJob>()[0].state, model::JobState::kInterrupted);
}

TEST_F(CoordinatorGrowthTest, TasksAppendedWithoutWorkersWaitForTheNextWorker) {
  config.job.balancing.strategy = model::StrategyName::kTailStealing;
  Start(1, 1);
  Wait(std::chrono::seconds(11));  // no worker connects
  GrowTo(3);
  Connect(1, 0);
  EXPECT_FALSE(Assigned(1).empty());
  EXPECT_EQ(coordinator().CurrentProgress(now).nodes.size(), 1u);
}

}  // namespace
}  // namespace evenkeel::engine
