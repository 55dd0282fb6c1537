// The switch agrees with queueing theory and with the papers.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/workloads/job_run.h"
#include "workloads/switch_simulation/algorithm.h"
#include "workloads/switch_simulation/task_result.h"

namespace evenkeel::workloads {
namespace {

using switch_simulation::Algorithm;
using switch_simulation::kAllAlgorithms;
using switch_simulation::LossOf;
using switch_simulation::MeanDelayOf;
using switch_simulation::NameOf;
using switch_simulation::TaskResult;

constexpr int kSlots = 100'000;
constexpr double kChances = 16.0 * kSlots;

TaskResult Simulate(Algorithm algorithm, const std::string& load, int buffer_size) {
  const auto workload = MakeOrFail(
      "switchSimulation", R"({"slots": )" + std::to_string(kSlots) + R"(, "loads": [)" + load +
                              R"(], "bufferSizes": [)" + std::to_string(buffer_size) +
                              R"(], "algorithms": [")" + std::string(NameOf(algorithm)) + "\"]}");
  const auto result = switch_simulation::ReadResult(ResultOf(*workload, 0));
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return result.value_or(TaskResult{});
}

double Throughput(const TaskResult& result) {
  return static_cast<double>(result.departed) / kChances;
}

/// Mean wait at an output that never loses a cell: Karol, Hluchyj and Morgan, "Input versus output
/// queueing on a space-division packet switch", IEEE Trans. Comm. 35(12), 1987, equation 10. All
/// work-conserving orders of service have the same mean.
double MeanWait(double load, double ports) { return (ports - 1) / ports * load / (2 * (1 - load)); }

TEST(SwitchTheory, LargeBuffersLoseNothingBelowLoadOneAndWaitAsTheoryHasIt) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    for (const double load : {0.3, 0.8}) {
      SCOPED_TRACE(testing::Message() << NameOf(algorithm) << " at load " << load);
      const TaskResult result = Simulate(algorithm, std::to_string(load), 1000);
      EXPECT_EQ(result.lost, 0u);
      EXPECT_NEAR(Throughput(result), load, 0.005);
      EXPECT_NEAR(MeanDelayOf(result) / MeanWait(load, 16), 1, 0.03);
    }
  }
}

TEST(SwitchTheory, EveryAlgorithmThatNeverIdlesHasTheSameMeanWait) {
  const TaskResult first = Simulate(Algorithm::kLqf, "0.7", 1000);
  for (const Algorithm algorithm : kAllAlgorithms) {
    const TaskResult result = Simulate(algorithm, "0.7", 1000);
    EXPECT_EQ(result.departed, first.departed) << NameOf(algorithm);
    EXPECT_EQ(result.queued, first.queued) << NameOf(algorithm);
    EXPECT_NEAR(MeanDelayOf(result), MeanDelayOf(first), 0.001) << NameOf(algorithm);
  }
}

TEST(SwitchTheory, AtFullLoadTheThroughputComesNearOne) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    EXPECT_GT(Throughput(Simulate(algorithm, "1", 1000)), 0.99) << NameOf(algorithm);
  }
}

/// The loss with buffers of one cell. All queues that have one are alike then, so it does not
/// matter which is served, and the number k of full ones at the end of a slot is a Markov chain:
/// each of the others gets a cell with probability load / ports, then one of all is served; a cell
/// that meets a full one is lost.
double LossOfOneCell(int ports, double load) {
  const auto size = static_cast<std::size_t>(ports) + 1;
  const double each = load / ports;
  std::vector<double> now(size, 0);
  now[0] = 1;
  for (int slot = 0; slot < 5000; ++slot) {
    std::vector<double> next(size, 0);
    for (std::size_t k = 0; k < size; ++k) {
      const auto free = static_cast<double>(size - 1 - k);
      double chance = std::pow(1 - each, free);  // of no arrival
      for (std::size_t a = 0; k + a < size; ++a) {
        next[k + a > 0 ? k + a - 1 : 0] += now[k] * chance;
        chance *= (free - static_cast<double>(a)) / static_cast<double>(a + 1) * each / (1 - each);
      }
    }
    now = next;
  }
  double mean = 0;
  for (std::size_t k = 0; k < size; ++k) mean += static_cast<double>(k) * now[k];
  return mean / ports;
}

TEST(SwitchTheory, BuffersOfOneCellLoseWhatTheirMarkovChainSays) {
  EXPECT_NEAR(LossOfOneCell(2, 1), 1.0 / 6, 1e-12);
  for (const Algorithm algorithm : kAllAlgorithms) {
    for (const double load : {0.6, 1.0}) {
      SCOPED_TRACE(testing::Message() << NameOf(algorithm) << " at load " << load);
      const double loss = LossOf(Simulate(algorithm, std::to_string(load), 1));
      EXPECT_NEAR(loss / LossOfOneCell(16, load), 1, 0.01);
    }
  }
}

TEST(SwitchTheory, LongerQueuesFirstBeatRoundRobinInSmallBuffersAtHighLoad) {
  for (const int buffer_size : {2, 4, 8}) {
    for (const char* load : {"0.9", "1"}) {
      SCOPED_TRACE(testing::Message() << "buffers of " << buffer_size << ", load " << load);
      const TaskResult longest = Simulate(Algorithm::kLqf, load, buffer_size);
      const TaskResult in_turn = Simulate(Algorithm::kRr, load, buffer_size);
      EXPECT_LT(static_cast<double>(longest.lost), 0.95 * static_cast<double>(in_turn.lost));
      EXPECT_GE(longest.departed, in_turn.departed);
    }
  }
}

TEST(SwitchTheory, ServingOneQueueForLongLosesMoreThanTakingTurns) {
  const double in_turn = LossOf(Simulate(Algorithm::kRr, "0.95", 4));
  for (const Algorithm algorithm : {Algorithm::kErr, Algorithm::kFbrr}) {
    EXPECT_GT(LossOf(Simulate(algorithm, "0.95", 4)), in_turn) << NameOf(algorithm);
  }
  EXPECT_LT(LossOf(Simulate(Algorithm::kEelqf, "0.95", 4)),
            LossOf(Simulate(Algorithm::kElqf, "0.95", 4)));
}

TEST(SwitchTheory, LossGrowsWithTheLoadAndShrinksWithTheBuffer) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    double before = -1;
    for (const char* load : {"0.5", "0.7", "0.9", "1"}) {
      const double loss = LossOf(Simulate(algorithm, load, 2));
      EXPECT_GT(loss, before) << NameOf(algorithm) << " at load " << load;
      before = loss;
    }
    for (const int buffer_size : {4, 16, 64}) {
      const double loss = LossOf(Simulate(algorithm, "1", buffer_size));
      EXPECT_LT(loss, before) << NameOf(algorithm) << ", buffers of " << buffer_size;
      before = loss;
    }
  }
}

}  // namespace
}  // namespace evenkeel::workloads
