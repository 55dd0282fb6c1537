#include "operator/plan/dependencies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include "tests/unit/operator/plan/model_cluster.h"

namespace evenkeel::plan {
namespace {

using Names = std::vector<std::string>;

/// Several jobs of one namespace, each in a model of a cluster of its own.
class JobsAfterJobs : public testing::Test {
 protected:
  void TearDown() override {
    for (const auto& [name, one] : jobs_) {
      EXPECT_EQ(one.violations, std::vector<std::string>{}) << name;
    }
  }

  ModelCluster& Add(const std::string& name, Names after = {}) {
    ModelCluster& one = jobs_[name];
    one = ModelCluster();
    one.AddNode(Pi4("a"));
    one.job.meta.name = name;
    one.job.meta.uid = "uid-" + name + "-" + std::to_string(++made_);
    one.job.spec.name = name;
    one.job.spec.after = std::move(after);
    return one;
  }
  /// Adds two jobs with the same claim, the second of which reruns the first.
  void AddRerun() {
    for (ModelCluster* one : {&Add("first"), &Add("again")}) one->job.result_claim = "out";
    jobs_.at("again").job.spec.rerun = model::RerunSpec{"first", {}};
  }
  /// As the operator's cache sees them.
  void Look() {
    for (auto& [name, one] : jobs_) {
      one.has_waiting_dependents = false;
      for (const auto& [other, cluster] : jobs_) {
        if (WaitsFor(cluster.job, name)) one.has_waiting_dependents = true;
      }
      one.dependencies = CollectDependencies(one.job, IsNamed(name), Find());
    }
  }
  /// Reconciles each job once, in the order of their names.
  void Step() {
    Look();
    for (auto& [name, one] : jobs_) one.Step();
    for (auto one = jobs_.begin(); one != jobs_.end();) {
      one = one->second.job_is_gone ? jobs_.erase(one) : std::next(one);
    }
  }
  void Steps(int count) {
    for (int i = 0; i < count; ++i) Step();
  }
  Plan StepOf(const std::string& name) {
    Look();
    return jobs_.at(name).Step();
  }
  void Complete(const std::string& name) {
    jobs_.at(name).progress.state = cluster::CoordinatorState::kComplete;
  }
  void FailTasks(const std::string& name) {
    jobs_.at(name).progress.cause = model::EndCause::kTasksFailed;
    jobs_.at(name).progress.state = cluster::CoordinatorState::kFailed;
  }
  [[nodiscard]] std::string State(const std::string& name) const {
    return jobs_.at(name).job.status.state;
  }
  [[nodiscard]] std::string Message(const std::string& name, const std::string& type) const {
    const auto* found = cluster::Find(jobs_.at(name).job.status.conditions, type);
    return found == nullptr ? "none" : found->reason + ": " + found->message;
  }
  [[nodiscard]] Names ReasonsOfEvents(const std::string& name) const {
    Names reasons;
    for (const Event& event : jobs_.at(name).events) reasons.push_back(event.reason);
    return reasons;
  }
  [[nodiscard]] bool NothingIsCreatedFor(const std::string& name) const {
    const ModelCluster& one = jobs_.at(name);
    return one.pods.empty() && !one.plan && one.worker_nodes.empty();
  }
  [[nodiscard]] FindJob Find() const {
    return [this](const std::string& name) -> std::shared_ptr<const cluster::WeightedJob> {
      const auto found = jobs_.find(name);
      if (found == jobs_.end()) return nullptr;
      return std::make_shared<const cluster::WeightedJob>(found->second.job);
    };
  }
  [[nodiscard]] bool IsNamed(const std::string& name) const {
    return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& one) {
      const Names awaited = AwaitedJobs(one.second.job.spec);
      return std::find(awaited.begin(), awaited.end(), name) != awaited.end();
    });
  }

  std::map<std::string, ModelCluster> jobs_;
  int made_ = 0;
};

TEST_F(JobsAfterJobs, AJobWaitsForOneThatDoesNotExist) {
  Add("load", {"extract"});
  const Plan plan = StepOf("load");
  EXPECT_TRUE(NothingIsCreatedFor("load"));
  EXPECT_EQ(plan.requeue_after, std::nullopt) << "what happens to the other job brings it back";
  EXPECT_EQ(State("load"), "WaitingForJobs");
  EXPECT_EQ(Message("load", "Progressing"), "WaitingForJobs: waits for extract (does not exist)");
  EXPECT_EQ(
      plan.events,
      (std::vector<Event>{{false, "WaitingForJobs", "waits for extract (does not exist)", true}}));
  EXPECT_EQ(jobs_.at("load").job.status.start_time, std::nullopt);
}

TEST_F(JobsAfterJobs, AJobStartsWhenTheOtherIsComplete) {
  Add("extract");
  Add("load", {"extract"});
  Steps(5);
  EXPECT_EQ(State("extract"), "Progressing");
  EXPECT_EQ(State("load"), "WaitingForJobs");
  EXPECT_EQ(Message("load", "Progressing"), "WaitingForJobs: waits for extract");
  EXPECT_TRUE(NothingIsCreatedFor("load"));
  Complete("extract");
  Steps(8);
  EXPECT_EQ(ReasonsOfEvents("load"), (Names{"WaitingForJobs", "Starting", "Running"}));
  EXPECT_EQ(State("load"), "Progressing");
  EXPECT_EQ(Message("load", "Progressing"), "Running: workers run");
  const auto& seen = jobs_.at("load").job.status.after;
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].name, "extract");
  EXPECT_EQ(seen[0].uid, jobs_.at("extract").job.meta.uid);
}

TEST_F(JobsAfterJobs, ProgressOfAnotherJobIsNoStatusWrite) {
  Add("extract");
  Add("load", {"extract"});
  Steps(5);
  for (int percent = 0; percent < 100; percent += 10) {
    jobs_.at("extract").progress.fraction = percent / 100.0;
    for (auto& [name, one] : jobs_) one.Advance(std::chrono::minutes(1));
    StepOf("extract");
    EXPECT_FALSE(StepOf("load").status.has_value()) << percent;
  }
}

TEST_F(JobsAfterJobs, ACompleteJobMayBeDeletedBeforeTheOthersAreComplete) {
  Add("a");
  Add("b");
  Add("c", {"a", "b"});
  Steps(5);
  EXPECT_EQ(Message("c", "Progressing"), "WaitingForJobs: waits for a and b");
  Complete("a");
  Steps(3);
  EXPECT_EQ(jobs_.at("c").job.status.after.size(), 1U);
  EXPECT_EQ(Message("c", "Progressing"), "WaitingForJobs: waits for b");
  jobs_.erase("a");
  Steps(3);
  EXPECT_EQ(Message("c", "Progressing"), "WaitingForJobs: waits for b");
  // One of the same name is another run, which does not matter any more.
  Add("a");
  FailTasks("a");
  Steps(5);
  EXPECT_EQ(State("a"), "Failed");
  EXPECT_EQ(Message("c", "Progressing"), "WaitingForJobs: waits for b");
  Complete("b");
  Steps(8);
  EXPECT_EQ(State("c"), "Progressing");
  jobs_.erase("b");
  Steps(3);
  EXPECT_EQ(State("c"), "Progressing") << "a job that has started does not look back";
}

TEST_F(JobsAfterJobs, ADeletedJobThatWasNotCompleteIsWaitedForAgain) {
  Add("a");
  Add("b", {"a"});
  Steps(5);
  jobs_.erase("a");
  jobs_.at("b").Advance(std::chrono::seconds(10));
  Step();
  EXPECT_EQ(Message("b", "Progressing"), "WaitingForJobs: waits for a (does not exist)");
  Add("a");
  jobs_.at("b").Advance(std::chrono::seconds(10));
  Steps(5);
  EXPECT_EQ(Message("b", "Progressing"), "WaitingForJobs: waits for a");
  Complete("a");
  Steps(8);
  EXPECT_EQ(State("b"), "Progressing");
  EXPECT_EQ(jobs_.at("b").job.status.after.at(0).uid, jobs_.at("a").job.meta.uid);
}

TEST_F(JobsAfterJobs, ATimeToLiveOfZeroEndsOnlyWhenTheOthersHaveSeenTheEnd) {
  Add("a").job.ttl = Duration{0};
  Add("b", {"a"});
  Steps(5);
  Complete("a");
  EXPECT_TRUE(StepOf("a").actions.empty());
  EXPECT_EQ(State("a"), "Complete");
  StepOf("b");
  EXPECT_EQ(StepOf("a").actions, std::vector<Action>{DeleteJob{}});
  Steps(8);
  EXPECT_FALSE(jobs_.contains("a"));
  EXPECT_EQ(State("b"), "Progressing");
}

TEST_F(JobsAfterJobs, AFailedJobFailsThoseAfterItInTurn) {
  Add("a");
  Add("b", {"a"});
  Add("c", {"b"}).job.suspend = true;
  Steps(5);
  EXPECT_EQ(State("c"), "Suspended");
  FailTasks("a");
  Steps(5);
  EXPECT_EQ(State("a"), "Failed");
  EXPECT_EQ(Message("b", "Failed"), "DependencyFailed: spec.after: job a has failed (TasksFailed)");
  EXPECT_EQ(Message("b", "Progressing"), Message("b", "Failed"));
  EXPECT_EQ(Message("c", "Failed"),
            "DependencyFailed: spec.after: job b has failed (DependencyFailed)");
  EXPECT_TRUE(NothingIsCreatedFor("b"));
  EXPECT_TRUE(NothingIsCreatedFor("c"));
  EXPECT_EQ(ReasonsOfEvents("b"), (Names{"WaitingForJobs", "DependencyFailed"}));
  EXPECT_EQ(ReasonsOfEvents("c"), (Names{"Suspended", "DependencyFailed"}));
  EXPECT_TRUE(jobs_.at("b").events.back().warning);
  EXPECT_FALSE(jobs_.at("b").events.front().warning);
  EXPECT_EQ(jobs_.at("c").Condition("Suspended"), "False DependencyFailed");
}

TEST_F(JobsAfterJobs, AChainOfThree) {
  Add("a");
  Add("b", {"a"});
  Add("c", {"b"});
  Steps(5);
  EXPECT_EQ(Message("c", "Progressing"), "WaitingForJobs: waits for b");
  Complete("a");
  Steps(8);
  EXPECT_EQ(State("b"), "Progressing");
  EXPECT_EQ(State("c"), "WaitingForJobs");
  Complete("b");
  Steps(8);
  EXPECT_EQ(State("c"), "Progressing");
}

TEST_F(JobsAfterJobs, ASuspendedJobRecordsWhatIsCompleteAndStartsWhenItIsResumed) {
  Add("a");
  Add("b", {"a"}).job.suspend = true;
  Steps(5);
  EXPECT_EQ(State("b"), "Suspended");
  Complete("a");
  Steps(3);
  jobs_.erase("a");
  Steps(3);
  EXPECT_EQ(State("b"), "Suspended");
  EXPECT_TRUE(NothingIsCreatedFor("b"));
  jobs_.at("b").ChangeSpec([](auto& job) { job.suspend = false; });
  Steps(5);
  EXPECT_EQ(State("b"), "Progressing");
}

TEST_F(JobsAfterJobs, AJobThatIsResumedTooEarlyWaits) {
  Add("a").job.suspend = true;
  Add("b", {"a"}).job.suspend = true;
  Steps(5);
  jobs_.at("b").ChangeSpec([](auto& job) { job.suspend = false; });
  Steps(5);
  EXPECT_EQ(State("b"), "WaitingForJobs");
  EXPECT_EQ(jobs_.at("b").Condition("Suspended"), "False Resumed");
  EXPECT_EQ(Message("b", "Progressing"), "WaitingForJobs: waits for a (suspended)");
}

TEST_F(JobsAfterJobs, TheDeadlineDoesNotCountTheWaiting) {
  Add("a");
  ModelCluster& b = Add("b", {"a"});
  b.job.spec.active_deadline = std::chrono::seconds(60);
  Steps(5);
  for (auto& [name, one] : jobs_) one.Advance(std::chrono::hours(1));
  Steps(2);
  EXPECT_EQ(State("b"), "WaitingForJobs");
  Complete("a");
  Steps(8);
  EXPECT_EQ(State("b"), "Progressing");
  EXPECT_EQ(b.job.status.start_time, platform::WholeSeconds(b.now));
  b.Advance(std::chrono::seconds(61));
  Step();
  EXPECT_EQ(b.Condition("Failed"), "True DeadlineExceeded");
}

// Plans depend on nothing but their snapshot: what a new operator reads is in status.after.
TEST_F(JobsAfterJobs, ARestartOfTheOperatorChangesNothing) {
  Add("a");
  Add("b");
  Add("c", {"a", "b"});
  Complete("a");
  Steps(8);
  jobs_.erase("a");
  for (auto& [name, one] : jobs_) one.last_status_write.reset();
  Steps(3);
  EXPECT_EQ(Message("c", "Progressing"), "WaitingForJobs: waits for b");
  Complete("b");
  Steps(8);
  EXPECT_EQ(State("c"), "Progressing");
}

// The operator ended after it had started the job and before it could record why.
TEST_F(JobsAfterJobs, AJobThatHasStartedDoesNotWait) {
  Add("a");
  ModelCluster& b = Add("b", {"a"});
  Complete("a");
  Steps(8);
  ASSERT_EQ(State("b"), "Progressing");
  b.job.status.after.clear();
  jobs_.erase("a");
  Steps(3);
  EXPECT_EQ(State("b"), "Progressing");
}

TEST_F(JobsAfterJobs, LongListsAreCut) {
  Names many;
  for (int i = 10; i < 42; ++i) many.push_back("job-" + std::to_string(i));
  Add("last", many);
  for (const std::string& name : many) Add(name);
  Step();
  EXPECT_EQ(Message("last", "Progressing"),
            "WaitingForJobs: waits for job-10, job-11, job-12, job-13, job-14 and 27 more jobs");
}

class Circles : public JobsAfterJobs {};

TEST_F(Circles, OfOneJob) {
  Add("a", {"a"});
  Step();
  EXPECT_EQ(Message("a", "Failed"),
            "CircularDependency: spec.after: these jobs wait for each other: a after a");
}

TEST_F(Circles, OfTwoJobs) {
  Add("a", {"b"});
  Add("b", {"a"});
  Steps(3);
  EXPECT_EQ(Message("a", "Failed"),
            "CircularDependency: spec.after: these jobs wait for each other: a after b after a");
  EXPECT_EQ(Message("b", "Failed"),
            "CircularDependency: spec.after: these jobs wait for each other: b after a after b");
}

TEST_F(Circles, TheLastJobOfACircleClosesIt) {
  Add("z", {"b"});
  Add("b", {"c"});
  Add("c", {"a"});
  Steps(3);
  EXPECT_EQ(State("b"), "WaitingForJobs");
  EXPECT_EQ(Message("c", "Progressing"), "WaitingForJobs: waits for a (does not exist)");
  Add("a", {"b"});
  Steps(4);
  const std::string words = "CircularDependency: spec.after: these jobs wait for each other: ";
  EXPECT_EQ(Message("a", "Failed"), words + "a after b after c after a");
  EXPECT_EQ(Message("b", "Failed"), words + "b after c after a after b");
  EXPECT_EQ(Message("c", "Failed"), words + "c after a after b after c");
  EXPECT_EQ(Message("z", "Failed"),
            "DependencyFailed: spec.after: job b has failed (CircularDependency)");
  for (const auto& [name, one] : jobs_) EXPECT_TRUE(NothingIsCreatedFor(name)) << name;
}

TEST_F(Circles, ThoseOfOtherJobsFailTheJobAsAnyFailureDoes) {
  Add("a", {"b"});
  Add("b", {"b"});
  Steps(3);
  EXPECT_EQ(Message("a", "Failed"),
            "DependencyFailed: spec.after: job b has failed (CircularDependency)");
}

TEST_F(Circles, AJobThatWasSeenCompleteIsNotWaitedFor) {
  Add("a");
  Add("b", {"a"});
  Complete("a");
  Steps(8);
  ASSERT_EQ(State("b"), "Progressing");
  // A new job a, which waits for b: b does not wait for it.
  Add("a", {"b"});
  Steps(3);
  EXPECT_EQ(State("a"), "WaitingForJobs");
  Complete("b");
  Steps(8);
  EXPECT_EQ(State("a"), "Progressing");
}

TEST_F(Circles, LargeOnesAreCut) {
  for (int i = 10; i < 50; ++i) {
    Add("job-" + std::to_string(i), {"job-" + std::to_string(i == 49 ? 10 : i + 1)});
  }
  Step();
  EXPECT_EQ(Message("job-10", "Failed"),
            "CircularDependency: spec.after: these jobs wait for each other: job-10 after job-11 "
            "after job-12 after job-13 after job-14 after 35 more after job-10");
}

/// A chain of `length` jobs, job-1 first. `checked`: the operator has looked at each before.
std::map<std::string, std::shared_ptr<const cluster::WeightedJob>> Chain(int length, bool checked) {
  std::map<std::string, std::shared_ptr<const cluster::WeightedJob>> jobs;
  for (int i = 1; i <= length; ++i) {
    auto job = std::make_shared<cluster::WeightedJob>();
    job->meta.name = "job-" + std::to_string(i);
    if (i > 1) job->spec.after = {"job-" + std::to_string(i - 1)};
    if (checked) job->status.conditions.emplace_back().type = "Progressing";
    jobs[job->meta.name] = std::move(job);
  }
  return jobs;
}

TEST(Dependencies, ALongChainIsSearchedForACircleOnceAndWithinBounds) {
  for (const bool checked : {false, true}) {
    const auto jobs = Chain(1500, checked);
    int most = 0;
    for (const auto& [name, job] : jobs) {
      int lookups = 0;
      const auto collected = CollectDependencies(*job, true, [&](const std::string& other) {
        ++lookups;
        return jobs.at(other);
      });
      EXPECT_TRUE(collected.circle.empty());
      most = std::max(most, lookups);
    }
    EXPECT_LE(most, checked ? 1 : 1001);
  }
}

TEST(Dependencies, AJobThatNoOtherNamesIsInNoCircle) {
  const auto jobs = Chain(1000, false);
  int lookups = 0;
  const auto collected =
      CollectDependencies(*jobs.at("job-1000"), false, [&](const std::string& other) {
        ++lookups;
        return jobs.at(other);
      });
  EXPECT_EQ(lookups, 1);
  EXPECT_EQ(collected.jobs.size(), 1U);
}

TEST_F(JobsAfterJobs, ARerunWaitsForTheEndOfTheEarlierJob) {
  AddRerun();
  Steps(5);
  EXPECT_TRUE(NothingIsCreatedFor("again"));
  EXPECT_EQ(Message("again", "Progressing"), "WaitingForJobs: waits for first");
  FailTasks("first");
  Steps(3);
  EXPECT_EQ(State("first"), "Failed");
  EXPECT_EQ(jobs_.at("again").job.status.after,
            (std::vector<cluster::CompletedDependency>{{"first", jobs_.at("first").job.meta.uid}}));
  EXPECT_FALSE(NothingIsCreatedFor("again")) << "a job that has failed can be rerun";
  EXPECT_EQ(Message("again", "Failed"), "none");
}

TEST_F(JobsAfterJobs, ARerunOfACompleteJobStarts) {
  AddRerun();
  Steps(5);
  Complete("first");
  Steps(3);
  EXPECT_FALSE(NothingIsCreatedFor("again"));
}

TEST_F(JobsAfterJobs, ARerunFailsIfTheResultsCannotBeTakenOver) {
  const auto failure_with = [this](const std::function<void(cluster::WeightedJob&)>& change) {
    jobs_.clear();
    AddRerun();
    change(jobs_.at("first").job);
    Steps(5);
    Complete("first");
    Steps(3);
    EXPECT_TRUE(NothingIsCreatedFor("again"));
    return Message("again", "Failed");
  };
  EXPECT_EQ(
      failure_with([](auto& job) { job.result_claim.clear(); }),
      "RerunImpossible: spec.rerun: job first has no resultStorage; a rerun needs its results "
      "on a claim");
  EXPECT_EQ(failure_with([](auto& job) { job.result_claim = "other"; }),
            "RerunImpossible: spec.rerun: the results of job first are in the claim other, which "
            "spec.resultStorage must name, too");
  EXPECT_EQ(failure_with([](auto& job) { job.workload = "{}"; }),
            "RerunImpossible: spec.rerun: job first has another spec.workload");
}

TEST_F(JobsAfterJobs, RerunsOfEachOtherFail) {
  AddRerun();
  jobs_.at("first").job.spec.rerun = model::RerunSpec{"again", {}};
  Steps(3);
  EXPECT_EQ(State("first"), "Failed");
  EXPECT_EQ(State("again"), "Failed");
}

TEST_F(JobsAfterJobs, AJobIsKeptUntilItsRerunHasRecordedItsEnd) {
  AddRerun();
  EXPECT_TRUE(WaitsFor(jobs_.at("again").job, "first"));
  jobs_.at("again").job.status.after = {{"first", "uid"}};
  EXPECT_FALSE(WaitsFor(jobs_.at("again").job, "first"));
}

}  // namespace
}  // namespace evenkeel::plan
