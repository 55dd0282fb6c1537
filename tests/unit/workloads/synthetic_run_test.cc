#include <gtest/gtest.h>
#include <time.h>

#include <chrono>

#include "tests/unit/workloads/job_run.h"
#include "workloads/little_endian.h"
#include "workloads/synthetic/task_costs.h"

namespace evenkeel::workloads {
namespace {

using std::chrono::steady_clock;

double ThreadCpuSeconds() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

double SecondsToRun(const Workload& workload, double speed) {
  std::string result;
  TaskFailure failure;
  RunnerOptions options;
  options.speed = speed;
  const auto runner = workload.MakeRunner(options);
  const auto start = steady_clock::now();
  EXPECT_EQ(runner->Run({}, std::stop_token(), result, failure), TaskOutcome::kDone);
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

TEST(SyntheticRun, ReturnsIndexAndHash) {
  const auto none = MakeOrFail("synthetic", R"({"tasks": 5, "mode": "None", "seed": 9})");
  const std::string result = ResultOf(*none, 3);
  ASSERT_EQ(result.size(), 16u);
  EXPECT_EQ(ReadLittleEndian(result, 0), 3u);
  EXPECT_EQ(ReadLittleEndian(result, 8), synthetic::TaskHash(9, 3));
}

TEST(SyntheticRun, SleepsAsLongAsTheCostAtTheNodesSpeed) {
  const auto sleep = MakeOrFail("synthetic", R"({"tasks": 1, "cost": {"constant": 0.02}})");
  // Only the lower bounds are sharp: a busy machine may wake us late.
  const double at_speed_1 = SecondsToRun(*sleep, 1.0);
  EXPECT_GE(at_speed_1, 0.02);
  EXPECT_LT(at_speed_1, 10.0);
  EXPECT_GE(SecondsToRun(*sleep, 0.25), 0.08);
  const auto day = MakeOrFail("synthetic", R"({"tasks": 1, "cost": {"constant": 86400}})");
  EXPECT_LT(SecondsToRun(*day, 1e7), 10.0);
}

TEST(SyntheticRun, SleepingTakesNoCpuTime) {
  const auto sleep = MakeOrFail("synthetic", R"({"tasks": 1, "cost": {"constant": 0.1}})");
  const double before = ThreadCpuSeconds();
  SecondsToRun(*sleep, 1.0);
  EXPECT_LT(ThreadCpuSeconds() - before, 0.02);
}

TEST(SyntheticRun, SpinsForItsCpuTimeWhateverTheSpeed) {
  const auto spin =
      MakeOrFail("synthetic", R"({"tasks": 1, "cost": {"constant": 0.02}, "mode": "Spin"})");
  const double before = ThreadCpuSeconds();
  SecondsToRun(*spin, 4.0);
  const double used = ThreadCpuSeconds() - before;
  EXPECT_GE(used, 0.02);
  EXPECT_LT(used, 0.03);
}

TEST(SyntheticRun, AStopEndsATaskAtOnce) {
  for (const std::string mode : {"Sleep", "Spin"}) {
    const auto day = MakeOrFail(
        "synthetic", R"({"tasks": 1, "cost": {"constant": 86400}, "mode": ")" + mode + "\"}");
    EXPECT_EQ(StopMidRun(*day, 0), TaskOutcome::kStopped) << mode;
  }
}

TEST(SyntheticRun, InjectedFailuresFailEveryTime) {
  const auto some =
      MakeOrFail("synthetic", R"({"tasks": 5, "mode": "None", "failing": [4, 1, 1]})");
  const auto runner = some->MakeRunner({});
  for (const model::TaskIndex task : {0, 1, 2, 3, 4, 1}) {
    std::string result;
    TaskFailure failure;
    const bool fails = task == 1 || task == 4;
    EXPECT_EQ(runner->Run({task, 0, {}}, std::stop_token(), result, failure),
              fails ? TaskOutcome::kFailed : TaskOutcome::kDone);
    EXPECT_EQ(failure.reason, fails ? "injected failure" : "");
    EXPECT_EQ(result.empty(), fails);
  }
}

TEST(SyntheticRun, SomeFailOnlyAtFirstAndSayAnExitCode) {
  const auto some = MakeOrFail(
      "synthetic",
      R"({"tasks": 5, "mode": "None", "failing": [4], "failingAttempts": 2, "exitCode": 75})");
  const auto runner = some->MakeRunner({});
  for (const std::int32_t attempt : {0, 1, 2}) {
    std::string result;
    TaskFailure failure;
    EXPECT_EQ(runner->Run({4, attempt, {}}, std::stop_token(), result, failure),
              attempt < 2 ? TaskOutcome::kFailed : TaskOutcome::kDone);
    EXPECT_EQ(failure.exit_code.value_or(0), attempt < 2 ? 75 : 0);
  }
}

TEST(SyntheticReduce, AnyOrderGivesTheSameResultAndRows) {
  const auto none = MakeOrFail("synthetic", R"({"tasks": 3000, "mode": "None"})");
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const TempFolder folder;
    EXPECT_EQ(RunJob(*none, ShuffledRanges(3000, 40, seed), folder.Path()),
              "{\"tasks\":3000,\"checksum\":\"38e0aeafdd52c4de\"}");
    const NpyFile npy = ReadNpy(folder.Path() / "results.npy");
    EXPECT_EQ(npy.dictionary, "{'descr': '<u8', 'fortran_order': False, 'shape': (3000, 2, ), }");
    ASSERT_EQ(npy.elements.size(), 6000u);
    for (std::size_t task = 0; task < 3000; ++task) {
      ASSERT_EQ(npy.elements[2 * task], task);
      ASSERT_EQ(npy.elements[2 * task + 1],
                synthetic::TaskHash(1, static_cast<model::TaskIndex>(task)));
    }
  }
}

TEST(SyntheticReduce, TasksThatFailedForGoodHaveNoRow) {
  const TempFolder folder;
  const auto none = MakeOrFail("synthetic", R"({"tasks": 4, "mode": "None"})");
  static_cast<void>(RunJob(*none, {{3, 4}, {0, 2}}, folder.Path()));
  const auto elements = ReadNpy(folder.Path() / "results.npy").elements;
  ASSERT_EQ(elements.size(), 6u);
  EXPECT_EQ(elements[2], 1u);
  EXPECT_EQ(elements[4], 3u);
}

TEST(SyntheticReduce, AWrongResultIsAnError) {
  const auto none = MakeOrFail("synthetic", R"({"tasks": 4, "mode": "None"})");
  const auto other = MakeOrFail("synthetic", R"({"tasks": 4, "mode": "None", "seed": 2})");
  for (const std::string& wrong : {ResultOf(*none, 1), ResultOf(*other, 2), std::string("short")}) {
    model::PackedResults results;
    results.Append(wrong);
    const auto added = none->MakeReducer()->Add({2, 3}, results);
    ASSERT_FALSE(added.has_value());
    EXPECT_EQ(added.error().message, "task 2: its result is not the one it must have");
  }
}

}  // namespace
}  // namespace evenkeel::workloads
