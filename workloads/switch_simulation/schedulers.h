#pragma once

#include <bit>
#include <cstdint>

#include "core/base/splitmix.h"
#include "workloads/switch_simulation/crosspoint_switch.h"
#include "workloads/switch_simulation/length_levels.h"
#include "workloads/switch_simulation/traffic.h"

/// The algorithms of one output. Each is told of every cell that comes and goes, and asked once a
/// slot, if any queue has a cell, for the input that may send (Select). They are template arguments
/// of the switch, so that they cost no calls.
namespace evenkeel::workloads::switch_simulation {

/// What the draws of an output depend on beside the slot.
struct SchedulerSetup {
  std::uint64_t stream = 0;
  std::uint32_t output = 0;
  std::uint32_t ports = 0;
};

/// The first input of `set`, which is not empty, from `start` on and round again.
[[nodiscard]] inline std::uint32_t FirstFrom(InputSet set, std::uint32_t start) {
  const InputSet behind = start < kMaxPorts ? set & (~InputSet{0} << start) : 0;
  return static_cast<std::uint32_t>(std::countr_zero(behind != 0 ? behind : set));
}

/// RR, and how ERR and FBRR choose.
class InTurn {
 public:
  explicit InTurn(const SchedulerSetup&) {}
  void Pushed(std::uint32_t, std::uint32_t) {}
  void Popped(std::uint32_t, std::uint32_t) {}
  std::uint32_t Select(const QueueColumn& queues, std::uint32_t) {
    const std::uint32_t input = FirstFrom(queues.NotEmpty(), start_);
    start_ = input + 1;
    return input;
  }

 private:
  std::uint32_t start_ = 0;
};

/// LQF, and how ELQF, EELQF and FBLQF choose.
class LongestFirst {
 public:
  explicit LongestFirst(const SchedulerSetup&) {}
  void Pushed(std::uint32_t input, std::uint32_t now) { levels_.Pushed(input, now); }
  void Popped(std::uint32_t input, std::uint32_t now) { levels_.Popped(input, now); }
  std::uint32_t Select(const QueueColumn&, std::uint32_t) {
    const std::uint32_t input = FirstFrom(levels_.Longest(), start_);
    start_ = input + 1;
    return input;
  }
  [[nodiscard]] std::uint32_t LongestLength() const { return levels_.LongestLength(); }

 private:
  LengthLevels levels_;
  std::uint32_t start_ = 0;
};

/// ERR and ELQF: what Choice chose, until it is empty.
template <typename Choice>
class Exhaustive : public Choice {
 public:
  using Choice::Choice;
  void Popped(std::uint32_t input, std::uint32_t now) {
    Choice::Popped(input, now);
    chosen_ = now > 0;
  }
  std::uint32_t Select(const QueueColumn& queues, std::uint32_t slot) {
    if (!chosen_) current_ = Choice::Select(queues, slot);
    return current_;
  }

 protected:
  [[nodiscard]] std::uint32_t Current() const { return current_; }
  /// The next Select chooses anew.
  void Leave() { chosen_ = false; }

 private:
  bool chosen_ = false;
  std::uint32_t current_ = 0;
};

/// EELQF: as ELQF while no other queue is full, or this one is full as well.
class EarlyLeaving : public Exhaustive<LongestFirst> {
 public:
  using Exhaustive<LongestFirst>::Exhaustive;
  std::uint32_t Select(const QueueColumn& queues, std::uint32_t slot) {
    if (LongestLength() == queues.Capacity() && !queues.Full(Current())) Leave();
    return Exhaustive<LongestFirst>::Select(queues, slot);
  }
};

/// FBRR and FBLQF: of what Choice chose, as many cells as it held then.
template <typename Choice>
class FrameBased : public Choice {
 public:
  using Choice::Choice;
  std::uint32_t Select(const QueueColumn& queues, std::uint32_t slot) {
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

/// RAND. The draw depends on stream, slot and output alone.
class AtRandom {
 public:
  explicit AtRandom(const SchedulerSetup& setup) : setup_(setup) {}
  void Pushed(std::uint32_t, std::uint32_t) {}
  void Popped(std::uint32_t, std::uint32_t) {}
  std::uint32_t Select(const QueueColumn& queues, std::uint32_t slot) const {
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
