#include "cli/kubectl/output_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/unit/report/temporary_folder.h"

namespace evenkeel::cli {
namespace {

class OutputFolderTest : public testing::Test {
 protected:
  OutputFolderTest() {
    std::filesystem::create_directory(Outside());
    std::ofstream(Outside() / "a") << "outside";
  }
  [[nodiscard]] std::filesystem::path Root() const { return folder_.Path() / "results" / "out"; }
  [[nodiscard]] std::filesystem::path Outside() const { return folder_.Path() / "outside"; }
  OutputFolder Make() {
    auto made = OutputFolder::Make(Root());
    EXPECT_TRUE(made) << made.error().message;
    return *std::move(made);
  }
  static Result<void> Put(const OutputFolder& folder, const std::string& path) {
    std::ofstream(folder.Path() / folder.ArrivalName()) << path;
    return folder.Place(path);
  }
  static std::string ContentOf(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  report::TemporaryFolder folder_;
};

TEST_F(OutputFolderTest, FilesGetTheirFolders) {
  const OutputFolder folder = Make();
  for (const std::string& path :
       {std::string("3/a"), std::string("3/sub/deep/b"), std::string("4/") + std::string(255, 'x'),
        std::string("4/\xff\x01 %")}) {
    const auto put = Put(folder, path);
    ASSERT_TRUE(put) << put.error().message;
    EXPECT_EQ(ContentOf(Root() / path), path);
  }
  EXPECT_FALSE(std::filesystem::exists(Root() / folder.ArrivalName()));
}

TEST_F(OutputFolderTest, FilesAndLinksAreReplaced) {
  std::filesystem::create_directories(Root() / "3");
  std::ofstream(Root() / "3" / "a") << "old";
  std::filesystem::create_symlink(Outside() / "a", Root() / "3" / "b");
  const OutputFolder folder = Make();
  ASSERT_TRUE(Put(folder, "3/a"));
  ASSERT_TRUE(Put(folder, "3/b"));
  EXPECT_EQ(ContentOf(Root() / "3" / "a"), "3/a");
  EXPECT_EQ(ContentOf(Root() / "3" / "b"), "3/b");
  EXPECT_EQ(ContentOf(Outside() / "a"), "outside");
}

TEST_F(OutputFolderTest, NothingIsWrittenThroughLinks) {
  std::filesystem::create_directories(Root() / "3");
  std::filesystem::create_directory_symlink(Outside(), Root() / "3" / "sub");
  std::filesystem::create_directory_symlink("../../outside", Root() / "4");
  const OutputFolder folder = Make();
  for (const char* path : {"3/sub/a", "3/sub/new/b", "4/a"}) {
    const auto put = Put(folder, path);
    ASSERT_FALSE(put) << path;
    EXPECT_EQ(put.error().code, ErrorCode::kInvalidInput);
    EXPECT_NE(put.error().message.find(": is a link or a file, must be a folder"),
              std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(Root() / folder.ArrivalName()));
  }
  EXPECT_EQ(ContentOf(Outside() / "a"), "outside");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(Outside()), {}), 1);
}

TEST_F(OutputFolderTest, AFolderInThePlaceOfAFileStays) {
  const OutputFolder folder = Make();
  ASSERT_TRUE(Put(folder, "3/a/b"));
  const auto put = Put(folder, "3/a");
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(ContentOf(Root() / "3" / "a" / "b"), "3/a/b");
  EXPECT_FALSE(Put(folder, "3/a/b/c")) << "b is a file";
}

TEST_F(OutputFolderTest, AFileIsNoFolder) {
  const auto made = OutputFolder::Make(Outside() / "a");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace evenkeel::cli
