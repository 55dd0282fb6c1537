#include "operator/plan/dependencies.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "operator/plan/lifecycle.h"

namespace evenkeel::plan {
namespace {

using DependencyState = Dependency::State;

/// Jobs that a search for a circle visits.
constexpr std::size_t kMostVisited = 1000;
/// Names in a message.
constexpr std::size_t kMostJobNames = 5;

bool WasSeenEnded(const cluster::JobStatus& status, const std::string& name) {
  return std::any_of(status.after.begin(), status.after.end(),
                     [&name](const auto& one) { return one.name == name; });
}

/// The way from `job` to the job that waits for it, as `reached_from` has it backwards.
std::vector<std::string> PathTo(const std::string& last, const std::string& job,
                                const std::map<std::string, std::string>& reached_from) {
  std::vector<std::string> path{last};
  while (path.back() != job) path.push_back(reached_from.at(path.back()));
  std::reverse(path.begin(), path.end());
  return path;
}

/// A shortest circle. Jobs that have failed count: those of a circle all fail for it, whichever is
/// looked at first.
std::vector<std::string> FindCircle(const cluster::WeightedJob& job, const FindJob& find) {
  const std::string& start = job.meta.name;
  std::map<std::string, std::string> reached_from;
  std::deque<std::string> open{start};
  while (!open.empty()) {
    const std::string name = std::move(open.front());
    open.pop_front();
    const auto found = name == start ? nullptr : find(name);
    if (name != start && !found) continue;
    const cluster::WeightedJob& visited = found ? *found : job;
    for (const std::string& next : AwaitedJobs(visited.spec)) {
      if (WasSeenEnded(visited.status, next)) continue;
      if (next == start) return PathTo(name, start, reached_from);
      if (reached_from.size() == kMostVisited) return {};
      if (reached_from.try_emplace(next, name).second) open.push_back(next);
    }
  }
  return {};
}

/// "a after b after c after a"
std::string DescribeCircle(const std::vector<std::string>& circle) {
  std::string text;
  const std::size_t named = std::min(circle.size(), kMostJobNames);
  for (std::size_t i = 0; i < named; ++i) text += circle[i] + " after ";
  if (named < circle.size()) text += std::to_string(circle.size() - named) + " more after ";
  return text + circle.front();
}

void FailForCircle(PlanBuilder& builder) {
  Fail(builder, reason::kCircularDependency,
       "spec.after: these jobs wait for each other: " +
           DescribeCircle(builder.snapshot().dependencies.circle));
}

void FailForDependency(PlanBuilder& builder, const Dependency& failed) {
  Fail(builder, "DependencyFailed",
       "spec.after: job " + failed.name + " has failed (" + failed.failure_reason + ")");
}

bool IsEarlierRun(const cluster::WeightedJob& job, const std::string& name) {
  return job.spec.rerun && job.spec.rerun->job == name;
}

/// Whether the job need not be waited for any more. A job can be rerun although it has failed.
bool HasEnded(const PlanBuilder& builder, const Dependency& one) {
  return one.state == DependencyState::kComplete ||
         (one.state == DependencyState::kFailed && IsEarlierRun(builder.Job(), one.name));
}

/// Why the results of `earlier` cannot be taken over by `job`; empty if they can.
std::string RerunObstacle(const cluster::WeightedJob& job, const cluster::WeightedJob& earlier) {
  const std::string name = "job " + earlier.meta.name;
  if (earlier.result_claim.empty()) {
    return name + " has no resultStorage; a rerun needs its results on a claim";
  }
  if (earlier.result_claim != job.result_claim) {
    return "the results of " + name + " are in the claim " + earlier.result_claim +
           ", which spec.resultStorage must name, too";
  }
  if (earlier.workload != job.workload) return name + " has another spec.workload";
  return {};
}

std::vector<const Dependency*> FindAwaited(const PlanBuilder& builder) {
  std::vector<const Dependency*> awaited;
  for (const Dependency& one : builder.snapshot().dependencies.jobs) {
    if (!WasSeenEnded(builder.Status(), one.name)) awaited.push_back(&one);
  }
  return awaited;
}

}  // namespace

std::vector<std::string> AwaitedJobs(const model::JobSpec& spec) {
  std::vector<std::string> names = spec.after;
  if (spec.rerun) names.push_back(spec.rerun->job);
  return names;
}

bool WaitsFor(const cluster::WeightedJob& job, const std::string& name) {
  const std::vector<std::string> awaited = AwaitedJobs(job.spec);
  return std::find(awaited.begin(), awaited.end(), name) != awaited.end() && !job.meta.deleted &&
         !cluster::IsOver(job.status.conditions) && !WasSeenEnded(job.status, name);
}

Dependency ReadDependency(const cluster::WeightedJob& job) {
  const cluster::Conditions& conditions = job.status.conditions;
  Dependency read{job.meta.name, DependencyState::kUnfinished, job.meta.uid, {}};
  if (cluster::IsTrue(conditions, cluster::condition_type::kComplete)) {
    read.state = DependencyState::kComplete;
  } else if (cluster::IsTrue(conditions, cluster::condition_type::kFailed)) {
    read.state = DependencyState::kFailed;
    read.failure_reason = cluster::Find(conditions, cluster::condition_type::kFailed)->reason;
  } else if (cluster::IsTrue(conditions, cluster::condition_type::kSuspended)) {
    read.state = DependencyState::kSuspended;
  }
  return read;
}

Dependencies CollectDependencies(const cluster::WeightedJob& job, bool is_named,
                                 const FindJob& find) {
  Dependencies collected;
  bool may_be_in_circle = job.status.conditions.empty();
  for (const std::string& name : AwaitedJobs(job.spec)) {
    const auto found = find(name);
    Dependency& one = collected.jobs.emplace_back();
    one.name = name;
    if (found) one = ReadDependency(*found);
    if (found && IsEarlierRun(job, name) && cluster::IsOver(found->status.conditions)) {
      collected.rerun_obstacle = RerunObstacle(job, *found);
    }
    may_be_in_circle = may_be_in_circle || one.failure_reason == reason::kCircularDependency;
  }
  if (is_named && may_be_in_circle) collected.circle = FindCircle(job, find);
  return collected;
}

void CheckDependencies(PlanBuilder& builder) {
  if (HasStarted(builder)) return;
  const std::vector<const Dependency*> unseen = FindAwaited(builder);
  for (const Dependency* one : unseen) {
    if (HasEnded(builder, *one)) builder.Status().after.push_back({one->name, one->uid});
  }
  if (!builder.snapshot().dependencies.circle.empty()) return FailForCircle(builder);
  const auto failed = std::find_if(unseen.begin(), unseen.end(), [&](const Dependency* one) {
    return one->state == DependencyState::kFailed && !HasEnded(builder, *one);
  });
  if (failed != unseen.end()) return FailForDependency(builder, **failed);
  const std::string& obstacle = builder.snapshot().dependencies.rerun_obstacle;
  if (!obstacle.empty()) Fail(builder, "RerunImpossible", "spec.rerun: " + obstacle);
}

bool WaitsForDependencies(const PlanBuilder& builder) {
  if (HasStarted(builder)) return false;
  const auto& recorded = builder.snapshot().job.status.after;
  return !FindAwaited(builder).empty() || recorded != builder.Status().after;
}

void WaitForDependencies(PlanBuilder& builder) {
  const std::vector<const Dependency*> awaited = FindAwaited(builder);
  if (awaited.empty()) return;  // the status that records them brings the job back
  std::string text = "waits for ";
  const std::size_t named = std::min(awaited.size(), kMostJobNames);
  for (std::size_t i = 0; i < named; ++i) {
    const bool last = i + 1 == awaited.size();
    if (i > 0) text += last ? " and " : ", ";
    text += awaited[i]->name;
    if (awaited[i]->state == DependencyState::kAbsent) text += " (does not exist)";
    if (awaited[i]->state == DependencyState::kSuspended) text += " (suspended)";
  }
  if (named < awaited.size())
    text += " and " + std::to_string(awaited.size() - named) + " more jobs";
  // Nothing runs that could go on: this only updates the condition Suspended.
  static_cast<void>(UndoSuspension(builder));
  builder.SetCondition(cluster::condition_type::kProgressing, false, "WaitingForJobs",
                       std::move(text));
}

}  // namespace evenkeel::plan
