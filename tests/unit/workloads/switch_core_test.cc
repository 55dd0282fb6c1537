// The fast switch against the slow one, and against what must be true of every switch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "tests/unit/workloads/reference_switch.h"
#include "workloads/switch_simulation/crosspoint_switch.h"
#include "workloads/switch_simulation/traffic.h"

namespace evenkeel::workloads::switch_simulation {
namespace {

using Destinations = std::vector<std::optional<int>>;

/// One slot of a block, by input.
Destinations DestinationsOf(const ArrivalBlock& block, std::uint32_t n, std::uint32_t ports) {
  Destinations destinations(ports);
  for (std::uint32_t output = 0; output < ports; ++output) {
    for (std::uint32_t input = 0; input < ports; ++input) {
      if ((block.Of(output)[n] >> input & 1) != 0) destinations[input] = static_cast<int>(output);
    }
  }
  return destinations;
}

std::uint64_t SumOf(const std::vector<std::uint64_t>& numbers) {
  std::uint64_t sum = 0;
  for (const std::uint64_t number : numbers) sum += number;
  return sum;
}

std::uint64_t QueuedIn(const CrosspointSwitch& crosspoints, std::uint32_t ports) {
  std::uint64_t queued = 0;
  for (std::uint32_t input = 0; input < ports; ++input) {
    for (std::uint32_t output = 0; output < ports; ++output) {
      queued += crosspoints.QueueLength(input, output);
    }
  }
  return queued;
}

struct Case {
  std::uint32_t ports;
  std::uint32_t buffer_size;
  double load;
  std::uint32_t slots;
  std::uint64_t seed;
};

/// Queues are first in, first out: where every queue is as long as it must be after every slot,
/// each cell has gone where and when it must.
void ExpectEqualInEverySlot(const Case& each, Algorithm algorithm) {
  const auto fast = MakeCrosspointSwitch({each.ports, each.buffer_size}, algorithm, each.seed);
  ReferenceSwitch slow(static_cast<int>(each.ports), static_cast<int>(each.buffer_size), algorithm,
                       each.seed);
  const Traffic traffic(each.ports, each.load, each.seed);
  ArrivalBlock block;
  for (std::uint32_t slot = 0; slot < each.slots; ++slot) {
    traffic.Fill(slot, 1, block);
    fast->Run(block);
    slow.Step(DestinationsOf(block, 0, each.ports));
    for (std::uint32_t input = 0; input < each.ports; ++input) {
      for (std::uint32_t output = 0; output < each.ports; ++output) {
        ASSERT_EQ(fast->QueueLength(input, output),
                  slow.QueueLength(static_cast<int>(input), static_cast<int>(output)))
            << "slot " << slot << ", input " << input << ", output " << output;
      }
    }
    ASSERT_EQ(fast->Counts().lost, slow.Lost()) << "slot " << slot;
    ASSERT_EQ(fast->Delays().Sum(), SumOf(slow.Delays())) << "slot " << slot;
  }
  EXPECT_EQ(fast->Counts().arrived, slow.Arrived());
  EXPECT_EQ(fast->Counts().departed, slow.Delays().size());
  std::vector<std::uint64_t> delays = slow.Delays();
  ASSERT_FALSE(delays.empty());
  std::sort(delays.begin(), delays.end());
  for (const std::uint32_t percent : {1u, 50u, 95u, 99u, 100u}) {
    const std::size_t rank = (delays.size() * percent + 99) / 100;
    EXPECT_EQ(fast->Delays().Percentile(percent, delays.size()), delays[rank - 1]) << percent;
  }
  EXPECT_EQ(fast->Delays().Longest(), delays.back());
}

class EveryAlgorithm : public ::testing::TestWithParam<Algorithm> {};

std::string NameOfCase(const ::testing::TestParamInfo<Algorithm>& info) {
  return std::string(NameOf(info.param));
}

INSTANTIATE_TEST_SUITE_P(SwitchCore, EveryAlgorithm, ::testing::ValuesIn(kAllAlgorithms),
                         NameOfCase);

TEST_P(EveryAlgorithm, AgreesWithTheReferenceCellForCell) {
  for (const Case& each :
       {Case{2, 1, 1.0, 300, 1}, Case{3, 2, 0.9, 400, 2}, Case{4, 3, 1.0, 600, 3},
        Case{5, 1, 0.3, 400, 4}, Case{7, 4, 0.97, 500, 5}, Case{16, 2, 1.0, 300, 6},
        Case{32, 3, 1.0, 150, 7}, Case{3, 1000, 1.0, 3000, 8}}) {
    SCOPED_TRACE(testing::Message() << each.ports << " ports, buffers of " << each.buffer_size
                                    << ", load " << each.load << ", seed " << each.seed);
    ExpectEqualInEverySlot(each, GetParam());
  }
}

TEST_P(EveryAlgorithm, BlocksOfAnyLengthGiveTheSame) {
  const Traffic traffic(16, 0.95, 11);
  std::vector<std::uint64_t> sums;
  for (const std::uint32_t length : {1u, 7u, 100u, ArrivalBlock::kMaxSlots}) {
    const auto crosspoints = MakeCrosspointSwitch({16, 4}, GetParam(), 11);
    ArrivalBlock block;
    for (std::uint32_t slot = 0; slot < 2000; slot += length) {
      traffic.Fill(slot, std::min(length, 2000 - slot), block);
      crosspoints->Run(block);
    }
    sums.push_back(crosspoints->Delays().Sum());
  }
  EXPECT_EQ(sums, std::vector<std::uint64_t>(4, sums[0]));
}

TEST_P(EveryAlgorithm, KeepsEveryCellAtHighLoadsAndSmallBuffers) {
  Rng rng(7);
  for (int n = 0; n < 20; ++n) {
    const auto ports = static_cast<std::uint32_t>(rng.Between(2, kMaxPorts));
    const auto buffer_size = static_cast<std::uint32_t>(rng.Between(1, 20));
    const Traffic traffic(ports, 1 - rng.Unit(), rng.Next());
    const auto crosspoints = MakeCrosspointSwitch({ports, buffer_size}, GetParam(), 1);
    ArrivalBlock block;
    for (std::uint32_t slot = 0; slot < 4 * ArrivalBlock::kMaxSlots; slot += block.Slots()) {
      traffic.Fill(slot, ArrivalBlock::kMaxSlots, block);
      crosspoints->Run(block);
      const CellCounts& counts = crosspoints->Counts();
      ASSERT_EQ(counts.arrived, counts.departed + counts.lost + QueuedIn(*crosspoints, ports));
      ASSERT_LE(counts.departed, std::uint64_t{ports} * (slot + block.Slots()));
    }
  }
}

/// Sends `slots` slots of traffic with inputs and outputs renamed: i becomes i + shift.
std::vector<std::uint64_t> CountsOfRenamed(Algorithm algorithm, std::uint32_t input_shift,
                                           std::uint32_t output_shift) {
  constexpr std::uint32_t kPorts = 8;
  const Traffic traffic(kPorts, 0.98, 5);
  const auto crosspoints = MakeCrosspointSwitch({kPorts, 3}, algorithm, 5);
  ArrivalBlock drawn;
  ArrivalBlock renamed;
  // Every output serves (the renamed) input 0 first, so that all turns begin behind it.
  renamed.Clear(kPorts, 0, 1);
  for (std::uint32_t output = 0; output < kPorts; ++output) {
    renamed.Add(0, input_shift % kPorts, output);
  }
  crosspoints->Run(renamed);
  for (std::uint32_t slot = 1; slot < 3000; ++slot) {
    traffic.Fill(slot, 1, drawn);
    renamed.Clear(kPorts, slot, 1);
    const Destinations destinations = DestinationsOf(drawn, 0, kPorts);
    for (std::uint32_t input = 0; input < kPorts; ++input) {
      if (!destinations[input]) continue;
      const auto output = static_cast<std::uint32_t>(*destinations[input]);
      renamed.Add(0, (input + input_shift) % kPorts, (output + output_shift) % kPorts);
    }
    crosspoints->Run(renamed);
  }
  std::vector<std::uint64_t> counts{crosspoints->Counts().departed, crosspoints->Counts().lost,
                                    crosspoints->Delays().Sum(), crosspoints->Delays().Longest()};
  for (std::uint32_t input = 0; input < kPorts; ++input) {
    for (std::uint32_t output = 0; output < kPorts; ++output) {
      counts.push_back(crosspoints->QueueLength((input + input_shift) % kPorts,
                                                (output + output_shift) % kPorts));
    }
  }
  return counts;
}

/// The draws of RAND are bound to inputs and outputs.
std::vector<Algorithm> AlgorithmsWithoutDraws() {
  std::vector<Algorithm> algorithms(kAllAlgorithms.begin(), kAllAlgorithms.end());
  std::erase(algorithms, Algorithm::kRand);
  return algorithms;
}

class EveryAlgorithmWithoutDraws : public EveryAlgorithm {};
INSTANTIATE_TEST_SUITE_P(SwitchCore, EveryAlgorithmWithoutDraws,
                         ::testing::ValuesIn(AlgorithmsWithoutDraws()), NameOfCase);

TEST_P(EveryAlgorithmWithoutDraws, NoPortIsSpecial) {
  const auto plain = CountsOfRenamed(GetParam(), 0, 0);
  EXPECT_GT(plain[1], 0u);
  EXPECT_EQ(CountsOfRenamed(GetParam(), 3, 0), plain);
  EXPECT_EQ(CountsOfRenamed(GetParam(), 0, 5), plain);
  EXPECT_EQ(CountsOfRenamed(GetParam(), 7, 1), plain);
}

TEST(DelayHistogram, CountsShortDelaysExactlyAndLongOnesNearly) {
  for (const std::uint32_t delay : {0u, 1u, 4095u, 4096u, 4097u, 9999u, 1'000'000u, 4294967295u}) {
    DelayHistogram delays;
    delays.Add(delay);
    delays.Add(4294967295u);
    const std::uint32_t found = delays.Percentile(50, 2);
    EXPECT_GE(found, delay);
    EXPECT_LE(found, std::uint64_t{delay} + delay / 2048);
    EXPECT_TRUE(found == delay || delay >= 4096) << found;
    EXPECT_EQ(delays.Percentile(100, 2), 4294967295u);
  }
  EXPECT_EQ(DelayHistogram().Percentile(99, 0), 0u);
}

TEST(Traffic, IsAsHeavyAndAsEvenAsItSays) {
  constexpr std::uint32_t kPorts = 12;
  constexpr std::uint32_t kSlots = 400 * ArrivalBlock::kMaxSlots;
  const Traffic traffic(kPorts, 0.6, 3);
  std::vector<std::uint64_t> cells(kPorts * kPorts, 0);
  ArrivalBlock block;
  for (std::uint32_t slot = 0; slot < kSlots; slot += block.Slots()) {
    traffic.Fill(slot, ArrivalBlock::kMaxSlots, block);
    for (std::uint32_t n = 0; n < block.Slots(); ++n) {
      const Destinations destinations = DestinationsOf(block, n, kPorts);
      for (std::uint32_t input = 0; input < kPorts; ++input) {
        if (!destinations[input]) continue;
        ++cells[input * kPorts + static_cast<std::uint32_t>(*destinations[input])];
      }
    }
  }
  const double mean = 0.6 * kSlots / kPorts;
  for (const std::uint64_t count : cells) {
    EXPECT_NEAR(static_cast<double>(count), mean, 5 * std::sqrt(mean));
  }
}

TEST(Traffic, OfALowLoadIsAPartOfThatOfAHigherOne) {
  ArrivalBlock low;
  ArrivalBlock high;
  Traffic(16, 0.4, 9).Fill(5000, ArrivalBlock::kMaxSlots, low);
  Traffic(16, 0.8, 9).Fill(5000, ArrivalBlock::kMaxSlots, high);
  for (std::uint32_t output = 0; output < 16; ++output) {
    for (std::uint32_t n = 0; n < low.Slots(); ++n) {
      ASSERT_EQ(low.Of(output)[n] & ~high.Of(output)[n], 0u);
    }
  }
}

}  // namespace
}  // namespace evenkeel::workloads::switch_simulation
