#include "core/base/large_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace evenkeel {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

std::size_t AddressModulo(const char* memory, std::size_t divisor) {
  return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(memory) % divisor);
}

TEST(LargePages, AreTakenWhereLittleIsWasted) {
  EXPECT_EQ(MemoryTakenFor(0), 0U);
  EXPECT_EQ(MemoryTakenFor(1), 1U);
  EXPECT_EQ(MemoryTakenFor(kMebibyte), kMebibyte);
  EXPECT_EQ(MemoryTakenFor(2 * kMebibyte), 2 * kMebibyte);
  EXPECT_EQ(MemoryTakenFor(2 * kMebibyte - 4096), 2 * kMebibyte);
  EXPECT_EQ(MemoryTakenFor(2 * kMebibyte + 1), 2 * kMebibyte + 1);
  EXPECT_EQ(MemoryTakenFor(7 * kMebibyte), 7 * kMebibyte);
  EXPECT_EQ(MemoryTakenFor(31 * kMebibyte), 32 * kMebibyte);
}

TEST(LargePages, AllOfItCanBeUsed) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, kMebibyte, 2 * kMebibyte - 64,
                                  2 * kMebibyte, 31 * kMebibyte}) {
    char* const memory = TakeMemory(bytes);
    EXPECT_EQ(AddressModulo(memory, 64), 0U) << bytes;
    std::memset(memory, 1, bytes);
    GiveMemory(memory, bytes);
  }
}

TEST(LargePages, BeginWhereAPageDoes) {
  std::vector<char*> taken;
  for (int n = 0; n < 20; ++n) taken.push_back(TakeMemory(2 * kMebibyte));
  for (char* const memory : taken) {
    EXPECT_EQ(AddressModulo(memory, kLargePageBytes), 0U);
    std::memset(memory, 1, 2 * kMebibyte);
  }
  for (char* const memory : taken) GiveMemory(memory, 2 * kMebibyte);
}

TEST(LargePages, WhatIsGivenBackIsTakenAgain) {
  char* const first = TakeMemory(2 * kMebibyte);
  GiveMemory(first, 2 * kMebibyte);
  std::vector<char*> taken;
  for (int n = 0; n < 9; ++n) taken.push_back(TakeMemory(2 * kMebibyte - 64));
  EXPECT_NE(std::find(taken.begin(), taken.end(), first), taken.end());
  for (char* const memory : taken) GiveMemory(memory, 2 * kMebibyte - 64);
}

}  // namespace
}  // namespace evenkeel
