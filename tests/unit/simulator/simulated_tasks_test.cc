#include "simulator/simulated_tasks.h"

#include <gtest/gtest.h>

namespace evenkeel::simulator {
namespace {

SimulationConfig ThreeTasks() {
  SimulationConfig config;
  config.true_costs = {1, 2, 4};
  config.failing[1] = 1;
  config.exit_codes[1] = 7;
  return config;
}

TEST(SimulatedTasks, ATaskFailsAsOftenAsConfigured) {
  const SimulationConfig config = ThreeTasks();
  SimulatedTasks tasks(config);
  model::PackedResults results;
  const auto failure = tasks.End(1, 0, results);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->exit_code, 7);
  EXPECT_EQ(tasks.times_run()[1], 0);
  EXPECT_FALSE(tasks.End(1, 0, results));
  EXPECT_EQ(tasks.times_run()[1], 1);
  EXPECT_EQ(results.At(0), "1");
}

TEST(SimulatedTasks, ATaskWithTooLittleMemoryIsKilled) {
  SimulationConfig config = ThreeTasks();
  config.memory_bytes[2] = 100;
  SimulatedTasks tasks(config);
  model::PackedResults results;
  const auto failure = tasks.End(2, 99, results);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cause, model::FailureCause::kOutOfMemory);
  EXPECT_FALSE(tasks.End(2, 100, results));
}

TEST(SimulatedTasks, CountsRunsThatBeginAfterTheAcknowledgement) {
  const SimulationConfig config = ThreeTasks();
  SimulatedTasks tasks(config);
  EXPECT_DOUBLE_EQ(tasks.Begin({0, 3}), 7);
  tasks.CountAcknowledged({{0, 1}});
  EXPECT_EQ(tasks.run_after_acknowledged(), 0);
  EXPECT_DOUBLE_EQ(tasks.Begin({0, 2}), 3);
  EXPECT_EQ(tasks.run_after_acknowledged(), 1);
}

TEST(SimulatedTasks, KeepsNoAccountsUnlessAsked) {
  SimulationConfig config = ThreeTasks();
  config.account_tasks = false;
  SimulatedTasks tasks(config);
  model::PackedResults results;
  EXPECT_FALSE(tasks.End(0, 0, results));
  EXPECT_EQ(results.At(0), "");
  EXPECT_TRUE(tasks.times_run().empty());
}

}  // namespace
}  // namespace evenkeel::simulator
