#include "report/summary_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/unit/report/temporary_folder.h"

namespace evenkeel::report {
namespace {

/// No field has its default, and no two numbers are equal.
model::RunSummary FullSummary() {
  model::RunSummary summary;
  summary.job = "primes";
  summary.workload = "synthetic";
  summary.state = model::JobState::kFailed;
  summary.reason = "node \"pi3\"\nwas lost";
  summary.strategy = "TailStealing";
  summary.tasks_total = 11;
  summary.tasks_completed = 12;
  summary.tasks_failed = 13;
  summary.failed_indexes = "3,7-9";
  summary.makespan_seconds = 0.1;
  summary.startup_seconds = 1.0 / 3;
  summary.lower_bound_seconds = 40.3;
  summary.rate_source = "calibrated";
  summary.efficiency = 0.97;
  summary.load_imbalance_percent = 1.5;
  summary.wasted_seconds = 2.5;
  summary.messages = 14;
  summary.moves = {15, 16, 17};
  summary.bytes_sent = std::numeric_limits<std::int64_t>::max();
  summary.bytes_received = 18;
  summary.lease_seconds = 2.25;
  summary.speed_control = "cgroup";
  summary.seed = std::numeric_limits<std::uint64_t>::max();
  summary.epoch = 19;
  summary.nodes.resize(2);
  model::NodeSummary& node = summary.nodes[0];
  node.name = "pi4";
  node.ratio = 4.253;
  node.share = 0.445;
  node.completed = 20;
  node.stolen_in = 21;
  node.stolen_out = 22;
  node.busy_seconds = 3.5;
  node.data_wait_seconds = 1.75;
  node.transfer = {23'000'000'000, std::chrono::milliseconds(7500)};
  node.mean_rate = 4.5;
  node.last_end = std::chrono::milliseconds(5500);
  node.predicted_end = std::chrono::milliseconds(6500);
  node.declared_speed = 0.4;
  node.power = model::NodePower{6.4, 2.7};
  node.joules = model::NodeJoules{31.5, 32.5};
  summary.nodes[1].name = "pi3";
  summary.energy = {33.5, 34.5, 35.5, 36.5, true, true, 1.25, {"pi3-b"}};
  summary.reduce = {2, "exit code 3: no", 3, 0.25, "out", "err\n", true, false};
  summary.verification = {37, 38, {{"pi3-c", 39, "its result of task 39 is wrong", 40}}};
  summary.result_json = R"({"count":25997,"largest":299993,"means":[1,2.5]})";
  return summary;
}

void ExpectEqual(const model::NodeSummary& got, const model::NodeSummary& want) {
  EXPECT_EQ(got.name, want.name);
  EXPECT_EQ(got.ratio, want.ratio);
  EXPECT_EQ(got.share, want.share);
  EXPECT_EQ(got.completed, want.completed);
  EXPECT_EQ(got.stolen_in, want.stolen_in);
  EXPECT_EQ(got.stolen_out, want.stolen_out);
  EXPECT_EQ(got.busy_seconds, want.busy_seconds);
  EXPECT_EQ(got.data_wait_seconds, want.data_wait_seconds);
  EXPECT_EQ(got.transfer, want.transfer);
  EXPECT_EQ(got.mean_rate, want.mean_rate);
  EXPECT_EQ(got.last_end, want.last_end);
  EXPECT_EQ(got.predicted_end, want.predicted_end);
  EXPECT_EQ(got.declared_speed, want.declared_speed);
  EXPECT_EQ(got.power, want.power);
  ASSERT_EQ(got.joules.has_value(), want.joules.has_value());
  if (!want.joules) return;
  EXPECT_EQ(got.joules->dynamic, want.joules->dynamic);
  EXPECT_EQ(got.joules->idle, want.joules->idle);
}

TEST(SummaryJson, ReadsBackEnergyAndTakesSummariesWithout) {
  auto want = FullSummary();
  const auto got = SummaryFromJson(SummaryToJson(want).value());
  ASSERT_TRUE(got && got->energy);
  EXPECT_EQ(got->energy->joules, want.energy->joules);
  EXPECT_EQ(got->energy->dynamic_joules, want.energy->dynamic_joules);
  EXPECT_EQ(got->energy->idle_joules, want.energy->idle_joules);
  EXPECT_EQ(got->energy->standing_joules, want.energy->standing_joules);
  EXPECT_TRUE(got->energy->idle_counted);
  EXPECT_TRUE(got->energy->partial);
  EXPECT_EQ(got->energy->time_factor, want.energy->time_factor);
  EXPECT_EQ(got->energy->left_out, want.energy->left_out);
  want.energy.reset();
  auto json = nlohmann::json::parse(SummaryToJson(want).value());
  EXPECT_TRUE(json["energy"].is_null());
  EXPECT_TRUE(json["nodes"][1]["dynamicJoules"].is_null());
  json.erase("energy");  // as older ones
  EXPECT_TRUE(SummaryFromJson(json.dump()));
  json["energy"] = 3;
  EXPECT_FALSE(SummaryFromJson(json.dump()));
}

TEST(SummaryJson, ReadsBackTheReduceCommandAndTakesSummariesWithout) {
  auto want = FullSummary();
  const auto got = SummaryFromJson(SummaryToJson(want).value());
  ASSERT_TRUE(got && got->reduce);
  EXPECT_EQ(got->reduce->attempts, 2);
  EXPECT_EQ(got->reduce->failure, "exit code 3: no");
  EXPECT_EQ(got->reduce->exit_code, 3);
  EXPECT_EQ(got->reduce->seconds, 0.25);
  EXPECT_EQ(got->reduce->output, "out");
  EXPECT_EQ(got->reduce->error, "err\n");
  EXPECT_TRUE(got->reduce->output_cut);
  EXPECT_FALSE(got->reduce->error_cut);
  want.reduce.reset();
  EXPECT_FALSE(SummaryFromJson(SummaryToJson(want).value())->reduce);
}

TEST(SummaryJson, ReadsBackWhatIsKnownOfTheTasks) {
  auto want = FullSummary();
  const auto plain = nlohmann::json::parse(SummaryToJson(want).value());
  for (const char* name : {"taskNotes", "costs", "failedAttempts", "alone"}) {
    EXPECT_FALSE(plain.contains(name)) << name;
  }
  for (const char* name : {"threads", "slots", "ranges"}) {
    EXPECT_FALSE(plain["nodes"][0].contains(name)) << name;
  }
  want.description = {{{"costs", "listed"}, {"needs of each", "cpu 2"}}, "1 MB", 1e6};
  want.costs = {model::CostUse::kNoise, 0.25, 0.125, 0.5};
  want.failed_attempts = {9, 4, "task 3 on pi4: OutOfMemory: ended"};
  want.alone = {1, 2};
  want.nodes[0].threads = 3;
  want.nodes[0].slots = {3, "memory"};
  want.nodes[0].ranges = {0.5, 0.0625, 7, 6, 5};
  want.nodes[1].slots.emplace();
  const auto got = SummaryFromJson(SummaryToJson(want).value());
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->description.notes, want.description.notes);
  EXPECT_EQ(got->description.cost_unit, "1 MB");
  EXPECT_EQ(got->description.cost_unit_size, 1e6);
  ASSERT_TRUE(got->costs);
  EXPECT_EQ(got->costs->use, model::CostUse::kNoise);
  EXPECT_EQ(got->costs->slope, 0.25);
  EXPECT_EQ(got->costs->slope_sigma, 0.125);
  EXPECT_EQ(got->costs->time_sigma, 0.5);
  EXPECT_EQ(got->failed_attempts.total, 9);
  EXPECT_EQ(got->failed_attempts.out_of_memory, 4);
  EXPECT_EQ(got->failed_attempts.latest, want.failed_attempts.latest);
  EXPECT_EQ(got->alone.running, 1);
  EXPECT_EQ(got->alone.waiting, 2);
  EXPECT_EQ(got->nodes[0].threads, 3U);
  ASSERT_TRUE(got->nodes[0].slots && got->nodes[1].slots && got->nodes[0].ranges);
  EXPECT_EQ(got->nodes[0].slots->count, 3U);
  EXPECT_EQ(got->nodes[0].slots->limited_by, "memory");
  EXPECT_EQ(got->nodes[1].slots->count, 0U);
  EXPECT_EQ(got->nodes[0].ranges->startup_seconds, 0.5);
  EXPECT_EQ(got->nodes[0].ranges->per_task_seconds, 0.0625);
  EXPECT_EQ(got->nodes[0].ranges->cut, 5);
  EXPECT_EQ(got->nodes[0].ranges->running, 0) << "of a summary, nothing runs";
  EXPECT_FALSE(got->nodes[1].ranges);
}

TEST(SummaryJson, ReadsBackWhatWasWritten) {
  const model::RunSummary want = FullSummary();
  const auto got = SummaryFromJson(SummaryToJson(want).value());
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->job, want.job);
  EXPECT_EQ(got->workload, want.workload);
  EXPECT_EQ(got->state, want.state);
  EXPECT_EQ(got->reason, want.reason);
  EXPECT_EQ(got->strategy, want.strategy);
  EXPECT_EQ(got->tasks_total, want.tasks_total);
  EXPECT_EQ(got->tasks_completed, want.tasks_completed);
  EXPECT_EQ(got->tasks_failed, want.tasks_failed);
  EXPECT_EQ(got->failed_indexes, want.failed_indexes);
  EXPECT_EQ(got->makespan_seconds, want.makespan_seconds);
  EXPECT_EQ(got->startup_seconds, want.startup_seconds);
  EXPECT_EQ(got->lower_bound_seconds, want.lower_bound_seconds);
  EXPECT_EQ(got->rate_source, want.rate_source);
  EXPECT_EQ(got->efficiency, want.efficiency);
  EXPECT_EQ(got->load_imbalance_percent, want.load_imbalance_percent);
  EXPECT_EQ(got->wasted_seconds, want.wasted_seconds);
  EXPECT_EQ(got->messages, want.messages);
  EXPECT_EQ(got->moves.reserved, want.moves.reserved);
  EXPECT_EQ(got->moves.leased, want.moves.leased);
  EXPECT_EQ(got->moves.copies, want.moves.copies);
  EXPECT_EQ(got->bytes_sent, want.bytes_sent);
  EXPECT_EQ(got->bytes_received, want.bytes_received);
  EXPECT_EQ(got->lease_seconds, want.lease_seconds);
  EXPECT_EQ(got->speed_control, want.speed_control);
  EXPECT_EQ(got->seed, want.seed);
  EXPECT_EQ(got->epoch, want.epoch);
  EXPECT_EQ(got->result_json, want.result_json);
  ASSERT_EQ(got->nodes.size(), 2u);
  ExpectEqual(got->nodes[0], want.nodes[0]);
  ExpectEqual(got->nodes[1], want.nodes[1]);
}

TEST(SummaryJson, HasTheFieldsUsersRelyOn) {
  const auto json = nlohmann::json::parse(SummaryToJson(FullSummary()).value());
  std::set<std::string> top;
  for (const auto& [name, value] : json.items()) top.insert(name);
  for (const char* name :
       {"job", "state", "strategy", "tasks", "makespanSeconds", "startupSeconds",
        "lowerBoundSeconds", "rateSource", "efficiency", "loadImbalancePercent", "wastedSeconds",
        "messages", "moves", "bytesSent", "bytesReceived", "nodes", "result"}) {
    EXPECT_TRUE(top.contains(name)) << name;
  }
  EXPECT_EQ(json["state"], "Failed");
  EXPECT_EQ(json["tasks"], (nlohmann::json{{"total", 11}, {"completed", 12}, {"failed", 13}}));
  EXPECT_EQ(json["moves"], (nlohmann::json{{"reserved", 15}, {"leased", 16}, {"copies", 17}}));
  EXPECT_EQ(json["result"]["count"], 25997);
  for (const char* name :
       {"name", "ratio", "share", "completed", "stolenIn", "stolenOut", "busySeconds", "rate"}) {
    EXPECT_TRUE(json["nodes"][0].contains(name)) << name;
  }
  EXPECT_EQ(json["nodes"][0]["weight"], 5);
  EXPECT_FALSE(json["nodes"][1].contains("declaredSpeed"));
}

TEST(SummaryJson, NamesEveryState) {
  for (const auto state : {model::JobState::kComplete, model::JobState::kFailed,
                           model::JobState::kInterrupted, model::JobState::kRunning}) {
    model::RunSummary summary;
    summary.state = state;
    EXPECT_EQ(SummaryFromJson(SummaryToJson(summary).value())->state, state);
  }
}

TEST(SummaryJson, CarriesUnknownNumbersAndForeignBytes) {
  model::RunSummary summary;
  summary.lower_bound_seconds = std::numeric_limits<double>::infinity();
  summary.reason = "\xff\xfe";
  const auto got = SummaryFromJson(SummaryToJson(summary).value());
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_TRUE(std::isnan(got->lower_bound_seconds));
}

TEST(SummaryJson, RefusesAResultThatIsNoObject) {
  model::RunSummary summary;
  for (const char* result : {"", "[1]", "{\"count\":"}) {
    summary.result_json = result;
    EXPECT_FALSE(SummaryToJson(summary)) << result;
  }
}

struct BadSummary {
  const char* pointer;  ///< the part that is replaced, or removed if `value` is empty
  const char* value;
  const char* want;
};

TEST(SummaryJson, RefusesDeepNesting) {
  const std::string text =
      R"({"result":{"a":)" + std::string(200'000, '[') + std::string(200'000, ']') + "}}";
  const auto summary = SummaryFromJson(text);  // would overflow the stack
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().message, "must have at most 200 arrays and objects inside each other");
}

TEST(SummaryJson, NamesTheFieldThatIsWrong) {
  const BadSummary cases[] = {
      {"/job", "", "job: missing"},
      {"/job", "7", "job: text expected"},
      {"/state", "\"Done\"", "state: one of Complete, Failed, Interrupted, Running expected"},
      {"/makespanSeconds", "\"1\"", "makespanSeconds: number expected"},
      {"/messages", "1.5", "messages: whole number expected"},
      {"/messages", "9223372036854775808", "messages: whole number expected"},
      {"/seed", "-1", "seed: whole number from 0 on expected"},
      {"/tasks", "[]", "tasks: object expected"},
      {"/tasks/total", "", "tasks.total: missing"},
      {"/nodes", "{}", "nodes: list expected"},
      {"/nodes/1", "3", "nodes[1]: object expected"},
      {"/nodes/1/ratio", "", "nodes[1].ratio: missing"},
      {"/result", "[]", "result: object expected"},
      {"/taskNotes", "[3]", "taskNotes[0]: object expected"},
      {"/taskNotes", "[{\"name\":\"a\"}]", "taskNotes[0].text: missing"},
      {"/costs", "{\"use\":\"Maybe\"}",
       "costs.use: one of Unknown, Used, Noise, IndexIsBetter expected"},
      {"/failedAttempts", "{}", "failedAttempts.total: missing"},
      {"/nodes/1/slots", "-1", "nodes[1].slots: whole number from 0 on expected"},
      {"/nodes/1/ranges", "[]", "nodes[1].ranges: object expected"},
  };
  for (const BadSummary& bad : cases) {
    auto json = nlohmann::json::parse(SummaryToJson(FullSummary()).value());
    const nlohmann::json::json_pointer pointer(bad.pointer);
    if (*bad.value == '\0') {
      json[pointer.parent_pointer()].erase(pointer.back());
    } else {
      json[pointer] = nlohmann::json::parse(bad.value);
    }
    const auto got = SummaryFromJson(json.dump());
    ASSERT_FALSE(got) << bad.want;
    EXPECT_EQ(got.error().message, bad.want);
    EXPECT_EQ(got.error().code, ErrorCode::kInvalidInput);
  }
}

TEST(SummaryJson, FilesAppearWholeAndBadOnesAreNamed) {
  const TemporaryFolder folder;
  const auto path = folder.Path() / "summary.json";
  EXPECT_EQ(ReadSummary(path).error().message, path.string() + ": there is no such file");

  ASSERT_TRUE(WriteSummary(path, FullSummary()));
  EXPECT_EQ(ReadSummary(path)->seed, FullSummary().seed);
  EXPECT_FALSE(std::filesystem::exists(folder.Path() / ".summary.json.partial"));

  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_EQ(ReadSummary(path).error().message, path.string() + ": is not JSON, or was cut off");
  EXPECT_FALSE(WriteSummary(folder.Path() / "missing" / "summary.json", FullSummary()));
}

TEST(SummaryJson, ASummaryThatCannotBeWrittenLeavesTheOldOne) {
  const TemporaryFolder folder;
  const auto path = folder.Path() / "summary.json";
  ASSERT_TRUE(WriteSummary(path, FullSummary()));
  model::RunSummary bad;
  bad.result_json = "nonsense";
  EXPECT_FALSE(WriteSummary(path, bad));
  EXPECT_EQ(ReadSummary(path)->job, "primes");
}

}  // namespace
}  // namespace evenkeel::report
