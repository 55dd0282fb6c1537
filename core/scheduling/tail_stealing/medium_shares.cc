#include "core/scheduling/tail_stealing/medium_shares.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace evenkeel::scheduling {
namespace {

constexpr Duration kBetweenLooks = std::chrono::milliseconds(100);
constexpr Duration kShortestWindow = std::chrono::seconds(1);
// A window has so many tasks, so that their number says something: without limits and in trials,
// and with limits.
constexpr std::int64_t kTasksOfWindow = 20;
constexpr std::int64_t kTasksToAdjust = 10;
constexpr Duration kLongestWindow = std::chrono::seconds(30);
// Shorter transfers hardly delay others.
constexpr double kShortTransfer = 0.001;
// Workers wait for data if they complete less than this part of what they compute.
constexpr double kWaiting = 0.8;
// A trial is compared with windows before it that differ by less than this part, and must be so
// many times as good.
constexpr double kSteady = 0.15;
constexpr double kGain = 1.2;
// There is a trial if the longest transfers take so many times as long as the shortest.
constexpr double kDifferent = 1.5;
// A trial costs the tasks that the worker would have completed meanwhile: at most this part of the
// remaining ones.
constexpr double kTrialSeconds = 3;
constexpr double kTrialPart = 0.02;
constexpr Duration kFirstPause = std::chrono::seconds(10);
// Tasks by which the transfers of a worker are learned, the time that this may take, and the number
// of workers, those with the shortest transfers, for which it is done.
constexpr std::int64_t kTasksToLearn = 2;
constexpr Duration kLongestLearning = std::chrono::seconds(10);
constexpr std::ptrdiff_t kMostToLearn = 16;
// Where it is learned how long the transfers of others take: tasks per second.
constexpr double kLimitMeanwhile = 0.001;
// Part of the medium that every worker may use, so that a link that gets better is noticed.
constexpr double kLeastPart = 0.01;
// While workers without limits wait, less is divided among those with limits; else more.
constexpr double kMoreCapacity = 1.05;
constexpr double kLessCapacity = 0.9;
constexpr double kLeastCapacity = 0.05;
// Limits are dropped after so many windows in a row in which less was completed than without them.
constexpr int kBadWindows = 2;

}  // namespace

std::vector<double> DivideMedium(const std::vector<MediumUser>& users, double capacity) {
  std::vector<std::size_t> order(users.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&users](std::size_t one, std::size_t other) {
    return users[one].transfer_seconds < users[other].transfer_seconds;
  });
  std::vector<double> rates(users.size());
  for (const std::size_t i : order) {
    const MediumUser& user = users[i];
    const double needed = user.rate * user.transfer_seconds;
    rates[i] = needed <= capacity ? user.rate : capacity / user.transfer_seconds;
    capacity = std::max(capacity - needed, 0.0);
  }
  return rates;
}

bool MediumShares::Refresh(Instant now) {
  if (!window_start_) StartWindow(now);
  if (now < next_look_) return false;
  if (!IsLearning()) next_look_ = now + kBetweenLooks;
  if (!WindowEnds(now)) return false;
  const bool too_long = now - *window_start_ >= (IsLearning() ? kLongestLearning : kLongestWindow);
  CloseWindow(now);
  StartWindow(now);
  const bool limited = phase_ != Phase::kFree;
  if (limited && (too_long || Users().size() != baseline_users_)) return DropLimits(now);
  switch (phase_) {
    case Phase::kFree:
      return !too_long && now >= next_trial_ && BeginTrial();
    case Phase::kSettling:
      phase_ = Phase::kTrial;
      return false;
    case Phase::kTrial:
      return EndTrial(now);
    case Phase::kDraining:
      return LearnNext();
    case Phase::kLearning:
      return to_learn_.empty() ? Divide() : Drain();
    case Phase::kDivided:
      return Adjust(now);
  }
  return false;
}

bool MediumShares::WindowEnds(Instant now) {
  const Duration length = now - *window_start_;
  if (IsLearning() && length >= kLongestLearning) return true;
  if (phase_ == Phase::kDraining) return Drained();
  if (phase_ == Phase::kLearning) return CompletedOf(learner_) >= kTasksToLearn;
  if (length < kShortestWindow) return false;
  if (length >= kLongestWindow) return true;
  std::int64_t users = 0;
  std::int64_t tasks = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = workers_[i];
    if (phase_ == Phase::kFree) worker.uses_medium = UserOf(i).transfer_seconds > kShortTransfer;
    if (!worker.uses_medium) continue;
    ++users;
    tasks += CompletedOf(i);
  }
  return users == 0 || tasks >= (phase_ == Phase::kDivided ? kTasksToAdjust : kTasksOfWindow);
}

void MediumShares::StartWindow(Instant now) {
  window_start_ = now;
  for (std::size_t i = 0; i < workers_.size(); ++i) workers_[i].tasks_run += CompletedOf(i);
}

void MediumShares::CloseWindow(Instant now) {
  completed_before_ = completed_;
  completed_ = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = workers_[i];
    worker.completed = static_cast<double>(CompletedOf(i)) / ToSeconds(now - *window_start_);
    if (worker.uses_medium) completed_ += worker.completed;
  }
}

bool MediumShares::Drained() const {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const WorkerId id{static_cast<std::uint32_t>(i)};
    if (workers_[i].uses_medium && context_.leases.OutstandingTasks(id) > 0) return false;
  }
  return true;
}

std::int64_t MediumShares::CompletedOf(std::size_t worker) const {
  const WorkerId id{static_cast<std::uint32_t>(worker)};
  return context_.estimator.TasksRun(id) - workers_[worker].tasks_run;
}

MediumUser MediumShares::UserOf(std::size_t worker) const {
  const WorkerId id{static_cast<std::uint32_t>(worker)};
  const auto& estimator = context_.estimator;
  if (!pool_.Usable(id, context_.leases) || !estimator.Measured(id)) return {};
  const double mean = context_.MeanCost();
  if (mean <= 0) return {};
  return {estimator.ComputingRate(id) / mean,
          std::max(estimator.ShortestTransfer(id), estimator.ShortestFetch(id))};
}

std::vector<std::size_t> MediumShares::Users() const {
  std::vector<std::size_t> users;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i].uses_medium && UserOf(i).rate > 0) users.push_back(i);
  }
  return users;
}

bool MediumShares::UsersWait() const {
  double completed = 0;
  double computed = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const Worker& worker = workers_[i];
    if (!worker.uses_medium || worker.limit) continue;
    completed += worker.completed;
    computed += UserOf(i).rate;
  }
  return completed < kWaiting * computed;
}

bool MediumShares::BeginTrial() {
  if (std::abs(completed_ - completed_before_) > kSteady * completed_) return false;
  const std::vector<std::size_t> users = Users();
  if (users.size() < 2 || !UsersWait()) return false;
  const auto shorter = [this](std::size_t one, std::size_t other) {
    return UserOf(one).transfer_seconds < UserOf(other).transfer_seconds;
  };
  const std::size_t longest = *std::max_element(users.begin(), users.end(), shorter);
  const std::size_t shortest = *std::min_element(users.begin(), users.end(), shorter);
  // Between equal links there is nothing to divide.
  if (UserOf(longest).transfer_seconds < kDifferent * UserOf(shortest).transfer_seconds) {
    return false;
  }
  const double cost = kTrialSeconds * workers_[longest].completed;
  if (cost > kTrialPart * static_cast<double>(pool_.Tasks())) return false;
  baseline_ = completed_;
  baseline_users_ = users.size();
  workers_[longest].limit = kLimitMeanwhile;
  phase_ = Phase::kSettling;
  return true;
}

bool MediumShares::EndTrial(Instant now) {
  if (completed_ < kGain * baseline_) {
    between_trials_ *= 2;
    return DropLimits(now);
  }
  between_trials_ = Duration::zero();
  to_learn_ = Users();
  std::stable_sort(to_learn_.begin(), to_learn_.end(), [this](std::size_t one, std::size_t other) {
    return UserOf(one).transfer_seconds > UserOf(other).transfer_seconds;
  });
  if (std::ssize(to_learn_) > kMostToLearn) {
    to_learn_.erase(to_learn_.begin(), to_learn_.end() - kMostToLearn);
  }
  return Drain();
}

bool MediumShares::Drain() {
  phase_ = Phase::kDraining;
  HoldAll();
  return true;
}

bool MediumShares::LearnNext() {
  phase_ = Phase::kLearning;
  learner_ = to_learn_.back();
  to_learn_.pop_back();
  HoldAll();
  workers_[learner_].limit.reset();
  return true;
}

bool MediumShares::Divide() {
  phase_ = Phase::kDivided;
  capacity_ = 1;
  bad_windows_ = 0;
  return SetLimits();
}

void MediumShares::HoldAll() {
  for (Worker& worker : workers_) {
    if (worker.uses_medium) worker.limit = kLimitMeanwhile;
  }
}

bool MediumShares::Adjust(Instant now) {
  bad_windows_ = completed_ < baseline_ ? bad_windows_ + 1 : 0;
  if (bad_windows_ >= kBadWindows) return DropLimits(now);
  capacity_ *= UsersWait() ? kLessCapacity : kMoreCapacity;
  capacity_ = std::clamp(capacity_, kLeastCapacity, 1.0);
  return SetLimits();
}

bool MediumShares::SetLimits() {
  std::vector<MediumUser> users;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    users.push_back(workers_[i].uses_medium ? UserOf(i) : MediumUser{});
  }
  const auto rates = DivideMedium(users, capacity_);
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    workers_[i].limit.reset();
    if (rates[i] >= users[i].rate) continue;
    workers_[i].limit = std::max(rates[i], kLeastPart / users[i].transfer_seconds);
  }
  return true;
}

bool MediumShares::DropLimits(Instant now) {
  phase_ = Phase::kFree;
  completed_ = 0;  // no window without limits to compare the next one with
  between_trials_ = std::max(between_trials_, kFirstPause);
  next_trial_ = now + between_trials_;
  for (Worker& worker : workers_) worker.limit.reset();
  return true;
}

std::optional<Instant> MediumShares::HeldUntil(WorkerId worker, Instant now) const {
  const Worker& one = workers_[worker.value];
  if (!one.limit) return std::nullopt;
  const auto granted = static_cast<double>(std::max<std::int64_t>(one.granted, 1));
  const Instant next = one.last_grant + FromSeconds(granted / *one.limit);
  return next > now ? std::optional(next) : std::nullopt;
}

}  // namespace evenkeel::scheduling
