#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/workloads/job_run.h"
#include "workloads/primes/trial_division.h"

namespace evenkeel::workloads {
namespace {

/// Counts the divisions by doing them.
std::vector<model::Cost> DivisionsDone(std::int64_t end) {
  std::vector<model::Cost> divisions;
  for (std::uint32_t candidate = 1; candidate <= end; candidate += 2) {
    model::Cost done = 0;
    for (std::uint32_t divisor = 3; divisor < candidate; divisor += 2) {
      ++done;
      if (candidate % divisor == 0) break;
    }
    divisions.push_back(done);
  }
  return divisions;
}

TEST(PrimesCosts, AreTheDivisionsOfEachCandidate) {
  constexpr std::int64_t kEnd = 70'001;  // beyond one segment of the sieve for factors
  EXPECT_EQ(primes::DivisionsByTask({kEnd, 1}), DivisionsDone(kEnd));
}

TEST(PrimesCosts, AreRightAtEverySmallEnd) {
  const auto all = DivisionsDone(400);
  for (std::int64_t end = 1; end <= 400; ++end) {
    const std::vector<model::Cost> want(all.begin(), all.begin() + (end + 1) / 2);
    EXPECT_EQ(primes::DivisionsByTask({end, 1}), want) << "to " << end;
  }
}

TEST(PrimesCosts, OfATaskAreThoseOfItsCandidates) {
  constexpr std::int64_t kEnd = 70'001;
  const auto single = DivisionsDone(kEnd);
  for (const std::int64_t per_task : {2, 7, 1'000, 32'767, 32'768, 32'769, 40'000}) {
    std::vector<model::Cost> want;
    for (std::size_t i = 0; i < single.size(); ++i) {
      if (i % static_cast<std::size_t>(per_task) == 0) want.push_back(0);
      want.back() += single[i];
    }
    EXPECT_EQ(primes::DivisionsByTask({kEnd, per_task}), want) << per_task << " a task";
  }
}

TEST(PrimesCosts, AreKnownToTheScheduler) {
  const auto primes = MakeOrFail("primes", R"({"end": 100})");
  const auto costs = primes->Costs();
  EXPECT_TRUE(costs->Known());
  EXPECT_EQ(costs->TaskCount(), 50);
  EXPECT_EQ(costs->Longest(), 47) << "97 is divided by 3, 5, ..., 95";
  EXPECT_EQ(costs, primes->TrueCosts());
  EXPECT_EQ(costs, primes->Costs()) << "computed once";
  EXPECT_EQ(primes->DeclaredUnitsPerSecond(), 0.0);
  EXPECT_FALSE(primes->Sleeps());
}

TEST(PrimesCosts, MayBeAskedForByManyThreadsAtOnce) {
  const auto primes = MakeOrFail("primes", R"({"end": 200000})");
  std::vector<std::shared_ptr<const model::CostModel>> seen(4);
  {
    std::vector<std::jthread> threads;
    for (auto& costs : seen) threads.emplace_back([&] { costs = primes->Costs(); });
  }
  for (const auto& costs : seen) EXPECT_EQ(costs, seen.front());
}

TEST(PrimesCosts, OfSieveAreCandidates) {
  const auto primes =
      MakeOrFail("primes", R"({"end": 100, "method": "Sieve", "candidatesPerTask": 20})");
  const auto costs = primes->Costs();
  EXPECT_TRUE(costs->Known());
  EXPECT_EQ(costs->TaskCount(), 3);
  EXPECT_EQ(costs->Of({0, 1}), 20);
  EXPECT_EQ(costs->Of({2, 3}), 10) << "the last task is shorter";
  EXPECT_EQ(costs->Total(), 50);
  EXPECT_EQ(costs->Longest(), 20);
  EXPECT_EQ(MakeOrFail("primes", R"({"end": 5, "method": "Sieve"})")->Costs()->Longest(), 3);
}

}  // namespace
}  // namespace evenkeel::workloads
