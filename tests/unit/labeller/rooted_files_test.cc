#include "labeller/rooted_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/unit/labeller/boards.h"

namespace evenkeel::labeller {
namespace {

using Names = std::vector<std::string>;

TEST(RootedFiles, LinksStayBelowTheRoot) {
  Board board;
  board.Write("/etc/passwd", "ours").Write("/a/b/file", "text");
  board.Link("/absolute", "/etc/passwd").Link("/above", "../../../../etc/passwd");
  board.Link("/a/folder", "b").Link("/chain", "/a/folder/../folder");
  const RootedFiles files(board.Root());
  EXPECT_EQ(files.Read("/absolute"), "ours");
  EXPECT_EQ(files.Read("/above"), "ours");
  EXPECT_EQ(files.Read("/chain/file"), "text");
  EXPECT_EQ(files.Resolve("/chain/file"), "/a/b/file");
  EXPECT_EQ(files.Read("/../../etc/passwd"), "ours");
}

TEST(RootedFiles, CirclesLeadNowhere) {
  Board board;
  board.Link("/one", "two").Link("/two", "one");
  const RootedFiles files(board.Root());
  EXPECT_EQ(files.Resolve("/one"), std::nullopt);
  EXPECT_EQ(files.Read("/one"), std::nullopt);
}

TEST(RootedFiles, ReadsRegularFilesOnlyAndNotTooMuch) {
  Board board;
  board.Write("/long", std::string(10'000, 'x')).Write("/folder/file", "");
  ASSERT_EQ(mkfifo((board.Root() / "pipe").c_str(), 0600), 0);
  const RootedFiles files(board.Root());
  EXPECT_EQ(files.Read("/long", 5000)->size(), 5000u);
  EXPECT_EQ(files.Read("/long")->size(), 10'000u);
  EXPECT_EQ(files.Read("/folder/file"), "");
  EXPECT_EQ(files.Read("/folder"), std::nullopt);
  EXPECT_EQ(files.Read("/pipe"), std::nullopt);
  EXPECT_EQ(files.Read("/missing"), std::nullopt);
}

TEST(RootedFiles, ListsFolders) {
  Board board;
  board.Write("/folder/b", "").Write("/folder/a", "").Link("/link", "/folder");
  const RootedFiles files(board.Root());
  EXPECT_EQ(files.List("/link"), (Names{"a", "b"}));
  EXPECT_EQ(files.List("/missing"), Names{});
}

}  // namespace
}  // namespace evenkeel::labeller
