#include "core/scheduling/energy/least_energy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/base/rng.h"

namespace evenkeel::scheduling {
namespace {

double Sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Energy of a division that is done at `seconds`.
double JoulesOf(const EnergyQuestion& question, const std::vector<double>& shares, double time) {
  double joules = question.standing_watts * time;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    joules += shares[i] * question.nodes[i].watts / question.nodes[i].rate;
  }
  return joules;
}

/// The least energy at `seconds`, by looking at all corners of the linear program: any set of nodes
/// that work all the time, and one more that does the rest.
double BestCorner(const EnergyQuestion& question, double time) {
  const std::size_t n = question.nodes.size();
  double best = 1e300;
  for (unsigned full = 0; full < (1U << n); ++full) {
    std::vector<double> shares(n);
    for (std::size_t i = 0; i < n; ++i) {
      if ((full >> i & 1U) != 0) shares[i] = question.nodes[i].rate * time;
    }
    const double rest = 1 - Sum(shares);
    for (std::size_t k = 0; k < n; ++k) {
      const double most = question.nodes[k].rate * time;
      if ((full >> k & 1U) != 0 || rest < 0 || rest > most * (1 + 1e-12)) continue;
      auto one = shares;
      one[k] = rest;
      best = std::min(best, JoulesOf(question, one, time));
    }
  }
  return best;
}

EnergyQuestion RandomQuestion(Rng& rng) {
  EnergyQuestion question;
  const auto nodes = 1 + static_cast<std::size_t>(rng.Uniform(0, 5.999));
  for (std::size_t i = 0; i < nodes; ++i) {
    question.nodes.push_back({rng.Uniform(0.1, 10), rng.Uniform(0.5, 50)});
  }
  question.time_factor = rng.Uniform(1, 4);
  if (rng.Uniform(0, 1) < 0.5) question.standing_watts = rng.Uniform(0, 60);
  return question;
}

TEST(LeastEnergy, NoDivisionNeedsLess) {
  Rng rng(20);
  for (int round = 0; round < 300; ++round) {
    const EnergyQuestion question = RandomQuestion(rng);
    const EnergyAnswer answer = LeastEnergy(question);
    const double least = answer.fastest_seconds;
    const double most = least * question.time_factor;
    ASSERT_NEAR(Sum(answer.shares), 1, 1e-9);
    ASSERT_GE(answer.seconds, least * (1 - 1e-9));
    ASSERT_LE(answer.seconds, most * (1 + 1e-9));
    for (std::size_t i = 0; i < answer.shares.size(); ++i) {
      ASSERT_GE(answer.shares[i], 0);
      ASSERT_LE(answer.shares[i], question.nodes[i].rate * answer.seconds * (1 + 1e-9));
    }
    ASSERT_NEAR(JoulesOf(question, answer.shares, answer.seconds), answer.joules,
                1e-9 * answer.joules);
    constexpr int kTimes = 100;
    for (int step = 0; step <= kTimes; ++step) {
      const double time = least + (most - least) * step / kTimes + 1e-12;
      ASSERT_LE(answer.joules, BestCorner(question, time) * (1 + 1e-9)) << "round " << round;
    }
  }
}

TEST(LeastEnergy, AToleranceCostsNoMoreThanItself) {
  Rng rng(21);
  for (int round = 0; round < 300; ++round) {
    EnergyQuestion question = RandomQuestion(rng);
    const double exact = LeastEnergy(question).joules;
    question.tolerance = 0.1;
    const EnergyAnswer answer = LeastEnergy(question);
    ASSERT_NEAR(JoulesOf(question, answer.shares, answer.seconds), answer.joules,
                1e-9 * answer.joules);
    ASSERT_GE(answer.joules, exact * (1 - 1e-9));
    ASSERT_LE(answer.joules, exact * 1.1 * (1 + 1e-9));
  }
}

TEST(LeastEnergy, FillsTheCheapestToTheLimit) {
  // Joules a unit: 1, 2, 10; the fastest time is 1/6.
  const EnergyAnswer answer = LeastEnergy({{{3, 6}, {2, 2}, {1, 10}}, 1.2});
  EXPECT_DOUBLE_EQ(answer.seconds, 0.2);
  EXPECT_NEAR(answer.shares[1], 0.4, 1e-9);  // the cheapest, full
  EXPECT_NEAR(answer.shares[0], 0.6, 1e-9);
  EXPECT_EQ(answer.shares[2], 0);
  EXPECT_NEAR(answer.joules, 0.4 * 1 + 0.6 * 2, 1e-9);
}

TEST(LeastEnergy, EqualNodesDoNotWaitForTheLimit) {
  const EnergyAnswer answer = LeastEnergy({{{1, 3}, {1, 3}, {2, 6}}, 5});
  EXPECT_DOUBLE_EQ(answer.seconds, 0.25);
  EXPECT_NEAR(answer.shares[0], 0.25, 1e-9);
  EXPECT_NEAR(answer.shares[2], 0.5, 1e-9);
  // Nearly equal nodes do not wait either if the tolerance makes them count as equal.
  EXPECT_GT(LeastEnergy({{{1, 3}, {1, 3.1}}, 2}).seconds, 0.9);
  EXPECT_DOUBLE_EQ(LeastEnergy({{{1, 3}, {1, 3.1}}, 2, 0, 0, 0.1}).seconds, 0.5);
}

TEST(LeastEnergy, WithStandingPowerItCanPayToEndEarly) {
  EnergyQuestion question{{{1, 1}, {1, 3}}, 2};
  EXPECT_DOUBLE_EQ(LeastEnergy(question).seconds, 1);  // the first alone
  question.standing_watts = 1.9;
  EXPECT_DOUBLE_EQ(LeastEnergy(question).seconds, 1);
  question.standing_watts = 2.1;  // half a second of it is worth more than half a unit at 3
  EXPECT_DOUBLE_EQ(LeastEnergy(question).seconds, 0.5);
}

TEST(LeastEnergy, WhatCannotBeKeptIsComeNearTo) {
  EnergyQuestion question{{{1, 1}, {1, 3}}, 1.5};
  question.rate_of_all = 5;  // three that were faster are gone
  const EnergyAnswer answer = LeastEnergy(question);
  EXPECT_DOUBLE_EQ(answer.seconds, 0.5);
  EXPECT_DOUBLE_EQ(answer.fastest_seconds, 0.2);
  EXPECT_NEAR(answer.shares[0], 0.5, 1e-9);
}

TEST(FillCheapest, KeepsWithinTheRoomThereIs) {
  const std::vector<double> rates = {1, 1, 2};
  EXPECT_EQ(FillCheapest({3, 1, 2}, {4, 4, 4}, rates, 5), (std::vector<double>{0, 4, 1}));
  EXPECT_EQ(FillCheapest({3, 1, 2}, {4, 4, 4}, rates, 16), (std::vector<double>{5, 5, 6}));
  EXPECT_EQ(FillCheapest({3, 1, 2}, {4, 4, 4}, rates, 0), rates);
}

}  // namespace
}  // namespace evenkeel::scheduling
