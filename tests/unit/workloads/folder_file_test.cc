#include "workloads/folder_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "tests/unit/workloads/job_run.h"
#include "workloads/built_in.h"

namespace evenkeel::workloads {
namespace {

constexpr const char* kLeadsOut = "leads out of the folder of the job's inputs";

/// A volume as a cluster makes it, beside a file that is none of the job's.
class FolderFile : public testing::Test {
 protected:
  FolderFile() {
    std::filesystem::create_directories(Inputs() / "..2026" / "deep");
    Write(Inputs() / "..2026" / "names", "a\nb\n");
    Write(Inputs() / "..2026" / "deep" / "names", "deep\n");
    Write(Secret(), "the key\n");
    std::filesystem::create_symlink("..2026", Inputs() / "..data");
    std::filesystem::create_symlink("..data/names", Inputs() / "names");
    std::filesystem::create_symlink("../names", Inputs() / "..2026" / "deep" / "up");
    std::filesystem::create_symlink("../secret", Inputs() / "out");
    std::filesystem::create_symlink(Secret(), Inputs() / "absolute");
    std::filesystem::create_directory_symlink("..", Inputs() / "parent");
    std::filesystem::create_symlink("nowhere", Inputs() / "dangling");
    std::filesystem::create_symlink("/proc/self/environ", Inputs() / "proc");
  }
  [[nodiscard]] std::filesystem::path Inputs() const { return folder_.Path() / "inputs"; }
  [[nodiscard]] std::filesystem::path Secret() const { return folder_.Path() / "secret"; }
  static void Write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
  }
  [[nodiscard]] std::string Read(const std::filesystem::path& name, bool confined = true) const {
    const auto read = ReadFolderFile(Inputs(), name, confined, 100);
    return read ? *read : "! " + read.error().message;
  }
  /// 0 if the fallback opens it, else errno.
  [[nodiscard]] int ByName(const std::filesystem::path& name) const {
    const int file = OpenBeneathByName(Inputs(), name, O_RDONLY);
    if (file < 0) return errno;
    ::close(file);
    return 0;
  }

 private:
  TempFolder folder_;
};

TEST_F(FolderFile, LinksThatStayInsideAreFollowed) {
  for (const char* name : {"names", "..data/names", "..2026/deep/up", "..2026/deep/../names"}) {
    EXPECT_EQ(Read(name), "a\nb\n") << name;
    EXPECT_EQ(ByName(name), 0) << name;
  }
}

TEST_F(FolderFile, NothingLeadsOutOfAConfinedFolder) {
  for (const std::string& name :
       {std::string("out"), std::string("absolute"), std::string("parent/secret"),
        std::string("../secret"), Secret().string()}) {
    EXPECT_EQ(Read(name), std::string("! ") + kLeadsOut) << name;
    EXPECT_EQ(ByName(name), EXDEV) << name;
    EXPECT_EQ(Read(name, false), "the key\n") << name;
  }
  EXPECT_EQ(Read("proc"), std::string("! ") + kLeadsOut);
  EXPECT_EQ(ByName("proc"), EXDEV);
}

TEST_F(FolderFile, ReportsErrors) {
  EXPECT_EQ(Read("none"), "! there is no such file");
  EXPECT_EQ(Read("dangling"), "! there is no such file");
  EXPECT_EQ(Read("names/below"), "! there is no such file");
  EXPECT_EQ(Read("..2026"), "! is no ordinary file");
  Write(Inputs() / "long", std::string(101, 'x'));
  EXPECT_EQ(Read("long"), "! must have at most 100 bytes, has 101");
  ASSERT_EQ(::mkfifo((Inputs() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(Read("pipe"), "! is no ordinary file") << "nobody is waited for";
}

TEST_F(FolderFile, ACommandsFileOfArgumentsIsConfinedInACluster) {
  const auto make = [this](const std::string& name, bool confined) {
    const auto made = BuiltInWorkloads().Make(
        "command", R"({"command": ["/bin/echo"], "argumentsFile": ")" + name + "\"}",
        {Inputs(), false, confined});
    return made ? std::to_string((*made)->TaskCount()) : made.error().message;
  };
  EXPECT_EQ(make("names", true), "2");
  EXPECT_EQ(make("out", false), "1");
  const std::string refused = make("out", true);
  EXPECT_TRUE(refused.starts_with("spec.workload.command.argumentsFile: ")) << refused;
  EXPECT_TRUE(refused.ends_with(kLeadsOut)) << refused;
}

}  // namespace
}  // namespace evenkeel::workloads
