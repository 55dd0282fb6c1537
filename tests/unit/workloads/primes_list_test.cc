#include <gtest/gtest.h>

#include <primesieve.hpp>

#include "tests/unit/workloads/job_run.h"

namespace evenkeel::workloads {
namespace {

std::vector<std::uint64_t> PrimesUpTo(std::uint64_t end) {
  std::vector<std::uint64_t> primes;
  primesieve::generate_primes(end, &primes);
  return primes;
}

std::string ListParameters(std::int64_t end, const std::string& method,
                           std::int64_t candidates_per_task) {
  return "{\"list\":true,\"end\":" + std::to_string(end) + ",\"method\":\"" + method +
         "\",\"candidatesPerTask\":" + std::to_string(candidates_per_task) + "}";
}

TEST(PrimesList, HoldsAllPrimesInOrderWhateverTheOrderOfTheTasks) {
  constexpr std::int64_t kEnd = 20'000;
  const auto want = PrimesUpTo(kEnd);
  for (const char* method : {"TrialDivision", "Sieve"}) {
    for (const std::int64_t per_task : {1, 13, 1'000, 20'000}) {
      const TempFolder folder;
      const auto primes = MakeOrFail("primes", ListParameters(kEnd, method, per_task));
      EXPECT_EQ(RunJob(*primes, ShuffledRanges(primes->TaskCount(), 30, 3), folder.Path()),
                "{\"count\":2262,\"largest\":19997}");
      const NpyFile npy = ReadNpy(folder.Path() / "primes.npy");
      EXPECT_EQ(npy.dictionary, "{'descr': '<i8', 'fortran_order': False, 'shape': (2262, ), }");
      EXPECT_EQ(npy.elements, want) << method << ", " << per_task << " candidates a task";
    }
  }
}

TEST(PrimesList, IsRightAtTheSmallestEnds) {
  for (const char* method : {"TrialDivision", "Sieve"}) {
    for (std::int64_t end = 1; end <= 12; ++end) {
      const TempFolder folder;
      const auto primes = MakeOrFail("primes", ListParameters(end, method, 2));
      static_cast<void>(RunJob(*primes, {{0, primes->TaskCount()}}, folder.Path()));
      EXPECT_EQ(ReadNpy(folder.Path() / "primes.npy").elements,
                PrimesUpTo(static_cast<std::uint64_t>(end)))
          << method << " to " << end;
    }
  }
}

TEST(PrimesList, IsNotWrittenUnlessAskedFor) {
  const TempFolder folder;
  const auto primes = MakeOrFail("primes", R"({"end": 100})");
  static_cast<void>(RunJob(*primes, {{0, primes->TaskCount()}}, folder.Path()));
  EXPECT_TRUE(std::filesystem::is_empty(folder.Path()));
}

TEST(PrimesList, TakesAboutOneByteAPrime) {
  const auto primes = MakeOrFail("primes", ListParameters(2'000'000, "Sieve", 1'000'000));
  EXPECT_EQ(ResultOf(*primes, 0).size(), 16u + 148'933u - 1u) << "no gap below 2e6 needs two bytes";
}

}  // namespace
}  // namespace evenkeel::workloads
