#include <gtest/gtest.h>

#include "cli/kubectl/coordinator_pod.h"
#include "cli/kubectl/job_events.h"
#include "cli/kubectl/job_words.h"
#include "cli/kubectl/top_view.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

constexpr double kNow = 1'772'357'460;  // 2026-03-01T09:31:00Z

json RunningJob() {
  return json::parse(R"({
    "metadata": {"name": "primes", "namespace": "lab", "generation": 2,
                 "creationTimestamp": "2026-03-01T09:29:00Z"},
    "spec": {"weighting": {"policy": "paper"}, "nodes": {"maxWorkers": 3}},
    "status": {"tasks": {"total": 768, "completed": 484}, "progress": "63%",
      "startTime": "2026-03-01T09:30:00Z", "estimatedCompletionTime": "2026-03-01T09:31:40Z",
      "workers": [
        {"node": "pi4-a", "weight": 5, "share": 349, "completed": 220, "stolen": 3,
         "state": "Running", "weightSource": "Fuzzy"},
        {"node": "pi3", "weight": 1, "share": 70, "completed": 44, "stolen": 0,
         "state": "Lost", "weightSource": "Fuzzy"}],
      "conditions": [{"type": "Progressing", "status": "True", "reason": "Running",
                      "message": "2 of 2 workers run", "observedGeneration": 2,
                      "lastTransitionTime": "2026-03-01T09:30:00Z"}]}})");
}

TEST(JobObject, ReadsTimes) {
  EXPECT_EQ(ReadTime(json("2026-03-01T09:31:00Z")), kNow);
  EXPECT_EQ(ReadTime(json("1970-01-01T00:00:01.500000Z")), 1.5);
  for (const json& text : {json("yesterday"), json(""), json(5), json(), json("2026-03-01")}) {
    EXPECT_EQ(ReadTime(text), std::nullopt) << text;
  }
}

TEST(JobObject, NothingIsNeeded) {
  for (const json& object :
       {json(), json::object(), json::array(), json("x"),
        json{{"spec", 5}, {"status", json::array()}, {"metadata", "x"}},
        json{
            {"status",
             {{"workers", {1, "x", nullptr}}, {"conditions", "x"}, {"tasks", {{"total", -3}}}}}}}) {
    const JobObject job = ReadJobObject(object);
    EXPECT_EQ(job.State(), "Pending");
    EXPECT_EQ(job.tasks_total, 0);
    EXPECT_FALSE(JobTopLines(job, std::nullopt, kNow, {}).empty());
  }
}

TEST(JobObject, TextsAreMadePrintable) {
  json object = RunningJob();
  object["status"]["workers"][0]["state"] = "\x1b[2J";
  EXPECT_EQ(ReadJobObject(object).workers.at(0).state, "?[2J");
}

TEST(JobWords, States) {
  json object = RunningJob();
  EXPECT_EQ(StateInWords(ReadJobObject(object), kNow),
            "Progressing, 63% done (484 of 768 tasks), ends in about 40.0 s: 2 of 2 workers run");
  object["status"]["conditions"] = json::parse(
      R"([{"type": "Failed", "status": "True", "reason": "DeadlineExceeded", "message": ""}])");
  object["status"]["completionTime"] = "2026-03-01T09:32:05Z";
  EXPECT_EQ(StateInWords(ReadJobObject(object), kNow),
            "Failed, 63% done (484 of 768 tasks), after 2:05: DeadlineExceeded");
  EXPECT_EQ(StateInWords(JobObject(), kNow), "Pending");
  object = {{"status", {{"conditions", json::parse(R"([{"type": "Progressing", "status": "False",
      "reason": "ImagePullFailed", "message": "pod a-1: its image x cannot be pulled"}])")}}}};
  EXPECT_EQ(StateInWords(ReadJobObject(object), kNow),
            "ImagePullFailed: pod a-1: its image x cannot be pulled");
}

TEST(TopView, OneJob) {
  EXPECT_EQ(JobTopLines(ReadJobObject(RunningJob()), std::nullopt, kNow, {80, 24}),
            (Lines{"primes  █████████████████████░░░░░░░░░░░░░  63.0%  ETA 40.0 s",
                   "  484 of 768 tasks, 1:00 elapsed",
                   "  NODE               WEIGHT   SHARE        DONE      STOLEN      RATE  STATE",
                   "  pi4-a               5.000   45.4%         220           3         -  Running",
                   "  pi3                 1.000    9.1%          44           0         -  Lost"}));
}

TEST(TopView, OneJobWithWhatItsCoordinatorSays) {
  model::RunSummary live;
  live.tasks_completed = 500;
  live.nodes.resize(2);
  live.nodes[0].name = "pi4-a";
  live.nodes[0].ratio = 4.252;
  live.nodes[0].share = 0.45;
  live.nodes[0].completed = 230;
  live.nodes[0].mean_rate = 19.5e6;
  live.nodes[1].name = "stranger";
  const Lines lines = JobTopLines(ReadJobObject(RunningJob()), live, kNow, {80, 24});
  EXPECT_EQ(lines.at(1), "  500 of 768 tasks, 1:00 elapsed");
  EXPECT_EQ(lines.at(3),
            "  pi4-a               4.252   45.0%         230           0  19.5 M/s  Running");
  EXPECT_EQ(lines.size(), 5u);
}

TEST(TopView, AJobThatWaitsForOtherJobs) {
  json object = RunningJob();
  object["spec"]["after"] = {"extract", "load"};
  object["status"] = {{"conditions", json::parse(R"([{"type": "Progressing", "status": "False",
      "reason": "WaitingForJobs", "message": "waits for extract and load"}])")}};
  const JobObject job = ReadJobObject(object);
  EXPECT_EQ(
      JobTopLines(job, std::nullopt, kNow, {80, 24}),
      (Lines{"primes  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0.0%  WaitingForJobs", "  0 of 0 tasks",
             "  waits for extract and load",
             "  NODE               WEIGHT   SHARE        DONE      STOLEN      RATE  STATE"}));
  EXPECT_NE(JobListLines({job}, false, kNow, {80, 24})[1].find("  WaitingForJobs  "),
            std::string::npos);
}

TEST(TopView, ManyJobsFitTheTerminal) {
  std::vector<JobObject> jobs(100, ReadJobObject(RunningJob()));
  const Lines lines = JobListLines(jobs, true, kNow, {80, 10});
  ASSERT_LT(lines.size(), 10u);
  EXPECT_EQ(lines[0], "JOB               STATE         PROGRESS    TASKS     ETA  WORKERS    AGE");
  EXPECT_EQ(lines[1], "lab/primes  Progressing  ██████░░░░  63%  484/768  40.0 s        2  2 min");
  EXPECT_EQ(JobListLines(jobs, true, kNow, {25, 10})[1], "lab/primes  Progressing  ");
  EXPECT_EQ(lines.back(), "... and 93 more jobs");
  EXPECT_EQ(JobListLines({}, false, kNow, {}), Lines{"no jobs"});
}

json Pod(const std::string& name, const std::string& phase, const std::string& attempt) {
  return {{"metadata",
           {{"name", name},
            {"namespace", "lab"},
            {"annotations", {{"evenkeel.dev/attempt", attempt}}}}},
          {"status", {{"phase", phase}}}};
}

TEST(CoordinatorPod, TheLatestAttemptThatRuns) {
  json list{{"items",
             {Pod("a-1", "Running", "1"), Pod("a-10", "Running", "10"), Pod("a-9", "Running", "9"),
              Pod("a-11", "Pending", "11")}}};
  const auto chosen = ChooseCoordinator(list, "a");
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_EQ(chosen->name, "a-10");
  EXPECT_EQ(chosen->name_space, "lab");
}

TEST(CoordinatorPod, NoneThatRuns) {
  const auto pending = ChooseCoordinator({{"items", {Pod("a-1", "Pending", "1")}}}, "a");
  ASSERT_FALSE(pending);
  EXPECT_EQ(pending.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(pending.error().message, "a: pod a-1 is not running yet");
  json leaving = Pod("a-1", "Running", "1");
  leaving["metadata"]["deletionTimestamp"] = "2026-03-01T09:30:00Z";
  EXPECT_EQ(ChooseCoordinator({{"items", {leaving}}}, "a").error().message,
            "a: pod a-1 is being deleted");
  for (const json& list : {json::object(), json{{"items", 5}}, json{{"items", {1, "x"}}},
                           json{{"items", {Pod("../x", "Running", "1")}}}}) {
    const auto none = ChooseCoordinator(list, "a");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::kInternal);
  }
}

TEST(JobEvents, TheLastOnesInOrder) {
  const json list = json::parse(R"({"items": [
    {"reason": "Third", "eventTime": "2026-03-01T09:30:03.000000Z", "type": "Warning",
     "series": {"count": 4, "lastObservedTime": "2026-03-01T09:30:30.000000Z"}},
    {"reason": "First", "lastTimestamp": "2026-03-01T09:30:01Z", "count": 1, "message": "m"},
    {"reason": "Second", "lastTimestamp": null, "eventTime": "2026-03-01T09:30:02.000000Z"},
    5]})");
  const auto events = ReadEvents(list, 2);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].reason, "Second");
  EXPECT_EQ(events[1].reason, "Third");
  EXPECT_EQ(events[1].count, 4);
  EXPECT_EQ(events[1].last, kNow - 30);
  EXPECT_TRUE(ReadEvents(json::object(), 5).empty());
}

}  // namespace
}  // namespace evenkeel::cli
