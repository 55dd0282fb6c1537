#include "launcher/item_lines.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace evenkeel::launcher {
namespace {

using Items = std::vector<std::int64_t>;

/// The items of all lines `done K` in `bytes`, given to one reader in pieces of `size` bytes.
Items ItemsIn(const std::string& bytes, std::size_t size = std::string::npos) {
  ItemLineReader lines(kDone);
  Items items;
  for (std::size_t at = 0; at < bytes.size(); at += std::min(size, bytes.size() - at)) {
    std::string_view piece = std::string_view(bytes).substr(at, size);
    while (const auto item = lines.Next(piece)) items.push_back(*item);
    EXPECT_TRUE(piece.empty());
  }
  return items;
}

TEST(ItemLines, AreFound) {
  EXPECT_EQ(ItemsIn("done 0\ndone 7\ndone 1000000000000\n"), (Items{0, 7, kMaxItem}));
  EXPECT_EQ(ItemsIn("done 007\n"), Items{7});
  EXPECT_EQ(ItemLine(kLast, 12), "last 12\n");
  EXPECT_EQ(ItemsIn(ItemLine(kDone, kMaxItem)), Items{kMaxItem});
}

TEST(ItemLines, MalformedOnesAreIgnored) {
  for (const std::string wrong : {"",
                                  "done",
                                  "done ",
                                  "done x",
                                  "done 1x",
                                  "done 1 ",
                                  " done 1",
                                  "done  1",
                                  "done -1",
                                  "done +1",
                                  "done -0",
                                  "done 1.5",
                                  "done 0x1",
                                  "Done 1",
                                  "done\t1",
                                  "done 1\r",
                                  "last 1",
                                  "1",
                                  "done 1000000000001",
                                  "done 99999999999999999999",
                                  "donedone 1",
                                  "\xff\xfe"}) {
    EXPECT_EQ(ItemsIn("done 1\n" + wrong + "\ndone 2\n"), (Items{1, 2})) << wrong;
  }
  EXPECT_EQ(ItemsIn(std::string("done 1\0\ndone 2\n", 15)), Items{2});
}

TEST(ItemLines, NeedTheirEnd) { EXPECT_EQ(ItemsIn("done 1\ndone 2"), Items{1}); }

TEST(ItemLines, LongOnesAreIgnored) {
  const std::string longest = "done " + std::string(kMaxItemLineBytes - 6, '0') + '7';
  ASSERT_EQ(longest.size(), kMaxItemLineBytes);
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::string::npos}) {
    EXPECT_EQ(ItemsIn(longest + "\ndone 8\n", size), (Items{7, 8})) << size;
    EXPECT_EQ(ItemsIn('0' + longest + "\ndone 8\n", size), Items{8}) << size;
    EXPECT_EQ(ItemsIn("done 0" + longest.substr(5) + "\ndone 8\n", size), Items{8}) << size;
    // The end of a long line is not a line of its own.
    EXPECT_EQ(ItemsIn(std::string(1'000, 'x') + "done 3\ndone 8\n", size), Items{8}) << size;
  }
}

TEST(ItemLines, MayComeInPieces) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const std::vector<std::string> parts{
      "done 1\n", "done 22", "\n", "x", "done ", "3\n", std::string(70, 'y'), "\n\n", "last 4\n"};
  for (int round = 0; round < 200; ++round) {
    std::string bytes;
    for (int n = 0; n < 30; ++n) bytes += parts[random() % parts.size()];
    const Items whole = ItemsIn(bytes);
    for (const std::size_t size : {1U, 2U, 7U, 64U, 65U}) EXPECT_EQ(ItemsIn(bytes, size), whole);
  }
}

}  // namespace
}  // namespace evenkeel::launcher
