#include "core/scheduling/range_times.h"

#include <algorithm>
#include <array>

#include "core/base/portable_math.h"

namespace evenkeel::scheduling {
namespace {

constexpr std::size_t kLatest = 8;
// Candidates for r: 0, and then a geometric series up to 2^20 tasks.
constexpr std::size_t kCandidates = 61;
constexpr double kFirstCandidate = 0.1;
constexpr double kStep = 1.32;
// Where measurements do not tell: the smaller ratio. Errors of times of a few percent weigh more.
constexpr double kTowardsZero = 1e-4;
// A worker's own ratio departs from the common one if its times fit better by so much, as a part of
// the square of the distance: errors of 5 % against a factor of 1.6.
constexpr double kTowardsCommon = 0.01;
// Workers that the common ratio is computed from.
constexpr std::size_t kMostWorkers = 64;

const std::array<double, kCandidates>& Candidates() {
  static const std::array<double, kCandidates> kAll = [] {
    std::array<double, kCandidates> all{};
    double next = kFirstCandidate;
    for (std::size_t i = 1; i < all.size(); ++i, next *= kStep) all[i] = next;
    return all;
  }();
  return kAll;
}

/// The candidate with the least cost(candidate).
template <typename CostOf>
double Best(const CostOf& cost) {
  double best = 0;
  double least = cost(0.0);
  for (const double candidate : Candidates()) {
    const double now = cost(candidate);
    if (now >= least) continue;
    least = now;
    best = candidate;
  }
  return best;
}

}  // namespace

void RangeTimes::Observe(WorkerId worker, std::int64_t tasks, double seconds) {
  if (tasks <= 0 || !(seconds > 0)) return;
  Worker& own = workers_[worker.value];
  own.latest.push_back({static_cast<double>(tasks), seconds});
  if (own.latest.size() > kLatest) own.latest.pop_front();
  own.is_fitted = false;
  FitCommon();
}

void RangeTimes::Fit(Worker& worker) const {
  const double common = PortableLog(1 + common_);
  const double startup_tasks = Best([&](double candidate) {
    const double distance = PortableLog(1 + candidate) - common;
    return Squares(worker, candidate) + kTowardsCommon * distance * distance;
  });
  double seconds = 0;
  double tasks = 0;
  for (const Measurement& measured : worker.latest) {
    seconds += measured.seconds;
    tasks += startup_tasks + measured.tasks;
  }
  worker.time.per_task = seconds / tasks;
  worker.time.startup = startup_tasks * worker.time.per_task;
  worker.is_fitted = true;
  worker.fitted_common = common_;
}

double RangeTimes::Squares(const Worker& worker, double startup_tasks) {
  if (worker.latest.size() < 2) return 0;
  double sum = 0;
  double squares = 0;
  for (const Measurement& measured : worker.latest) {
    const double log = PortableLog(measured.seconds / (startup_tasks + measured.tasks));
    sum += log;
    squares += log * log;
  }
  return std::max(squares - sum * sum / static_cast<double>(worker.latest.size()), 0.0);
}

void RangeTimes::FitCommon() {
  common_ = Best([this](double candidate) {
    const double log = PortableLog(1 + candidate);
    double cost = kTowardsZero * log * log;
    std::size_t looked_at = 0;
    for (const Worker& worker : workers_) {
      if (worker.latest.size() < 2) continue;
      cost += Squares(worker, candidate);
      if (++looked_at == kMostWorkers) break;
    }
    return cost;
  });
}

std::optional<RangeTime> RangeTimes::Of(WorkerId worker) const {
  Worker& own = workers_[worker.value];
  if (own.latest.empty()) return std::nullopt;
  if (!own.is_fitted || own.fitted_common != common_) Fit(own);
  return own.time;
}

}  // namespace evenkeel::scheduling
