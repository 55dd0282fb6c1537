#include "cluster/worker_size.h"

#include <gtest/gtest.h>

namespace evenkeel::cluster {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

NodeView Board(std::int64_t millicores = 4000, std::int64_t memory_bytes = 8 * kGiB) {
  NodeView node;
  node.profile.name = "a";
  node.profile.cpu_millicores = 4000;
  node.allocatable = {millicores, memory_bytes, 110, {}};
  return node;
}

WeightedJob JobWith(model::TaskResources need) {
  WeightedJob job;
  job.resources = WithWorkerDefaults({});
  job.spec.task_resources = std::move(need);
  return job;
}

TEST(ThreadsOf, AreTheCoresThatAWorkerMayUse) {
  WeightedJob job;
  EXPECT_EQ(ThreadsOf(job, Board()), 4);
  for (const auto& [limit, threads] : {std::pair("500m", 1), {"2", 2}, {"1500m", 2}, {"16", 4}}) {
    job.resources.limits["cpu"] = limit;
    EXPECT_EQ(ThreadsOf(job, Board()), threads) << limit;
  }
}

TEST(ThreadsOf, LeaveTheCoresThatAreReservedForTheSystem) {
  EXPECT_EQ(ThreadsOf({}, Board(3400)), 4);
  EXPECT_EQ(ThreadsOf({}, Board(3000)), 3);
  EXPECT_EQ(ThreadsOf({}, Board(93)), 1);
  EXPECT_EQ(ThreadsOf({}, Board(0)), 4);  // not reported yet
}

TEST(ThreadsOf, AreTheLeastThatTheResourcesOfTheNodeDivideInto) {
  EXPECT_EQ(ThreadsOf(JobWith({1000, {}, {}}), Board()), 4);
  EXPECT_EQ(ThreadsOf(JobWith({1500, {}, {}}), Board()), 2);
  EXPECT_EQ(ThreadsOf(JobWith({250, {}, {}}), Board()), 16);
  EXPECT_EQ(ThreadsOf(JobWith({{}, 3 * kGiB, {}}), Board()), 2);
  EXPECT_EQ(ThreadsOf(JobWith({1000, kGiB, {}}), Board()), 4);
  EXPECT_EQ(ThreadsOf(JobWith({5000, {}, {}}), Board()), 0);
  EXPECT_EQ(ThreadsOf(JobWith({{}, 9 * kGiB, {}}), Board()), 0);
  const WeightedJob with_gpu = JobWith({{}, {}, {{"nvidia.com/gpu", 1}}});
  EXPECT_EQ(ThreadsOf(with_gpu, Board()), 0);
  NodeView with_one = Board();
  with_one.allocatable.extended = {{"nvidia.com/gpu", 1}};
  EXPECT_EQ(ThreadsOf(with_gpu, with_one), 1);
}

TEST(SizeOf, WithoutNeedsOfTasksIsWhatTheJobAsksFor) {
  const WeightedJob job = JobWith({});
  const WorkerSize size = SizeOf(job, Board(), {3900, 7 * kGiB, 3, {}});
  EXPECT_EQ(size.threads, 4);
  EXPECT_EQ(size.resources, job.resources);
}

TEST(SizeOf, MemoryOfOtherPodsTakesTasksAway) {
  const WeightedJob job = JobWith({{}, 2 * kGiB, {}});
  EXPECT_EQ(SizeOf(job, Board(), {}).threads, 4);
  const WorkerSize size = SizeOf(job, Board(), {0, 1, 1, {}});
  EXPECT_EQ(size.threads, 3);
  EXPECT_EQ(RequestsOf(size.resources).memory_bytes, 6 * kGiB);
  EXPECT_EQ(RequestsOf(size.resources).cpu_millicores, 250);  // as without needs of tasks
}

TEST(SizeOf, CpuIsRoundedToTheNearestTaskAndNeverAboveWhatIsLeft) {
  const WeightedJob job = JobWith({1000, {}, {}});
  const auto at = [&](std::int64_t used) {
    const WorkerSize size = SizeOf(job, Board(), {used, 0, 1, {}});
    return std::pair(size.threads, RequestsOf(size.resources).cpu_millicores);
  };
  EXPECT_EQ(at(0), std::pair(4, std::int64_t{4000}));
  EXPECT_EQ(at(110), std::pair(4, std::int64_t{3890}));
  EXPECT_EQ(at(500), std::pair(4, std::int64_t{3500}));
  EXPECT_EQ(at(501), std::pair(3, std::int64_t{3000}));
  EXPECT_EQ(at(3500), std::pair(1, std::int64_t{500}));
  // That much has to be free.
  EXPECT_EQ(LeastRoom(job).cpu_millicores, 500);
  EXPECT_EQ(WorkerRequests(job).cpu_millicores, 1000);
}

TEST(FractionOfNode, IsThePartOfItsCpuThatTasksUse) {
  EXPECT_EQ(FractionOfNode(JobWith({}), Board(), 4), 1);
  EXPECT_EQ(FractionOfNode(JobWith({1500, {}, {}}), Board(), 2), 0.75);
  EXPECT_EQ(FractionOfNode(JobWith({{}, 3 * kGiB, {}}), Board(), 2), 0.5);
  EXPECT_EQ(FractionOfNode(JobWith({{}, kGiB, {}}), Board(3400), 4), 1);
}

}  // namespace
}  // namespace evenkeel::cluster
