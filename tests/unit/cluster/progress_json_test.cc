#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cluster/job_status_json.h"

namespace evenkeel::cluster {
namespace {

TEST(ReadProgress, ReadsWhatACoordinatorAnswers) {
  const auto progress = ReadProgress(R"({"epoch":3,"state":"Running","reason":"",
    "tasks":{"total":768,"completed":10,"failed":1},"progress":0.013,"etaSeconds":42.5,
    "etaSigmaSeconds":1.5,"activeSeconds":12.3,"failedIndexes":"3,7-9","workers":[
    {"node":"pi4a","ratio":4.2,"connected":true,"share":384,"completed":4,"stolen":1,
     "rate":1234.5,"state":"Running"}],"work":[{"node":"pi4a","units":400,
     "busySeconds":2.5,"threads":4}],"result":{"count":5},"resultFiles":["primes.npy"],
    "resumedTasks":7,"workloadDigest":"fnv1a:0123456789abcdef",
    "containerEndsDigest":"","verification":{"confirmed":3,
    "open":1,"excludedNodes":[{"node":"pi3","task":5,"reason":"wrong\n","revoked":40}]}})");
  ASSERT_TRUE(progress.has_value()) << progress.error().message;
  EXPECT_EQ(progress->epoch, 3);
  EXPECT_EQ(progress->state, CoordinatorState::kRunning);
  EXPECT_EQ(progress->tasks, (TaskCounts{768, 10, 1}));
  EXPECT_EQ(progress->fraction, 0.013);
  EXPECT_EQ(progress->eta, std::chrono::milliseconds(42500));
  EXPECT_EQ(progress->failed_indexes, "3,7-9");
  ASSERT_EQ(progress->workers.size(), 1U);
  EXPECT_EQ(progress->workers[0].node, "pi4a");
  EXPECT_EQ(progress->workers[0].share, 384);
  EXPECT_TRUE(progress->workers[0].connected);
  ASSERT_EQ(progress->work.size(), 1U);
  EXPECT_EQ(progress->work[0].node, "pi4a");
  EXPECT_EQ(progress->work[0].units, 400);
  EXPECT_EQ(progress->work[0].busy_seconds, 2.5);
  EXPECT_EQ(progress->work[0].threads, 4);
  EXPECT_EQ(progress->result, R"({"count":5})");
  ASSERT_EQ(progress->excluded.size(), 1U);
  EXPECT_EQ(progress->excluded[0].node, "pi3");
  EXPECT_EQ(progress->excluded[0].reason, "wrong ");
  EXPECT_EQ(progress->excluded[0].revoked, 40);
  EXPECT_EQ(progress->workload_digest, "fnv1a:0123456789abcdef");
  EXPECT_EQ(progress->container_ends_digest, "") << "it takes reports of kills, and had none yet";
  EXPECT_EQ(ReadProgress(R"({"state":"Running"})")->container_ends_digest, std::nullopt);
  EXPECT_EQ(ReadProgress(R"({"state":"Running","containerEndsDigest":7})")->container_ends_digest,
            std::nullopt);
}

TEST(ReadProgress, FieldsMayBeAbsentOrNull) {
  const auto progress = ReadProgress(R"({"state":"Blocked","reason":"full","etaSeconds":null})");
  ASSERT_TRUE(progress.has_value());
  EXPECT_EQ(progress->state, CoordinatorState::kBlocked);
  EXPECT_EQ(progress->reason, "full");
  EXPECT_EQ(progress->cause, model::EndCause::kOther);
  EXPECT_FALSE(progress->eta.has_value());
  EXPECT_TRUE(progress->workers.empty());
  EXPECT_EQ(progress->reduce_attempt, 0);
  EXPECT_EQ(ReadProgress(R"({"state":"Running","reduceAttempt":2})")->reduce_attempt, 2);
}

TEST(ReadProgress, KnowsTheCausesThatACoordinatorWrites) {
  for (const auto cause : {model::EndCause::kSuccessRuleMet, model::EndCause::kTasksFailed,
                           model::EndCause::kDeadlineExceeded, model::EndCause::kResultsDiffer,
                           model::EndCause::kReduceFailed, model::EndCause::kOther}) {
    const auto progress = ReadProgress(R"({"state":"Failed","cause":")" +
                                       std::string(model::ToString(cause)) + "\"}");
    ASSERT_TRUE(progress.has_value());
    EXPECT_EQ(progress->cause, cause);
  }
  EXPECT_EQ(ReadProgress(R"({"state":"Failed","cause":"Later"})")->cause, model::EndCause::kOther);
}

TEST(ReadProgress, ADeeplyNestedResultIsRefused) {
  const auto with_result = [](std::size_t arrays) {
    return R"({"state":"Complete","result":{"a":)" + std::string(arrays, '[') +
           std::string(arrays, ']') + "}}";
  };
  EXPECT_TRUE(ReadProgress(with_result(198)).has_value());
  const auto progress = ReadProgress(with_result(200'000));  // would overflow the stack
  ASSERT_FALSE(progress.has_value());
  EXPECT_EQ(progress.error().message,
            "progress: must have at most 200 arrays and objects inside each other");
}

TEST(ReadProgress, RejectsOtherDocuments) {
  for (const char* text : {"", "{", "[]", "{}", R"({"state":"Fine"})", R"({"state":3})", "\xff"}) {
    const auto progress = ReadProgress(text);
    ASSERT_FALSE(progress.has_value()) << text;
    EXPECT_EQ(progress.error().message.find('\n'), std::string::npos);
  }
}

TEST(ReadProgress, RejectsHostileValues) {
  nlohmann::json object{{"state", "Running"},
                        {"reason", std::string(100'000, 'x') + "\n"},
                        {"progress", 1e300},
                        {"etaSeconds", -5},
                        {"activeSeconds", 1e300},
                        {"epoch", -1},
                        {"tasks", {{"total", -7}, {"completed", "many"}}},
                        {"failedIndexes", "1,2; rm"},
                        {"result", {{"x", std::string(100'000, 'x')}}}};
  for (int i = 0; i < 5000; ++i) {
    object["workers"].push_back({{"node", std::string(1000, 'n') + std::to_string(i)},
                                 {"ratio", 1e300},
                                 {"share", -5},
                                 {"state", "a\nb"}});
    object["work"].push_back({{"node", "n\n"}, {"units", -1}, {"busySeconds", 1e300}});
  }
  const auto progress = ReadProgress(object.dump());
  ASSERT_TRUE(progress.has_value());
  EXPECT_EQ(progress->reason.size(), 1024U);
  EXPECT_EQ(progress->fraction, 1.0);
  EXPECT_EQ(progress->eta, Duration{0});
  EXPECT_LE(ToSeconds(progress->active), 315'360'000.0);
  EXPECT_EQ(progress->epoch, 0);
  EXPECT_EQ(progress->tasks, TaskCounts{});
  EXPECT_EQ(progress->failed_indexes, "");
  EXPECT_EQ(progress->result, "");
  ASSERT_EQ(progress->workers.size(), kMaxWorkerRows);
  EXPECT_EQ(progress->workers[0].node.size(), 253U);
  EXPECT_EQ(progress->workers[0].share, 0);
  EXPECT_EQ(progress->workers[0].state, "a b");
  ASSERT_EQ(progress->work.size(), kMaxWorkRows);
  EXPECT_EQ(progress->work[0].node, "n ");
  EXPECT_EQ(progress->work[0].units, 0);
  EXPECT_LT(progress->work[0].busy_seconds, 1e15);
}

TEST(ReadProgress, TextsAreNotCutWithinACharacter) {
  std::string reason(1023, 'x');
  reason += "\xc3\xa9";  // one character of two bytes
  const auto progress =
      ReadProgress(nlohmann::json{{"state", "Failed"}, {"reason", reason}}.dump());
  ASSERT_TRUE(progress.has_value());
  EXPECT_EQ(progress->reason, std::string(1023, 'x'));
}

}  // namespace
}  // namespace evenkeel::cluster
