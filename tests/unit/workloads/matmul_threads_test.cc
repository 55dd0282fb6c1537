#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "core/base/rng.h"
#include "workloads/matmul/gemm.h"

namespace evenkeel::workloads::matmul {
namespace {

std::vector<double> Drawn(std::size_t elements, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> numbers(elements);
  std::generate(numbers.begin(), numbers.end(), [&] { return rng.Uniform(-0.5, 0.5); });
  return numbers;
}

// Each product takes working memory from the library, and gives it back. Threads that get the same
// memory spoil each other's products.
TEST(MatmulThreads, ProductsOfSeveralThreadsAreThoseOfOne) {
  constexpr std::int64_t kSide = 112;
  constexpr int kThreads = 4;
  constexpr int kRounds = 3000;
  const auto size = static_cast<std::size_t>(kSide * kSide);
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&wrong, size, thread] {
      const auto a = Drawn(size, 2 * static_cast<std::uint64_t>(thread) + 1);
      const auto b = Drawn(size, 2 * static_cast<std::uint64_t>(thread) + 2);
      std::vector<double> first;
      for (int round = 0; round < kRounds; ++round) {
        std::vector<double> product(size);
        AddProduct(kSide, kSide, kSide, FactorRows<double>{a.data(), kSide},
                   FactorRows<double>{b.data(), kSide}, product.data());
        if (first.empty()) first = product;
        if (product != first) ++wrong;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0) << "of " << kThreads * kRounds;
}

}  // namespace
}  // namespace evenkeel::workloads::matmul
