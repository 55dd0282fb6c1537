#pragma once

#include <bit>
#include <cstdint>

#include "core/base/splitmix.h"
#include "workloads/switch_simulation/crosspoint_switch.h"
#include "workloads/switch_simulation/length_levels.h"
#include "workloads/switch_simulation/traffic.h"

/// The algorithms of one output. The switch reports every cell (Pushed, Popped) and, in each slot
/// in which a queue has a cell, gets the input that may send (Select). The schedulers are template
/// arguments of the switch, so that their calls are inlined.
namespace evenkeel::workloads::switch_simulation {

/// Identifies the random numbers of an output.
struct SchedulerSetup {
  std::uint64_t stream = 0;
  std::uint32_t output = 0;
  std::uint32_t ports = 0;
};

/// The first input of the non-empty `set` at or after `start`, cyclically.
[[nodiscard]] inline std::uint32_t FirstFrom(InputSet set, std::uint32_t start) {
  const InputSet behind = start < kMaxPorts ? set & (~InputSet{0} << start) : 0;
  return static_cast<std::uint32_t>(std::countr_zero(behind != 0 ? behind : set));
}

/// RR, and the choice of ERR and FBRR.
class RoundRobin {
 public:
  explicit RoundRobin(const SchedulerSetup&) {}
  void Pushed(std::uint32_t, std::uint32_t) {}
  void Popped(std::uint32_t, std::uint32_t) {}
  std::uint32_t Select(const OutputQueues& queues, std::uint32_t) {
    const std::uint32_t input = FirstFrom(queues.NotEmpty(), start_);
    start_ = input + 1;
    return input;
  }

 private:
  std::uint32_t start_ = 0;
};

/// LQF, and the choice of ELQF, EELQF and FBLQF.
class LongestQueueFirst {
 public:
  explicit LongestQueueFirst(const SchedulerSetup&) {}
  void Pushed(std::uint32_t input, std::uint32_t now) { queues_by_length_.Pushed(input, now); }
  void Popped(std::uint32_t input, std::uint32_t now) { queues_by_length_.Popped(input, now); }
  std::uint32_t Select(const OutputQueues&, std::uint32_t) {
    const std::uint32_t input = FirstFrom(queues_by_length_.Longest(), start_);
    start_ = input + 1;
    return input;
  }
  [[nodiscard]] std::uint32_t LongestLength() const { return queues_by_length_.LongestLength(); }

 private:
  QueuesByLength queues_by_length_;
  std::uint32_t start_ = 0;
};

/// ERR and ELQF: serves the queue that Choice selected until it is empty.
template <typename Choice>
class Exhaustive : public Choice {
 public:
  using Choice::Choice;
  void Popped(std::uint32_t input, std::uint32_t now) {
    Choice::Popped(input, now);
    chosen_ = now > 0;
  }
  std::uint32_t Select(const OutputQueues& queues, std::uint32_t slot) {
    if (!chosen_) current_ = Choice::Select(queues, slot);
    return current_;
  }

 protected:
  [[nodiscard]] std::uint32_t Current() const { return current_; }
  /// Makes the next Select choose a queue again.
  void Leave() { chosen_ = false; }

 private:
  bool chosen_ = false;
  std::uint32_t current_ = 0;
};

/// EELQF: as ELQF, but chooses again if another queue is full and the current one is not.
class EarlyExitExhaustive : public Exhaustive<LongestQueueFirst> {
 public:
  using Exhaustive<LongestQueueFirst>::Exhaustive;
  std::uint32_t Select(const OutputQueues& queues, std::uint32_t slot) {
    if (LongestLength() == queues.Capacity() && !queues.Full(Current())) Leave();
    return Exhaustive<LongestQueueFirst>::Select(queues, slot);
  }
};

/// FBRR and FBLQF: serves the queue that Choice selected for as many cells as it had then.
template <typename Choice>
class FrameBased : public Choice {
 public:
  using Choice::Choice;
  std::uint32_t Select(const OutputQueues& queues, std::uint32_t slot) {
    if (left_ == 0) {
      current_ = Choice::Select(queues, slot);
      left_ = queues.Length(current_);
    }
    --left_;
    return current_;
  }

 private:
  std::uint32_t current_ = 0;
  std::uint32_t left_ = 0;
};

/// RAND. The choice depends only on stream, slot and output.
class RandomQueue {
 public:
  explicit RandomQueue(const SchedulerSetup& setup) : setup_(setup) {}
  void Pushed(std::uint32_t, std::uint32_t) {}
  void Popped(std::uint32_t, std::uint32_t) {}
  std::uint32_t Select(const OutputQueues& queues, std::uint32_t slot) const {
    InputSet left = queues.NotEmpty();
    const auto count = static_cast<std::uint32_t>(std::popcount(left));
    const std::uint64_t drawn =
        SplitMixAt(setup_.stream, std::uint64_t{slot} * setup_.ports + setup_.output) >> 32;
    for (auto skip = static_cast<std::uint32_t>(drawn * count >> 32); skip > 0; --skip) {
      left &= left - 1;
    }
    return static_cast<std::uint32_t>(std::countr_zero(left));
  }

 private:
  SchedulerSetup setup_;
};

}  // namespace evenkeel::workloads::switch_simulation
