#include "tests/unit/workloads/reference_switch.h"

#include <algorithm>

#include "core/base/splitmix.h"
#include "workloads/switch_simulation/traffic.h"

namespace evenkeel::workloads::switch_simulation {
namespace {

bool IsExhaustive(Algorithm algorithm) {
  return algorithm == Algorithm::kErr || algorithm == Algorithm::kElqf ||
         algorithm == Algorithm::kEelqf;
}
bool IsFrameBased(Algorithm algorithm) {
  return algorithm == Algorithm::kFbrr || algorithm == Algorithm::kFblqf;
}
bool ChoosesInTurn(Algorithm algorithm) {
  return algorithm == Algorithm::kRr || algorithm == Algorithm::kErr ||
         algorithm == Algorithm::kFbrr;
}

}  // namespace

ReferenceSwitch::ReferenceSwitch(int ports, int buffer_size, Algorithm algorithm,
                                 std::uint64_t seed)
    : ports_(ports),
      buffer_size_(static_cast<std::size_t>(buffer_size)),
      algorithm_(algorithm),
      seed_(seed),
      outputs_(static_cast<std::size_t>(ports)) {
  for (Output& output : outputs_) output.queues.resize(static_cast<std::size_t>(ports));
}

std::size_t ReferenceSwitch::QueueLength(int input, int output) const {
  return outputs_.at(static_cast<std::size_t>(output))
      .queues.at(static_cast<std::size_t>(input))
      .size();
}

void ReferenceSwitch::Step(const std::vector<std::optional<int>>& destinations) {
  for (std::size_t input = 0; input < destinations.size(); ++input) {
    if (!destinations[input]) continue;
    ++arrived_;
    auto& queue = outputs_.at(static_cast<std::size_t>(*destinations[input])).queues.at(input);
    if (queue.size() == buffer_size_) {
      ++lost_;
    } else {
      queue.push_back(slot_);
    }
  }
  for (int number = 0; number < ports_; ++number) {
    Output& output = outputs_.at(static_cast<std::size_t>(number));
    if (std::all_of(output.queues.begin(), output.queues.end(),
                    [](const auto& queue) { return queue.empty(); })) {
      continue;
    }
    const int input = Choose(output, number);
    auto& queue = output.queues.at(static_cast<std::size_t>(input));
    delays_.push_back(slot_ - queue.front());
    queue.pop_front();
    output.last_served = input;
    if (output.frame_left > 0) --output.frame_left;
    const bool done = IsExhaustive(algorithm_) ? queue.empty() : output.frame_left == 0;
    if (done) output.chosen.reset();
  }
  ++slot_;
}

int ReferenceSwitch::Choose(Output& output, int number) {
  if (algorithm_ == Algorithm::kRand) return AtRandom(output, number);
  if (const auto kept = Kept(output)) return *kept;
  const int input = ChoosesInTurn(algorithm_) ? NextInTurn(output) : Longest(output);
  if (IsExhaustive(algorithm_) || IsFrameBased(algorithm_)) output.chosen = input;
  if (IsFrameBased(algorithm_)) {
    output.frame_left = output.queues.at(static_cast<std::size_t>(input)).size();
  }
  return input;
}

/// The queue that was chosen before and is still served.
std::optional<int> ReferenceSwitch::Kept(const Output& output) const {
  if (!output.chosen || algorithm_ != Algorithm::kEelqf) return output.chosen;
  const auto full = [&](const auto& queue) { return queue.size() == buffer_size_; };
  const bool any_full = std::any_of(output.queues.begin(), output.queues.end(), full);
  const bool itself_full = full(output.queues.at(static_cast<std::size_t>(*output.chosen)));
  if (any_full && !itself_full) return std::nullopt;
  return output.chosen;
}

int ReferenceSwitch::NextInTurn(const Output& output) const {
  for (int step = 1;; ++step) {
    const int input = (output.last_served + step) % ports_;
    if (!output.queues.at(static_cast<std::size_t>(input)).empty()) return input;
  }
}

int ReferenceSwitch::Longest(const Output& output) const {
  int best = -1;
  std::size_t best_length = 0;
  for (int step = 1; step <= ports_; ++step) {
    const int input = (output.last_served + step) % ports_;
    const std::size_t length = output.queues.at(static_cast<std::size_t>(input)).size();
    if (length > best_length) {
      best = input;
      best_length = length;
    }
  }
  return best;
}

int ReferenceSwitch::AtRandom(const Output& output, int number) const {
  std::vector<int> candidates;
  for (int input = 0; input < ports_; ++input) {
    if (!output.queues.at(static_cast<std::size_t>(input)).empty()) candidates.push_back(input);
  }
  const std::uint64_t index =
      slot_ * static_cast<std::uint64_t>(ports_) + static_cast<std::uint64_t>(number);
  const std::uint64_t drawn = SplitMixAt(ChoiceStream(seed_), index) >> 32;
  return candidates.at(static_cast<std::size_t>(drawn * candidates.size() >> 32));
}

}  // namespace evenkeel::workloads::switch_simulation
