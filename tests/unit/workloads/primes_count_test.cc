#include <gtest/gtest.h>

#include <primesieve.hpp>

#include "tests/unit/workloads/job_run.h"
#include "workloads/primes/primes.h"

namespace evenkeel::workloads {
namespace {

std::string Parameters(std::int64_t end, const std::string& method,
                       std::int64_t candidates_per_task = 0) {
  std::string json = "{\"end\":" + std::to_string(end) + ",\"method\":\"" + method + "\"";
  if (candidates_per_task > 0) {
    json += ",\"candidatesPerTask\":" + std::to_string(candidates_per_task);
  }
  return json + "}";
}

std::string Counted(std::int64_t count, std::int64_t largest) {
  return "{\"count\":" + std::to_string(count) + ",\"largest\":" + std::to_string(largest) + "}";
}

bool IsPrimeByDefinition(std::int64_t number) {
  for (std::int64_t divisor = 2; divisor < number; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return number >= 2;
}

TEST(PrimesCount, EverySmallEndAgreesWithTheDefinition) {
  std::int64_t count = 0;
  std::int64_t largest = 0;
  for (std::int64_t end = 1; end <= 300; ++end) {
    if (IsPrimeByDefinition(end)) {
      ++count;
      largest = end;
    }
    for (const char* method : {"TrialDivision", "Sieve"}) {
      EXPECT_EQ(RunJob(*MakeOrFail("primes", Parameters(end, method))), Counted(count, largest))
          << method << " to " << end;
    }
  }
}

struct Known {
  std::int64_t end;
  std::int64_t count;
  std::int64_t largest;
};

/// pi(10^n) is sequence A006880 of the On-Line Encyclopedia of Integer Sequences.
TEST(PrimesCount, AgreesWithThePrimeCountingFunction) {
  for (const Known& known : {Known{100, 25, 97}, Known{1'000, 168, 997},
                             Known{10'000, 1'229, 9'973}, Known{30'000, 3'245, 29'989}}) {
    EXPECT_EQ(RunJob(*MakeOrFail("primes", Parameters(known.end, "TrialDivision"))),
              Counted(known.count, known.largest));
  }
  for (const Known& known :
       {Known{300'000, 25'997, 299'993}, Known{1'000'000, 78'498, 999'983},
        Known{10'000'000, 664'579, 9'999'991}, Known{100'000'000, 5'761'455, 99'999'989}}) {
    EXPECT_EQ(RunJob(*MakeOrFail("primes", Parameters(known.end, "Sieve"))),
              Counted(known.count, known.largest));
  }
}

TEST(PrimesCount, AgreesWithTheLibraryAtEndsOfAllKinds) {
  for (const std::int64_t end : {2'047, 2'048, 2'049, 2'050, 7'919, 7'920, 65'537, 131'072}) {
    const auto count =
        static_cast<std::int64_t>(primesieve::count_primes(0, static_cast<std::uint64_t>(end)));
    primesieve::iterator below(static_cast<std::uint64_t>(end));
    const auto largest = static_cast<std::int64_t>(below.prev_prime());
    EXPECT_EQ(RunJob(*MakeOrFail("primes", Parameters(end, "Sieve"))), Counted(count, largest));
    if (end < 10'000) {
      EXPECT_EQ(RunJob(*MakeOrFail("primes", Parameters(end, "TrialDivision"))),
                Counted(count, largest));
    }
  }
}

TEST(PrimesCount, EveryCutIntoTasksAndEveryOrderGivesTheSame) {
  const TempFolder folder;
  for (const char* method : {"TrialDivision", "Sieve"}) {
    for (const std::int64_t per_task : {1, 2, 7, 8, 9, 64, 1'000, 2'499, 2'500, 2'501, 100'000}) {
      const auto primes = MakeOrFail("primes", Parameters(5'000, method, per_task));
      EXPECT_EQ(primes->TaskCount(), (2'500 + per_task - 1) / per_task);
      for (const std::uint64_t seed : {1u, 2u}) {
        EXPECT_EQ(RunJob(*primes, ShuffledRanges(primes->TaskCount(), 50, seed), folder.Path()),
                  Counted(669, 4'999))
            << method << ", " << per_task << " candidates a task, seed " << seed;
      }
    }
  }
}

TEST(PrimesCount, TheLastTaskNearTheLargestEndOfSieveIsRight) {
  const auto primes = MakeOrFail("primes", Parameters(10'000'000'000'000, "Sieve"));
  EXPECT_LE(primes->TaskCount(), primes::kMaxTasks);
  const auto task = primes->TaskCount() - 1;
  const std::string result = ResultOf(*primes, task);
  const auto reducer = primes->MakeReducer();
  model::PackedResults results;
  results.Append(result);
  ASSERT_TRUE(reducer->Add({task, task + 1}, results).has_value());
  const auto text = reducer->Finish("/nowhere: nothing is listed");
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("\"largest\":9999999999971}"), std::string::npos) << *text;
}

TEST(PrimesCount, ResultsAreAsShortAsPromised) {
  const auto single = MakeOrFail("primes", Parameters(1'000, "TrialDivision"));
  EXPECT_EQ(single->TaskCount(), 500);
  EXPECT_EQ(ResultOf(*single, 0), std::string(1, '\0')) << "1 is not a prime";
  EXPECT_EQ(ResultOf(*single, 1), "\x01");
  const auto nine = MakeOrFail("primes", Parameters(1'000, "TrialDivision", 9));
  EXPECT_EQ(ResultOf(*nine, 0), "\x6e\x01") << "3 5 7 11 13, and 17 as the ninth";
  const auto sieve = MakeOrFail("primes", Parameters(1'000, "Sieve", 9));
  EXPECT_EQ(ResultOf(*sieve, 0), std::string("\x06\0\0\0\0\0\0\0\x11\0\0\0\0\0\0\0", 16));
}

TEST(PrimesCount, ATaskLooksAtTheStopTokenWithinItself) {
  // Either takes a good part of a minute unless it is stopped.
  const auto divided = MakeOrFail("primes", Parameters(1'000'000'000, "TrialDivision"));
  EXPECT_EQ(StopMidRun(*divided, divided->TaskCount() - 2), TaskOutcome::kStopped);
  const auto sieved = MakeOrFail("primes", Parameters(100'000'000'000, "Sieve", 50'000'000'000));
  EXPECT_EQ(StopMidRun(*sieved, 0), TaskOutcome::kStopped);
}

}  // namespace
}  // namespace evenkeel::workloads
