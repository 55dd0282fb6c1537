#include "cli/kubectl/boards_view.h"

#include <gtest/gtest.h>

namespace evenkeel::cli {
namespace {

using nlohmann::json;

constexpr double kLookedAt = 1'767'225'600;  // 2026-01-01T00:00:00Z

json SharedJob(const std::string& name, const json& conditions, json status = json::object()) {
  status["conditions"] = conditions;
  return {{"metadata",
           {{"name", name}, {"namespace", "lab"}, {"creationTimestamp", "2025-12-31T23:00:00Z"}}},
          {"spec",
           {{"workload", {{"primes", {{"end", 1000}}}}},
            {"worker",
             {{"resources", {{"requests", {{"cpu", "500m"}, {"memory", "128Mi"}}}}},
              {"template", {{"priorityClassName", "night"}}}}}}},
          {"status", std::move(status)}};
}

json SharedCondition(const std::string& type, bool is_true, const std::string& reason,
                     const std::string& message) {
  return {{"type", type},
          {"status", is_true ? "True" : "False"},
          {"reason", reason},
          {"message", message}};
}

json RunningShared(const std::string& name, const std::string& message = "workers run") {
  return SharedJob(name, json::array({SharedCondition("Progressing", true, "Running", message)}),
                   {{"progress", "40%"},
                    {"tasks", {{"total", 10}, {"completed", 4}}},
                    {"startTime", "2025-12-31T23:30:00Z"},
                    {"estimatedCompletionTime", "2026-01-01T00:01:40Z"}});
}

json SharedWorkerPod(const std::string& job, const std::string& node, bool has_node = true) {
  json pod = {{"metadata",
               {{"name", job + "-worker"},
                {"namespace", "lab"},
                {"annotations", {{"evenkeel.dev/node", node}}},
                {"labels",
                 {{"app.kubernetes.io/managed-by", "evenkeel-operator"},
                  {"app.kubernetes.io/component", "worker"},
                  {"evenkeel.dev/weighted-job", job}}}}},
              {"spec",
               {{"containers", json::array({{{"name", "worker"},
                                             {"args", {"--node", node, "--threads", "4"}},
                                             {"resources", {{"requests", {{"cpu", "500m"}}}}}}})}}},
              {"status", {{"phase", has_node ? "Running" : "Pending"}}}};
  if (has_node) {
    pod["spec"]["nodeName"] = node;
    pod["status"]["conditions"] = json::array({{{"type", "Ready"}, {"status", "True"}}});
  } else {
    pod["status"]["conditions"] = json::array({{{"type", "PodScheduled"},
                                                {"status", "False"},
                                                {"reason", "Unschedulable"},
                                                {"message", "Insufficient cpu"}}});
  }
  return pod;
}

json SharedBoard(const std::string& name) {
  return {{"metadata", {{"name", name}}},
          {"status",
           {{"allocatable", {{"cpu", "4"}, {"memory", "2Gi"}, {"pods", "110"}}},
            {"conditions", json::array({{{"type", "Ready"}, {"status", "True"}}})}}}};
}

json ListOf(json items) { return {{"items", std::move(items)}}; }

TEST(BoardsData, HasARowForEachBoardAndJob) {
  const std::string waits = "workers run; waits for room: pi3 lacks cpu: requested 500m, free 100m";
  const ClusterLists lists{
      ListOf(json::array({RunningShared("alpha"), RunningShared("beta", waits)})),
      ListOf(json::array({SharedWorkerPod("alpha", "pi4"), SharedWorkerPod("beta", "pi4"),
                          SharedWorkerPod("beta", "pi3", false)})),
      ListOf(json::array({SharedBoard("pi4"), SharedBoard("pi3"), SharedBoard("idle")}))};
  const json data = BoardsData(lists, {"lab", false}, kLookedAt);
  EXPECT_EQ(data["namespace"], "lab");
  EXPECT_EQ(data["jobs"][0], (json{{"namespace", "lab"},
                                   {"name", "alpha"},
                                   {"state", "Progressing"},
                                   {"tone", "runs"},
                                   {"waits", ""},
                                   {"progress", 0.4},
                                   {"completed", 4},
                                   {"total", 10},
                                   {"etaSeconds", 100.0},
                                   {"workers", 1},
                                   {"cpu", 500},
                                   {"memory", 128 << 20},
                                   {"priorityClass", "night"}}));
  EXPECT_EQ(data["jobs"][1]["waits"], "waits for room: pi3 lacks cpu: requested 500m, free 100m");
  EXPECT_EQ(data["jobs"][1]["tone"], "waits");
  ASSERT_EQ(data["boards"].size(), 3U);
  EXPECT_EQ(data["boards"][0]["name"], "pi3");
  EXPECT_EQ(data["boards"][0]["workers"][0]["state"], "Pending");
  EXPECT_EQ(data["boards"][0]["requestedCpu"], 0) << "a worker without room requests nothing yet";
  EXPECT_EQ(data["boards"][1]["name"], "pi4");
  EXPECT_EQ(data["boards"][1]["cpu"], 4000);
  EXPECT_EQ(data["boards"][1]["memory"], 2LL << 30);
  EXPECT_EQ(data["boards"][1]["requestedCpu"], 1000);
  EXPECT_EQ(data["boards"][1]["workers"][0], (json{{"namespace", "lab"},
                                                   {"job", "alpha"},
                                                   {"slots", 4},
                                                   {"cpu", 500},
                                                   {"memory", 0},
                                                   {"state", "Running"}}));
  EXPECT_EQ(data["boards"][2]["name"], "idle") << "boards without workers come last";
  ASSERT_EQ(data["notes"].size(), 1U);
  EXPECT_NE(data["notes"][0].get<std::string>().find("-A"), std::string::npos);
}

TEST(BoardsData, JobsThatAreNotOverComeFirst) {
  const json complete = json::array({SharedCondition("Complete", true, "AllTasksDone", "done")});
  const json failed =
      json::array({SharedCondition("Failed", true, "TasksFailed", "task 3 failed")});
  const json suspended = json::array({SharedCondition("Suspended", true, "Suspended", "s")});
  const json room =
      json::array({SharedCondition("Progressing", false, "WaitingForRoom", "no room")});
  const ClusterLists lists{
      ListOf(json::array({SharedJob("old", complete, {{"completionTime", "2025-12-31T23:10:00Z"}}),
                          SharedJob("new", failed, {{"completionTime", "2025-12-31T23:20:00Z"}}),
                          SharedJob("room", room), SharedJob("asleep", suspended),
                          SharedJob("unseen", json::array())})),
      ListOf(json::array()), ListOf(json::array())};
  const json data = BoardsData(lists, {{}, true}, kLookedAt);
  std::vector<std::string> rows;
  for (const json& row : data["jobs"]) {
    rows.push_back(row["name"].get<std::string>() + " " + row["tone"].get<std::string>() + " " +
                   row["waits"].get<std::string>());
  }
  EXPECT_EQ(rows, (std::vector<std::string>{"asleep suspended ", "room waits no room",
                                            "unseen waits the operator has not seen the job yet",
                                            "new failed task 3 failed", "old over "}));
  EXPECT_TRUE(data["notes"].empty());
}

TEST(BoardsData, SaysWhatMayNotBeListed) {
  const ClusterLists lists{ListOf(json::array({RunningShared("alpha")})),
                           ListOf(json::array({SharedWorkerPod("alpha", "pi4")})),
                           Fail(ErrorCode::kUnavailable, "nodes is forbidden")};
  const json data = BoardsData(lists, {{}, true}, kLookedAt);
  ASSERT_EQ(data["boards"].size(), 1U);
  EXPECT_EQ(data["boards"][0]["state"], "Unknown");
  EXPECT_TRUE(data["boards"][0]["cpu"].is_null());
  ASSERT_EQ(data["notes"].size(), 1U);
  EXPECT_NE(data["notes"][0].get<std::string>().find("nodes is forbidden"), std::string::npos);
}

TEST(BoardsData, IsBoundedAndSaysWhatIsCut) {
  json jobs = json::array();
  json nodes = json::array();
  json pods = json::array();
  for (int i = 0; i < 1200; ++i) {
    jobs.push_back(RunningShared("job-" + std::to_string(i)));
    nodes.push_back(SharedBoard("board-" + std::to_string(i)));
    pods.push_back(SharedWorkerPod("job-" + std::to_string(i), "board-1199"));
  }
  const json data = BoardsData({ListOf(jobs), ListOf(pods), ListOf(nodes)}, {{}, true}, kLookedAt);
  EXPECT_EQ(data["jobs"].size(), kMaxBoardRows);
  EXPECT_EQ(data["jobsTotal"], 1200);
  EXPECT_EQ(data["boards"].size(), kMaxBoardRows);
  EXPECT_EQ(data["boards"][0]["name"], "board-1199");
  EXPECT_EQ(data["boards"][0]["workers"].size(), kMaxWorkersOfBoard);
  EXPECT_EQ(data["boards"][0]["workerCount"], 1200);
  ASSERT_EQ(data["notes"].size(), 2U);
  EXPECT_TRUE(data["notes"][0].get<std::string>().starts_with("1,000 of 1,200 jobs are shown"));
}

TEST(BoardsData, ObjectsOfUnknownShapeAreHarmless) {
  for (const json& strange : {json(3), json("x"), json::object(), json::array({1, "a"})}) {
    const ClusterLists lists{ListOf(json::array({strange})), ListOf(json::array({strange})),
                             strange};
    EXPECT_EQ(BoardsData(lists, {{}, true}, kLookedAt)["jobs"].size(), 1U);
  }
}

}  // namespace
}  // namespace evenkeel::cli
