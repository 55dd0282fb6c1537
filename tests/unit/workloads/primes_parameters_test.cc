#include <gtest/gtest.h>

#include "tests/unit/workloads/job_run.h"
#include "workloads/primes/primes.h"

namespace evenkeel::workloads {
namespace {

TEST(PrimesParameters, EachMistakeIsOneClearLine) {
  const std::vector<ErrorCase> cases{
      {R"({})", "end: is missing, must be a whole number from 1 to 1000000000"},
      {R"({"end": -5})", "end: must be a whole number from 1 to 1000000000, is -5"},
      {R"({"end": 0})", "end: must be a whole number from 1 to 1000000000, is 0"},
      {R"({"end": "many"})", "end: must be a whole number from 1 to 1000000000, is \"many\""},
      {R"({"end": 1e9})", "end: must be a whole number from 1 to 1000000000, is 1000000000.0"},
      {R"({"end": 1000000001})", "end: must be a whole number from 1 to 1000000000, is 1000000001"},
      {R"({"end": 10000000000001, "method": "Sieve"})",
       "end: must be a whole number from 1 to 10000000000000, is 10000000000001"},
      {R"({"end": 9, "method": "sieve"})",
       "method: must be one of TrialDivision, Sieve, is \"sieve\""},
      {R"({"end": 9, "list": 1})", "list: must be true or false, is 1"},
      {R"({"end": 1000000001, "method": "Sieve", "list": true})",
       "list: must be false when end is above 1000000000"},
      {R"({"end": 9, "candidatesPerTask": 0})",
       "candidatesPerTask: must be a whole number from 1 to 1048576, is 0"},
      {R"({"end": 1000000000, "candidatesPerTask": 476})",
       "candidatesPerTask: must be a whole number from 477 to 1048576, is 476"},
  };
  ExpectRefused("primes", cases);
}

TEST(PrimesParameters, AnUnknownFieldIsNamed) {
  const std::string error = ParameterError("primes", R"({"end": 9, "stop": 3})");
  EXPECT_NE(error.find("spec.workload.primes.stop: "), std::string::npos) << error;
}

TEST(PrimesParameters, TrialDivisionGetsOneCandidateATaskWhileThatIsNotTooMany) {
  const auto per_task = [](std::int64_t end) {
    return primes::DefaultCandidatesPerTask(primes::Method::kTrialDivision, end);
  };
  EXPECT_EQ(per_task(1), 1);
  EXPECT_EQ(per_task(1'000'000), 1);
  EXPECT_EQ(per_task(2 * primes::kMaxTasks), 1);
  EXPECT_EQ(per_task(2 * primes::kMaxTasks + 1), 2);
  EXPECT_EQ(per_task(1'000'000'000), 477);
}

TEST(PrimesParameters, SieveGetsTasksWorthTheirStartAndEnoughToShare) {
  for (const std::int64_t end :
       {1'000'000LL, 10'000'000LL, 5'000'000'000LL, 10'000'000'000'000LL}) {
    const std::int64_t per_task = primes::DefaultCandidatesPerTask(primes::Method::kSieve, end);
    const primes::CandidateTasks tasks(end, per_task);
    EXPECT_GE(tasks.TaskCount(), 256) << end;
    EXPECT_LE(tasks.TaskCount(), primes::kMaxTasks) << end;
    EXPECT_GE(per_task, 1'024) << end;
  }
  EXPECT_EQ(primes::DefaultCandidatesPerTask(primes::Method::kSieve, 100), 1'024);
}

}  // namespace
}  // namespace evenkeel::workloads
