#include <gtest/gtest.h>

#include "tests/unit/workloads/job_run.h"
#include "workloads/primes/task_result.h"

namespace evenkeel::workloads {
namespace {

using primes::CandidateFlags;

/// Returns the reducer's error for `bytes` as the result of task 1 of `workload`.
std::string ReducerError(const Workload& workload, const std::string& bytes) {
  model::PackedResults results;
  results.Append(bytes);
  const auto added = workload.MakeReducer()->Add({1, 2}, results);
  return added ? "" : added.error().message;
}

TEST(PrimesResults, ABitmapMustHaveItsSizeAndNoMore) {
  const auto primes =
      MakeOrFail("primes", R"({"end": 40, "candidatesPerTask": 10})");  // 21, 23, ..., 39
  const std::string result = ResultOf(*primes, 1);
  EXPECT_EQ(ReducerError(*primes, result), "");
  EXPECT_EQ(ReducerError(*primes, result.substr(1)),
            "task 1: a result of primes has the wrong size");
  EXPECT_EQ(ReducerError(*primes, "\xff\x04"),
            "task 1: a result of primes marks more candidates than it has");
}

std::string Sieved(std::int64_t count, std::int64_t largest_candidate,
                   const std::vector<std::uint64_t>& distances) {
  std::string bytes;
  primes::AppendSieveHeader({count, largest_candidate}, bytes);
  for (const std::uint64_t distance : distances) primes::AppendDistance(distance, bytes);
  return bytes;
}

TEST(PrimesResults, ACountMustBePossible) {
  const primes::CandidateRange range{10, 20};  // 21, 23, ..., 39
  const auto accepted = [&](const std::string& bytes) {
    return primes::ReadSieved(range, bytes, nullptr).has_value();
  };
  EXPECT_TRUE(accepted(Sieved(4, 18, {})));
  EXPECT_TRUE(accepted(Sieved(0, 0, {})));
  EXPECT_FALSE(accepted(Sieved(11, 18, {}))) << "more primes than candidates";
  EXPECT_FALSE(accepted(Sieved(4, 20, {}))) << "the largest is beyond the task";
  EXPECT_FALSE(accepted(Sieved(4, 9, {}))) << "the largest is before the task";
  EXPECT_FALSE(accepted(Sieved(4, 18, {}) + "x"));
  EXPECT_FALSE(accepted(Sieved(4, 18, {}).substr(1)));
}

TEST(PrimesResults, AListMustAgreeWithItsCount) {
  const primes::CandidateRange range{10, 20};
  const auto accepted = [&](const std::string& bytes) {
    CandidateFlags flags(20);
    return primes::ReadSieved(range, bytes, &flags).has_value();
  };
  EXPECT_TRUE(accepted(Sieved(4, 18, {1, 3, 1, 3})));
  EXPECT_FALSE(accepted(Sieved(4, 18, {1, 3, 4}))) << "one is missing";
  EXPECT_FALSE(accepted(Sieved(4, 18, {1, 3, 1, 2}))) << "another largest";
  EXPECT_FALSE(accepted(Sieved(4, 18, {1, 3, 0, 4}))) << "one twice";
  EXPECT_FALSE(accepted(Sieved(5, 19, {1, 3, 1, 3, 2}))) << "beyond the task";
  EXPECT_FALSE(accepted(Sieved(4, 18, {1, 3, 1}) + "\x83")) << "cut short";
  EXPECT_FALSE(accepted(Sieved(4, 18, {}) + std::string(9, '\xff'))) << "too long a number";
}

TEST(PrimesResults, LargeDistancesComeBack) {
  const primes::CandidateRange range{0, 200'000};
  CandidateFlags flags(200'000);
  const auto read = primes::ReadSieved(range, Sieved(3, 199'999, {127, 128, 199'744}), &flags);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_TRUE(flags[127] && flags[255] && flags[199'999]);
}

TEST(PrimesResultsDeathTest, ATaskCountsOnce) {
  const auto primes = MakeOrFail("primes", R"({"end": 40, "candidatesPerTask": 10})");
  const auto reducer = primes->MakeReducer();
  ASSERT_TRUE(reducer->Add({0, 2}, RunRange(*primes, {0, 2})).has_value());
  EXPECT_DEATH(std::ignore = reducer->Add({1, 2}, RunRange(*primes, {1, 2})),
               "the result of a task came twice");
}

}  // namespace
}  // namespace evenkeel::workloads
