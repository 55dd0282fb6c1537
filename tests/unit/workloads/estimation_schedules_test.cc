#include <gtest/gtest.h>

#include <numeric>

#include "core/base/rng.h"
#include "tests/unit/workloads/estimation_case.h"
#include "workloads/parameter_estimation/exact_schedule.h"
#include "workloads/parameter_estimation/list_schedule.h"

namespace evenkeel::workloads::parameter_estimation {
namespace {

constexpr std::int64_t kAmple = 10'000'000;

/// The proven length of the shortest schedule.
std::uint32_t Shortest(const SchedulingProblem& problem, const UnitCounts& counts) {
  const Schedule list = ListSchedule(problem, counts);
  ExpectValid(problem, counts, list);
  const ExactSchedule exact = FindShortestSchedule(problem, counts, list, kAmple, {});
  ExpectValid(problem, counts, exact.schedule);
  EXPECT_TRUE(exact.proven);
  EXPECT_LE(LengthOf(problem, exact.schedule), LengthOf(problem, list));
  EXPECT_GE(LengthOf(problem, exact.schedule), LowerBound(problem, counts));
  return LengthOf(problem, exact.schedule);
}

/// Cycles by the numbers of adders and multipliers.
struct Known {
  std::uint32_t adders;
  std::uint32_t multipliers;
  std::uint32_t cycles;
};

void ExpectKnown(const EstimationSpec& spec, const std::vector<Known>& known) {
  const SchedulingProblem problem = ProblemOf(spec);
  for (const Known& row : known) {
    EXPECT_EQ(Shortest(problem, {row.adders, row.multipliers}), row.cycles)
        << row.adders << " adders, " << row.multipliers << " multipliers";
  }
}

// Optima that are found throughout the literature, e.g. with constraint programming (Kuchcinski),
// integer programming (Hwang, Lee and Hsu 1991) and force-directed scheduling (Paulin and Knight).
TEST(EstimationSchedules, EllipticWaveFilterHasItsPublishedLengths) {
  ExpectKnown(FilterSpec("EllipticWaveFilter", 2),
              {{1, 1, 28}, {2, 1, 21}, {2, 2, 18}, {3, 3, 17}, {8, 8, 17}});
  ExpectKnown(FilterSpec("EllipticWaveFilter", 2, true),
              {{2, 1, 19}, {3, 1, 18}, {3, 2, 17}, {8, 8, 17}});
  ExpectKnown(FilterSpec("EllipticWaveFilter", 1), {{8, 8, 14}});
}

TEST(EstimationSchedules, DiffeqHasItsPublishedLengths) {
  ExpectKnown(FilterSpec("Diffeq", 1), {{1, 1, 7}, {2, 2, 4}, {8, 8, 4}, {1, 8, 5}});
  ExpectKnown(FilterSpec("Diffeq", 2), {{1, 1, 13}, {1, 2, 8}, {2, 2, 7}, {2, 3, 6}});
}

TEST(EstimationSchedules, FiltersOfAllShapesAreSolved) {
  // Critical paths: add, multiply, 7 adds; and multiply, 2 adds, multiply, add, multiply, 2 adds.
  ExpectKnown(FilterSpec("Fir16", 2), {{8, 8, 10}, {1, 1, 18}});
  ExpectKnown(FilterSpec("ArLattice", 2), {{8, 8, 11}, {1, 1, 34}});
  for (const char* graph : {"Fir16", "ArLattice", "EllipticWaveFilter", "Diffeq"}) {
    for (const bool pipelined : {false, true}) {
      const SchedulingProblem problem = ProblemOf(FilterSpec(graph, 2, pipelined));
      for (std::uint32_t adders = 1; adders <= 4; ++adders) {
        for (std::uint32_t multipliers = 1; multipliers <= 4; ++multipliers) {
          const std::uint32_t cycles = Shortest(problem, {adders, multipliers});
          EXPECT_LE(Shortest(problem, {adders + 1, multipliers}), cycles);
          EXPECT_LE(Shortest(problem, {adders, multipliers + 1}), cycles);
        }
      }
    }
  }
}

/// A graph of `operations` with random operands and up to three types of units.
SchedulingProblem RandomProblem(Rng& rng, std::size_t operations) {
  EstimationSpec spec;
  const std::vector<std::string> kinds{"a", "b", "c"};
  for (const std::string& kind : kinds) {
    UnitType unit;
    unit.name = kind;
    unit.kinds = {kind};
    unit.cycles = 1 + static_cast<std::uint32_t>(rng.Below(3));
    unit.pipelined = rng.Chance(0.3);
    spec.units.push_back(unit);
  }
  for (std::size_t n = 0; n < operations; ++n) {
    Operation operation{"o" + std::to_string(n), kinds[rng.Below(kinds.size())], {}};
    for (std::size_t earlier = 0; earlier < n; ++earlier) {
      if (rng.Chance(0.3)) operation.after.push_back(earlier);
    }
    spec.graph.push_back(operation);
  }
  return ProblemOf(spec);
}

TEST(EstimationSchedules, SmallGraphsAsShortAsByTryingAll) {
  int shorter_than_list = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Rng rng(seed);
    const SchedulingProblem problem = RandomProblem(rng, 1 + rng.Below(8));
    UnitCounts counts;
    for (int n = 0; n < 3; ++n) counts.push_back(1 + static_cast<std::uint32_t>(rng.Below(2)));
    const std::uint32_t shortest = Shortest(problem, counts);
    ASSERT_EQ(shortest, ShortestByTryingAll(problem, counts)) << "seed " << seed;
    if (shortest < LengthOf(problem, ListSchedule(problem, counts))) ++shorter_than_list;
  }
  EXPECT_GE(shorter_than_list, 10) << "or the search was never asked for anything";
}

TEST(EstimationSchedules, TheLimitEndsTheSearchWithTheListSchedule) {
  const SchedulingProblem problem = ProblemOf(FilterSpec("EllipticWaveFilter", 2));
  const UnitCounts counts{2, 2};
  const Schedule list = ListSchedule(problem, counts);
  ASSERT_GT(LengthOf(problem, list), LowerBound(problem, counts));
  const ExactSchedule exact = FindShortestSchedule(problem, counts, list, 3, {});
  EXPECT_FALSE(exact.proven);
  EXPECT_EQ(exact.schedule, list);
}

TEST(EstimationSchedules, AStopEndsTheSearch) {
  const SchedulingProblem problem = ProblemOf(FilterSpec("EllipticWaveFilter", 2));
  std::stop_source stop;
  stop.request_stop();
  const UnitCounts counts{2, 2};
  EXPECT_TRUE(
      FindShortestSchedule(problem, counts, ListSchedule(problem, counts), kAmple, stop.get_token())
          .stopped);
}

TEST(EstimationSchedules, GraphsOfTheLargestSize) {
  Rng rng(7);
  const SchedulingProblem most = RandomProblem(rng, kMaxExactOperations);
  const UnitCounts counts{2, 1, 2};
  const Schedule list = ListSchedule(most, counts);
  ExpectValid(most, counts, FindShortestSchedule(most, counts, list, 20'000, {}).schedule);
  const SchedulingProblem huge = RandomProblem(rng, kMaxOperations);
  ExpectValid(huge, counts, ListSchedule(huge, counts));
}

}  // namespace
}  // namespace evenkeel::workloads::parameter_estimation
