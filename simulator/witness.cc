#include "simulator/witness.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::simulator {
namespace {

// FNV-1a, 64 bits.
constexpr std::uint64_t kOffsetBasis = 0xcbf29ce484222325ULL;
constexpr std::uint64_t kPrime = 0x100000001b3ULL;

}  // namespace

Witness::Witness(std::size_t tasks, std::size_t nodes, Trace trace)
    : trace_(std::move(trace)), runners_(tasks), still_(nodes) {
  found_.digest = kOffsetBasis;
}

void Witness::Delivered(Instant at, const std::string& what) {
  ++found_.deliveries;
  const auto mix = [this](std::uint64_t byte) { found_.digest = (found_.digest ^ byte) * kPrime; };
  const auto time = static_cast<std::uint64_t>(at.time_since_epoch().count());
  for (int shift = 0; shift < 64; shift += 8) mix((time >> shift) & 0xff);
  for (const char c : what) mix(static_cast<unsigned char>(c));
  Note(at, what);
}

void Witness::Note(Instant at, const std::string& what) const {
  if (!trace_) return;
  char time[32];
  std::snprintf(time, sizeof time, "%12.6f ", ToSeconds(at - Instant{}));
  trace_(time + what);
}

void Witness::Began(std::size_t node, model::IndexRange batch) {
  for (model::TaskIndex i = batch.begin; i < batch.end; ++i) {
    if (RunsElsewhere(i, node)) ++found_.side_by_side;
    runners_[static_cast<std::size_t>(i)].insert(node);
  }
}

void Witness::Ended(std::size_t node, model::IndexRange batch) {
  for (model::TaskIndex i = batch.begin; i < batch.end; ++i) {
    auto& runners = runners_[static_cast<std::size_t>(i)];
    const auto one = runners.find(node);
    EVENKEEL_CHECK(one != runners.end(), "a run ended that never began");
    runners.erase(one);
  }
}

void Witness::StandsStill(std::size_t node, bool still) {
  still_[node] = still;
  if (still) return;
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    const bool runs = runners_[i].contains(node);
    if (runs && RunsElsewhere(static_cast<model::TaskIndex>(i), node)) ++found_.side_by_side;
  }
}

bool Witness::RunsElsewhere(model::TaskIndex task, std::size_t node) const {
  const auto& runners = runners_[static_cast<std::size_t>(task)];
  return std::any_of(runners.begin(), runners.end(),
                     [&](std::size_t other) { return other != node && !still_[other]; });
}

void Witness::Saw(const engine::Progress& progress, std::uint64_t epoch) {
  const std::int64_t durable = progress.tasks_completed;
  if (epoch != epoch_) done_ratio_ = 0;  // what was not durable is lost with the coordinator
  if (progress.tasks_total > tasks_) done_ratio_ = 0;  // the same work is less of the job
  epoch_ = epoch;
  tasks_ = progress.tasks_total;
  if (durable < durable_ || progress.cost_done_ratio < done_ratio_) ++found_.progress_losses;
  durable_ = durable;
  done_ratio_ = progress.cost_done_ratio;
}

}  // namespace evenkeel::simulator
