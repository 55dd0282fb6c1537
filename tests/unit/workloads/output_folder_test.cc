#include "workloads/output_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include "tests/unit/workloads/job_run.h"

namespace evenkeel::workloads {
namespace {

using Contents = std::map<std::string, std::string>;

OutputFolder::UploadKey Key(model::TaskIndex task, char id) { return {task, {id}}; }

class OutputFolderTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path Folder() const { return folder_.Path() / "files"; }

  /// A folder that takes 100 bytes per upload, and two uploads at a time.
  [[nodiscard]] OutputFolder::Options Options() const {
    OutputFolder::Options options;
    options.folder = Folder();
    options.limit_bytes = 100;
    options.max_uploads = 2;
    return options;
  }

  static ErrorCode CodeOf(const Result<void>& result) {
    EXPECT_FALSE(result);
    return result ? ErrorCode::kInternal : result.error().code;
  }
  static std::string MessageOf(const Result<void>& result) {
    return result ? "" : result.error().message;
  }

  static Result<void> Send(OutputFolder& outputs, const OutputFolder::UploadKey& key,
                           const Contents& contents) {
    bool begins = true;
    for (const auto& [path, text] : contents) {
      if (auto written = outputs.Write(key, {path, 0, text, begins}); !written) return written;
      begins = false;
    }
    return {};
  }

  static Result<void> Commit(OutputFolder& outputs, const OutputFolder::UploadKey& key,
                             const Contents& contents) {
    std::vector<OutputFolder::UploadedFile> files;
    std::vector<std::string> texts;
    for (const auto& [path, text] : contents) {
      files.push_back({path, static_cast<std::int64_t>(text.size())});
      texts.push_back(text);
    }
    return outputs.Commit(key, files,
                          [&texts](std::size_t n, const platform::FileDescriptor& file) {
                            std::string bytes(texts[n].size() + 1, '\0');
                            const auto count = ::pread(file.Get(), bytes.data(), bytes.size(), 0);
                            bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(0, count)));
                            return bytes == texts[n];
                          });
  }

  static Result<void> Upload(OutputFolder& outputs, const OutputFolder::UploadKey& key,
                             const Contents& contents) {
    auto sent = Send(outputs, key, contents);
    return sent ? Commit(outputs, key, contents) : sent;
  }

  /// The content of each file that is not staged, by its path.
  [[nodiscard]] Contents Stored() const {
    Contents stored;
    std::error_code missing;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(Folder(), missing)) {
      const std::string path = entry.path().lexically_relative(Folder());
      if (entry.is_regular_file() && !path.starts_with(".")) stored[path] = ContentOf(entry.path());
    }
    return stored;
  }

  /// Uploads that are staged.
  [[nodiscard]] std::vector<std::filesystem::path> Staged() const {
    std::vector<std::filesystem::path> staged;
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(Folder() / ".staged", missing)) {
      staged.push_back(entry.path());
    }
    return staged;
  }

  TempFolder folder_;
  OutputFolder outputs_{Options()};
};

TEST_F(OutputFolderTest, AnUploadAppearsInOneStep) {
  const Contents contents{{"a", "1"}, {"deep/er/b", "2"}, {"empty", ""}};
  ASSERT_EQ(MessageOf(Send(outputs_, Key(7, 'x'), contents)), "");
  EXPECT_EQ(Stored(), Contents{});
  ASSERT_EQ(MessageOf(Commit(outputs_, Key(7, 'x'), contents)), "");
  EXPECT_EQ(Stored(), (Contents{{"7/a", "1"}, {"7/deep/er/b", "2"}, {"7/empty", ""}}));
  EXPECT_TRUE(Staged().empty());
}

TEST_F(OutputFolderTest, FilesOfTasksWithAResultStay) {
  ASSERT_TRUE(Upload(outputs_, Key(7, 'x'), {{"a", "1"}}));
  ASSERT_TRUE(Send(outputs_, Key(7, 'l'), {{"late", "2"}}));
  outputs_.Keep({7, 8});
  const std::string large(1000, 'x');  // more than is allowed
  for (const Contents& late :
       {Contents{{"late", "2"}}, Contents{{"a", "3"}}, Contents{}, Contents{{"large", large}}}) {
    EXPECT_EQ(MessageOf(Upload(outputs_, Key(7, 'l'), late)), "") << "its result does not count";
  }
  EXPECT_EQ(MessageOf(outputs_.Store(7, {}, {})), "");
  EXPECT_EQ(Stored(), (Contents{{"7/a", "1"}}));
  EXPECT_TRUE(Staged().empty());

  ASSERT_TRUE(Upload(outputs_, Key(8, 'y'), {{"b", "1"}})) << "other tasks go on";
  outputs_.KeepOnly(model::RangeSet({8, 9}));
  ASSERT_TRUE(Upload(outputs_, Key(7, 'z'), {{"a", "4"}})) << "the result was taken back";
  ASSERT_TRUE(Upload(outputs_, Key(8, 'z'), {{"b", "2"}}));
  EXPECT_EQ(Stored(), (Contents{{"7/a", "4"}, {"8/b", "1"}}));
}

TEST_F(OutputFolderTest, FilesStayAlsoIfACommitIsInProgress) {
  ASSERT_TRUE(Upload(outputs_, Key(7, 'x'), {{"a", "1"}}));
  ASSERT_TRUE(Send(outputs_, Key(7, 'l'), {{"a", "2"}}));
  const OutputFolder::UploadedFile late{"a", 1};
  EXPECT_TRUE(outputs_.Commit(Key(7, 'l'), {&late, 1},
                              [this](std::size_t, const platform::FileDescriptor&) {
                                outputs_.Keep({7, 8});  // the result arrives just now
                                return true;
                              }));
  EXPECT_EQ(Stored(), (Contents{{"7/a", "1"}}));
}

TEST_F(OutputFolderTest, AnUploadReplacesThatOfAnEarlierRun) {
  ASSERT_TRUE(Upload(outputs_, Key(7, 'x'), {{"a", "1"}, {"b", "2"}}));
  ASSERT_TRUE(Upload(outputs_, Key(7, 'y'), {{"c", "3"}}));
  EXPECT_EQ(Stored(), (Contents{{"7/c", "3"}}));
  ASSERT_TRUE(Commit(outputs_, Key(7, 'z'), {}));
  EXPECT_EQ(Stored(), Contents{});
  EXPECT_FALSE(std::filesystem::exists(Folder() / "7"));
  EXPECT_TRUE(Commit(outputs_, Key(7, 'z'), {})) << "nothing to remove";
  EXPECT_TRUE(Staged().empty());
}

TEST_F(OutputFolderTest, PiecesMayComeTwiceAndInAnyOrder) {
  const auto key = Key(1, 'x');
  ASSERT_TRUE(outputs_.Write(key, {"a", 4, "5678", true}));
  ASSERT_TRUE(outputs_.Write(key, {"a", 0, "1234", false}));
  for (int n = 0; n < 30; ++n) ASSERT_TRUE(outputs_.Write(key, {"a", 4, "5678", n == 0}));
  EXPECT_EQ(MessageOf(Commit(outputs_, key, {{"a", "12345678"}})), "");
  EXPECT_EQ(Stored(), (Contents{{"1/a", "12345678"}}));
}

TEST_F(OutputFolderTest, ACommitMayBeRepeated) {
  const Contents contents{{"a", "1"}};
  ASSERT_TRUE(Upload(outputs_, Key(1, 'x'), contents));
  EXPECT_TRUE(Commit(outputs_, Key(1, 'x'), contents));
  EXPECT_EQ(Stored(), (Contents{{"1/a", "1"}}));
  OutputFolder restarted(Options());
  EXPECT_EQ(CodeOf(Commit(restarted, Key(1, 'x'), contents)), ErrorCode::kConflict);
  EXPECT_EQ(CodeOf(restarted.Write(Key(1, 'x'), {"a", 1, "2", false})), ErrorCode::kConflict);
  EXPECT_EQ(Stored(), (Contents{{"1/a", "1"}}));
}

TEST_F(OutputFolderTest, UploadsOfATaskAreNotMixed) {
  ASSERT_TRUE(Send(outputs_, Key(1, 'x'), {{"a", "x"}, {"x", ""}}));
  ASSERT_TRUE(Send(outputs_, Key(1, 'y'), {{"a", "y"}, {"y", ""}}));
  ASSERT_TRUE(Commit(outputs_, Key(1, 'y'), {{"a", "y"}, {"y", ""}}));
  ASSERT_TRUE(Commit(outputs_, Key(1, 'x'), {{"a", "x"}, {"x", ""}}));
  EXPECT_EQ(Stored(), (Contents{{"1/a", "x"}, {"1/x", ""}}));
}

TEST_F(OutputFolderTest, WhatIsNotAsAnnouncedIsRefused) {
  ASSERT_TRUE(Upload(outputs_, Key(1, 'o'), {{"a", "old"}}));
  const Contents sent{{"a", "1"}, {"b", "2"}};
  const Contents kWrong[] = {{{"a", "1"}},
                             {{"a", "1"}, {"b", "3"}},
                             {{"a", "1"}, {"b", "22"}},
                             {{"a", "1"}, {"c", "2"}},
                             {{"a", "1"}, {"b", "2"}, {"c/d", "3"}}};
  for (const Contents& wrong : kWrong) {
    ASSERT_TRUE(Send(outputs_, Key(1, 'x'), sent));
    EXPECT_EQ(CodeOf(Commit(outputs_, Key(1, 'x'), wrong)), ErrorCode::kConflict);
    EXPECT_TRUE(Staged().empty()) << "such an upload is dropped";
  }
  EXPECT_EQ(Stored(), (Contents{{"1/a", "old"}}));
}

TEST_F(OutputFolderTest, AFileThatIsListedTwiceIsRefused) {
  ASSERT_TRUE(Send(outputs_, Key(1, 'x'), {{"a", "1"}, {"b", "2"}}));
  const OutputFolder::UploadedFile kTwice[] = {{"a", 1}, {"a", 1}};
  const auto refused = outputs_.Commit(
      Key(1, 'x'), kTwice, [](std::size_t, const platform::FileDescriptor&) { return true; });
  EXPECT_EQ(CodeOf(refused), ErrorCode::kInvalidInput);
  EXPECT_EQ(MessageOf(refused), "output a is there twice");
}

TEST_F(OutputFolderTest, PathsThatLeadElsewhereAreRefused) {
  const std::pair<std::string, std::string> kWrong[] = {
      {"../x", "output ../x must not contain empty components, . or .."},
      {"a/../../x", "output a/../../x must not contain empty components, . or .."},
      {"/x", "output /x must be relative, without / in front"},
      {"", "output  must not be empty"},
      {"a\nb", "output a?b must not contain a line break or a NUL"},
      {std::string(256, 'a'),
       "output " + std::string(256, 'a') + " must not contain a name of more than 255 bytes"}};
  for (const auto& [path, message] : kWrong) {
    const auto refused = outputs_.Write(Key(1, 'x'), {path, 0, "1", true});
    EXPECT_EQ(CodeOf(refused), ErrorCode::kInvalidInput);
    EXPECT_EQ(MessageOf(refused), message);
    EXPECT_TRUE(Staged().empty());
  }
  EXPECT_EQ(CodeOf(outputs_.Write(Key(-1, 'x'), {"a", 0, "1", true})), ErrorCode::kInvalidInput);
  EXPECT_TRUE(Upload(outputs_, Key(1, 'y'), {{std::string(255, 'a'), "1"}}));
}

TEST_F(OutputFolderTest, AFileIsNoFolder) {
  for (const auto& [first, second] : {std::pair("a", "a/b"), std::pair("a/b", "a")}) {
    ASSERT_TRUE(outputs_.Write(Key(1, 'x'), {first, 0, "1", true}));
    EXPECT_EQ(CodeOf(outputs_.Write(Key(1, 'x'), {second, 0, "1", false})),
              ErrorCode::kInvalidInput);
  }
}

TEST_F(OutputFolderTest, PlantedLinksAreNotFollowed) {
  const auto outside = folder_.Path() / "outside";
  std::filesystem::create_directory(outside);
  std::ofstream(outside / "victim") << "safe";
  const std::vector<std::pair<std::string, std::string>> kPlanted{
      {"link", "link"}, {"folder", "folder/victim"}, {"hard", "hard"}, {"pipe", "pipe"}};
  for (const auto& [name, path] : kPlanted) {
    ASSERT_TRUE(outputs_.Write(Key(1, 'x'), {"a", 0, "1", true}));
    ASSERT_EQ(Staged().size(), 1u);
    const auto planted = Staged()[0] / "files" / name;
    if (name == "link") std::filesystem::create_symlink(outside / "victim", planted);
    if (name == "folder") std::filesystem::create_directory_symlink(outside, planted);
    if (name == "hard") std::filesystem::create_hard_link(outside / "victim", planted);
    if (name == "pipe") {
      ASSERT_EQ(::mkfifo(planted.c_str(), 0666), 0);
    }
    EXPECT_EQ(CodeOf(outputs_.Write(Key(1, 'x'), {path, 0, "evil", false})),
              ErrorCode::kInvalidInput)
        << name;
    EXPECT_EQ(ContentOf(outside / "victim"), "safe");
    EXPECT_TRUE(std::filesystem::exists(outside / "victim")) << "removed with the upload";
  }
}

TEST_F(OutputFolderTest, BytesHaveALimitWithAllFilesTogether) {
  const auto key = Key(1, 'x');
  const std::string forty(40, 'x');
  ASSERT_TRUE(outputs_.Write(key, {"a", 0, forty, true}));
  ASSERT_TRUE(outputs_.Write(key, {"a", 0, forty, false})) << "the same bytes";
  ASSERT_TRUE(outputs_.Write(key, {"b", 20, forty, false})) << "60 bytes with what is missing";
  const auto refused = outputs_.Write(key, {"c", 0, "x", false});
  EXPECT_EQ(CodeOf(refused), ErrorCode::kInvalidInput);
  EXPECT_EQ(MessageOf(refused), "output c makes more than 100 bytes of output files");
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t offset : {kHuge, kHuge - 1, std::int64_t{100}, std::int64_t{-1}}) {
    EXPECT_EQ(CodeOf(outputs_.Write(key, {"a", offset, "x", true})), ErrorCode::kInvalidInput);
  }
  EXPECT_TRUE(Staged().empty());
}

TEST_F(OutputFolderTest, FilesHaveALimit) {
  const auto key = Key(1, 'x');
  for (std::size_t n = 0; n < kMaxOutputFiles; ++n) {
    ASSERT_TRUE(outputs_.Write(key, {std::to_string(n), 0, "", n == 0}));
  }
  ASSERT_TRUE(outputs_.Write(key, {"0", 0, "again", false}));
  EXPECT_EQ(MessageOf(outputs_.Write(key, {"x", 0, "", false})),
            "outputs: a task must not have more than 1000 files");
}

TEST_F(OutputFolderTest, FoldersHaveALimit) {
  bool begins = true;
  Result<void> written;
  for (int n = 0; written && n < 200; ++n) {
    std::string path = std::to_string(n);
    for (int depth = 0; depth < 100; ++depth) path += "/a";
    written = outputs_.Write(Key(1, 'x'), {path, 0, "", begins});
    begins = false;
  }
  EXPECT_EQ(MessageOf(written), "outputs: a task must not have files in more than 10000 folders");
}

TEST_F(OutputFolderTest, TheUploadWithoutPiecesForTheLongestTimeIsDropped) {
  ASSERT_TRUE(Send(outputs_, Key(1, 'x'), {{"a", "1"}}));
  ASSERT_TRUE(Send(outputs_, Key(2, 'x'), {{"a", "2"}}));
  ASSERT_TRUE(outputs_.Write(Key(1, 'x'), {"a", 0, "1", false}));
  ASSERT_TRUE(Send(outputs_, Key(3, 'x'), {{"a", "3"}}));
  EXPECT_EQ(Staged().size(), 2u);
  EXPECT_EQ(CodeOf(Commit(outputs_, Key(2, 'x'), {{"a", "2"}})), ErrorCode::kConflict);
  EXPECT_TRUE(Commit(outputs_, Key(1, 'x'), {{"a", "1"}}));
  EXPECT_TRUE(Commit(outputs_, Key(3, 'x'), {{"a", "3"}}));
}

TEST_F(OutputFolderTest, IdleUploadsAreDropped) {
  auto options = Options();
  options.max_uploads = 100;
  options.idle_limit = std::chrono::steady_clock::duration(-1);  // each upload is idle at once
  OutputFolder outputs(options);
  ASSERT_TRUE(Send(outputs, Key(1, 'x'), {{"a", "1"}}));
  ASSERT_TRUE(Send(outputs, Key(2, 'x'), {{"a", "2"}}));
  EXPECT_EQ(Staged().size(), 1u);
}

TEST_F(OutputFolderTest, LeftoversAreRemoved) {
  ASSERT_TRUE(Upload(outputs_, Key(1, 'x'), {{"a", "1"}}));
  ASSERT_TRUE(Upload(outputs_, Key(2, 'x'), {{"a", "2"}}));
  ASSERT_TRUE(Send(outputs_, Key(3, 'x'), {{"a", "3"}}));
  ASSERT_TRUE(OutputFolder(Options()).RemoveStaged());
  EXPECT_TRUE(Staged().empty());
  ASSERT_TRUE(outputs_.RemoveOthers(model::RangeSet({2, 3})));
  EXPECT_EQ(Stored(), (Contents{{"2/a", "2"}}));
  std::filesystem::remove_all(Folder());
  EXPECT_TRUE(outputs_.RemoveStaged()) << "nothing is there yet";
}

TEST_F(OutputFolderTest, AFullDiskIsReported) {
  // A limit on the size of a file stands for a full disk.
  ASSERT_NE(::signal(SIGXFSZ, SIG_IGN), SIG_ERR);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{10, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto full = Send(outputs_, Key(1, 'x'), {{"a", "more than ten bytes"}});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(CodeOf(full), ErrorCode::kStorageFull);
  EXPECT_TRUE(Staged().empty()) << "its space is free";
}

TEST_F(OutputFolderTest, ThreadsMaySendOneUpload) {
  const Contents contents{{"a", "1"}, {"b/c", "2"}};
  ASSERT_TRUE(outputs_.Write(Key(1, 'x'), {"a", 0, "1", true}));
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&] {
      EXPECT_TRUE(Send(outputs_, Key(1, 'x'), contents));
      EXPECT_TRUE(outputs_.Write(Key(1, 'x'), {"b/c", 0, "2", false}));
    });
  }
  for (std::thread& thread : threads) thread.join();
  threads.clear();
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&] { EXPECT_TRUE(Commit(outputs_, Key(1, 'x'), contents)); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Stored(), (Contents{{"1/a", "1"}, {"1/b/c", "2"}}));
}

}  // namespace
}  // namespace evenkeel::workloads
