#include "workloads/local_task_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <thread>

#include "platform/file_descriptor.h"
#include "tests/unit/workloads/job_run.h"
#include "workloads/built_in.h"

namespace evenkeel::workloads {
namespace {

class LocalTaskFilesTest : public testing::Test {
 protected:
  LocalTaskFilesTest() {
    Write("in/model/a.bin", "aaa");
    Write("in/model/b.bin", "bb");
    Write("in/pictures/0.png", "zero");
  }

  void Write(const std::string& name, const std::string& text) {
    const auto path = folder_.Path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  }

  [[nodiscard]] std::filesystem::path Inputs() const { return folder_.Path() / "in"; }
  [[nodiscard]] std::filesystem::path Results() const { return folder_.Path() / "out"; }

  std::shared_ptr<const Workload> Make(const std::string& inputs) {
    auto made = BuiltInWorkloads().Make(
        "command",
        R"({"command": ["x"], "arguments": ["pictures/0.png", "none"], "inputs": )" + inputs + "}",
        {Inputs(), false});
    EXPECT_TRUE(made) << made.error().message;
    return *made;
  }

  Result<LocalFiles> Find(const std::string& inputs) {
    return FindLocalFiles(*Make(inputs), Inputs(), Results());
  }

  /// Makes the files of a run of a job with these inputs.
  std::unique_ptr<TaskFiles> Prepare(const std::string& inputs) {
    std::filesystem::create_directories(Results());
    local_ = Find(inputs).value();
    const auto prepared = PrepareLocalFiles(local_);
    EXPECT_TRUE(prepared) << prepared.error().message;
    auto read = ReadLocalFiles(*prepared);
    EXPECT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->common, local_.common);
    return MakeLocalTaskFiles(std::move(*read), Make(inputs));
  }

  /// Stores files of a task that have these contents.
  static Result<void> Store(TaskFiles& files, model::TaskIndex task,
                            const std::map<std::string, std::string>& contents) {
    std::vector<platform::FileDescriptor> descriptors;
    std::vector<OutputFile> outputs;
    for (const auto& [path, text] : contents) {
      const TempFolder folder;
      const auto source = folder.Path() / "x";
      std::ofstream(source, std::ios::binary) << text;
      descriptors.emplace_back(::open(source.c_str(), O_RDONLY | O_CLOEXEC));
      outputs.push_back({path, descriptors.back().Get(), static_cast<std::int64_t>(text.size())});
    }
    return files.Store(task, outputs, {});
  }

  /// The content of each stored file by its path.
  [[nodiscard]] std::map<std::string, std::string> Stored() const {
    std::map<std::string, std::string> stored;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(local_.Outputs())) {
      if (!entry.is_regular_file()) continue;
      stored[entry.path().lexically_relative(local_.Outputs())] = ContentOf(entry.path());
    }
    return stored;
  }

  TempFolder folder_;
  LocalFiles local_;
};

using Contents = std::map<std::string, std::string>;

TEST_F(LocalTaskFilesTest, ATaskGetsCommonAndOwnInputs) {
  const auto files = Prepare(R"(["{}", "model/*.bin", "model/a.bin"])");
  const auto inputs = files->Acquire(0, "pictures/0.png", {});
  ASSERT_TRUE(inputs) << inputs.error().message;
  EXPECT_EQ(*inputs, (std::vector<InputFile>{{"model/a.bin", Inputs() / "model/a.bin", 3},
                                             {"model/b.bin", Inputs() / "model/b.bin", 2},
                                             {"pictures/0.png", Inputs() / "pictures/0.png", 4}}));
}

TEST_F(LocalTaskFilesTest, CommonInputsAreLookedUpAtTheStart) {
  const std::pair<const char*, const char*> kWrong[] = {
      {R"(["none"])", "input none: there is no such file"},
      {R"(["model"])", "input model: is no ordinary file"},
      {R"(["model/*.txt"])", "input model/*.txt: matches no file"}};
  for (const auto& [inputs, message] : kWrong) {
    const auto found = Find(inputs);
    ASSERT_FALSE(found) << inputs;
    EXPECT_EQ(found.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(found.error().message, message);
  }
  Write("in/model/line\nbreak.txt", "x");
  EXPECT_EQ(Find(R"(["model/*.txt"])").error().message,
            "input model/line?break.txt: must not contain a line break or a NUL");
}

TEST_F(LocalTaskFilesTest, ChangesAreFoundOut) {
  const auto files = Prepare(R"(["model/*.bin"])");
  ASSERT_TRUE(files->Acquire(0, "", {}));
  Write("in/model/c.bin", "new");  // the job began without it
  EXPECT_EQ(files->Acquire(0, "", {})->size(), 2u);
  Write("in/model/a.bin", "other");
  const auto inputs = files->Acquire(0, "", {});
  ASSERT_FALSE(inputs);
  EXPECT_EQ(inputs.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(inputs.error().message, "input model/a.bin: changed while the job ran");
  std::filesystem::remove(Inputs() / "model/a.bin");
  EXPECT_EQ(files->Acquire(0, "", {}).error().message, "input model/a.bin: there is no such file");
}

TEST_F(LocalTaskFilesTest, AMissingInputOfATaskFailsIt) {
  const auto files = Prepare(R"(["{}"])");
  for (const auto& [argument, message] :
       {std::pair("none", "input none: there is no such file"),
        std::pair("../out",
                  "input: its path ../out ({}) must not contain empty components, . or ..")}) {
    const auto inputs = files->Acquire(1, argument, {});
    ASSERT_FALSE(inputs);
    EXPECT_EQ(inputs.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(inputs.error().message, message);
  }
}

TEST_F(LocalTaskFilesTest, OutputsOfATaskReplaceThoseOfAnEarlierRun) {
  const auto files = Prepare("[]");
  ASSERT_TRUE(Store(*files, 7, {{"a", "1"}, {"deep/er/b", "2"}}));
  ASSERT_TRUE(Store(*files, 8, {{"a", ""}}));
  EXPECT_EQ(Stored(), (Contents{{"7/a", "1"}, {"7/deep/er/b", "2"}, {"8/a", ""}}));
  ASSERT_TRUE(Store(*files, 7, {{"c", "3"}}));
  EXPECT_EQ(Stored(), (Contents{{"7/c", "3"}, {"8/a", ""}}));
  ASSERT_TRUE(Store(*files, 7, {}));
  EXPECT_EQ(Stored(), (Contents{{"8/a", ""}}));
  EXPECT_FALSE(std::filesystem::exists(local_.Outputs() / "7"));
}

TEST_F(LocalTaskFilesTest, AllOutputsOfATaskOrNone) {
  const auto files = Prepare("[]");
  ASSERT_TRUE(Store(*files, 1, {{"a", "old"}}));
  const auto refused = Store(*files, 1, {{"b", "new"}, {"c/../../x", "bad"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "output c/../../x must not contain empty components, . or ..");
  EXPECT_EQ(Stored(), (Contents{{"1/a", "old"}}));
  // The size is not what it was.
  const auto source = folder_.Path() / "in/model/a.bin";
  for (const std::int64_t wrong : {2, 4}) {
    const platform::FileDescriptor open(::open(source.c_str(), O_RDONLY | O_CLOEXEC));
    const OutputFile output{"b", open.Get(), wrong};
    const auto changed = files->Store(1, {&output, 1}, {});
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(changed.error().message, "output b changed after the command had ended");
  }
  EXPECT_EQ(Stored(), (Contents{{"1/a", "old"}}));
}

TEST_F(LocalTaskFilesTest, RunsOfATaskAreNeverMixed) {
  const auto files = Prepare("[]");
  std::vector<std::thread> threads;
  for (const char* name : {"a", "b", "c", "d"}) {
    threads.emplace_back([&files, name] {
      for (int n = 0; n < 20; ++n) {
        EXPECT_TRUE(Store(*files, 3, {{"who", name}, {name, name}}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto stored = Stored();
  ASSERT_EQ(stored.size(), 2u);
  const std::string who = stored.at("3/who");
  EXPECT_EQ(stored.at("3/" + who), who);
}

TEST_F(LocalTaskFilesTest, TheEndLeavesTheFilesOfCompletedTasks) {
  const auto files = Prepare("[]");
  for (model::TaskIndex task = 0; task < 4; ++task) {
    ASSERT_TRUE(Store(*files, task, {{"a", std::to_string(task)}}));
  }
  Write("out/files/.staged/9-x/files/b", "unfinished");
  Write("out/files/notes", "of the user");
  Write("out/.tasks/a/1/b", "left");
  model::RangeSet completed({0, 2});
  ASSERT_TRUE(CleanUpLocalFiles(local_, completed));
  EXPECT_EQ(Stored(), (Contents{{"0/a", "0"}, {"1/a", "1"}, {"notes", "of the user"}}));
  EXPECT_FALSE(std::filesystem::exists(local_.Running()));
}

TEST_F(LocalTaskFilesTest, AFileOfAnotherKindIsRefused) {
  Write("x", "no CBOR at all");
  const auto read = ReadLocalFiles(folder_.Path() / "x");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace evenkeel::workloads
