#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/workloads/job_run.h"
#include "workloads/built_in.h"
#include "workloads/command/command_spec.h"
#include "workloads/command/declared_files.h"

namespace evenkeel::workloads::command {
namespace {

using Paths = std::vector<DeclaredPath>;

TEST(CommandFiles, APathIsRelativeAndStaysBelow) {
  for (const char* right :
       {"a", "a/b.txt", ".a", "..a", "a..", "...", "a b", "\xC3\xA4", "*", "-"}) {
    EXPECT_EQ(PathMistake(right), "") << right;
  }
  EXPECT_EQ(PathMistake(std::string(255, 'x') + "/" + std::string(255, 'y')), "");
  EXPECT_EQ(PathMistake(""), "must not be empty");
  EXPECT_EQ(PathMistake("/etc/passwd"), "must be relative, without / in front");
  for (const char* wrong : {"..", "../a", "a/..", "a/../b", ".", "./a", "a/.", "a//b", "a/"}) {
    EXPECT_EQ(PathMistake(wrong), "must not contain empty components, . or ..") << wrong;
  }
  EXPECT_EQ(PathMistake("a\nb"), "must not contain a line break or a NUL");
  EXPECT_EQ(PathMistake(std::string_view("a\0b", 3)), "must not contain a line break or a NUL");
  EXPECT_EQ(PathMistake(std::string(256, 'x')), "must not contain a name of more than 255 bytes");
  std::string long_path;
  while (long_path.size() < 4'096) long_path += "folder/";
  EXPECT_EQ(PathMistake(long_path + "x"), "must have at most 4095 bytes");
}

TEST(CommandFiles, EachMistakeIsOneClearLine) {
  ExpectRefused(
      "command",
      {{R"({"command": ["x"], "tasks": 1, "outputs": ["/a"]})",
        R"(outputs[0]: must be relative, without / in front, is "/a")"},
       {R"({"command": ["x"], "tasks": 1, "outputs": ["a", "../b"]})",
        R"(outputs[1]: must not contain empty components, . or .., is "../b")"},
       {R"({"command": ["x"], "tasks": 1, "outputs": [""]})",
        R"(outputs[0]: must not be empty, is "")"},
       {R"({"command": ["x"], "tasks": 1, "outputs": ["a\nb"]})",
        R"(outputs[0]: must not contain a line break or a NUL, is "a\nb")"},
       {R"({"command": ["x"], "tasks": 1, "outputs": ["a", "b", "a"]})",
        R"(outputs[2]: is there twice: "a")"},
       {R"({"command": ["x"], "tasks": 1, "outputs": ["{}.jpg"]})",
        "outputs[0]: must not contain {}: the tasks have no arguments"},
       {R"({"command": ["x"], "arguments": ["a"], "outputs": ["{first}.jpg"]})",
        "outputs[0]: must not contain {first}: placeholders are {} and {index}"},
       {R"({"command": ["x"], "arguments": ["a"], "outputs": ["{}/{}.{idx}"]})",
        "outputs[0]: must not contain {idx}: placeholders are {} and {index}"},
       {R"({"command": ["x"], "range": {"tasks": 3}, "outputs": ["a"]})",
        "outputs: must be absent with range"},
       {R"({"command": ["x"], "tasks": 3, "outputs": ["a"], "workingDirectory": "/data"})",
        "outputs: must be absent with workingDirectory: each task runs in a directory of its own"},
       {R"({"command": ["x"], "tasks": 3, "inputs": ["a"]})",
        "inputs: needs spec.inputs, which must contain the files"},
       {R"({"command": ["x"], "tasks": 1, "outputFilesLimitBytes": 68719476737})",
        "outputFilesLimitBytes: must be a whole number from 0 to 68719476736, is 68719476737"},
       {R"({"command": ["x"], "arguments": ["a", "../b"], "outputs": ["out/{}"]})",
        "outputs: task 1: output: its path out/../b (out/{}) must not contain empty components, . "
        "or "
        ".."},
       {R"({"command": ["x"], "arguments": ["a", ""], "outputs": ["{}"]})",
        "outputs: task 1: output: its path  ({}) must not be empty"}});
  const std::string many = R"({"command": ["x"], "tasks": 1, "outputs": [)";
  std::string list;
  for (int n = 0; n < 101; ++n) list += (n > 0 ? ",\"" : "\"") + std::to_string(n) + "\"";
  EXPECT_NE(
      ParameterError("command", many + list + "]}").find("outputs: must be a list of at most 100"),
      std::string::npos);
}

TEST(CommandFiles, PlaceholdersBecomeThePathsOfATask) {
  DeclaredFiles files;
  files.inputs = {"{}", "model/weights.bin", "parts/{index}.txt", "model/*.json"};
  files.outputs = {"out/{index}.jpg", "same", "log-{}/*.txt"};
  EXPECT_EQ(CommonInputs(files), (Paths{{"model/weights.bin", false}, {"model/*.json", true}}));
  const auto inputs = InputsOf(files, 7, "pictures/a b.png");
  ASSERT_TRUE(inputs) << inputs.error().message;
  EXPECT_EQ(*inputs, (Paths{{"pictures/a b.png", false}, {"parts/7.txt", false}}));
  const auto outputs = OutputsOf(files, 7, "x");
  ASSERT_TRUE(outputs) << outputs.error().message;
  EXPECT_EQ(*outputs, (Paths{{"out/7.jpg", false}, {"same", false}, {"log-x/*.txt", true}}));
}

TEST(CommandFiles, AnArgumentIsNeverAGlob) {
  DeclaredFiles files;
  files.inputs = {"{}", "{}/*.txt"};
  const auto inputs = InputsOf(files, 0, R"(a*[b]?\{index})");
  ASSERT_TRUE(inputs) << inputs.error().message;
  EXPECT_EQ(*inputs, (Paths{{R"(a*[b]?\{index})", false}, {R"(a\*\[b\]\?\\{index}/*.txt)", true}}));
}

TEST(CommandFiles, AnArgumentThatLeadsOutIsRefusedWithTheTask) {
  DeclaredFiles files;
  files.inputs = {"in/{}"};
  for (const char* argument : {"../x", "..", "", "/x", "a/../../b", "a\nb"}) {
    const auto inputs = InputsOf(files, 3, argument);
    ASSERT_FALSE(inputs) << argument;
    EXPECT_EQ(inputs.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(inputs.error().message.find('\n'), std::string::npos);
  }
}

TEST(CommandFiles, EqualPathsOfATaskCountOnce) {
  DeclaredFiles files;
  files.outputs = {"{}", "a", "{index}"};
  EXPECT_EQ(OutputsOf(files, 3, "a")->size(), 2u);
}

TEST(CommandFiles, WorkersGetThem) {
  const TempFolder folder;
  const auto here = BuiltInWorkloads().Make("command", R"({"command": ["x"], "arguments": ["a"],
      "inputs": ["{}", "b"], "outputs": ["c"], "outputFilesLimitBytes": 5})",
                                            {folder.Path(), false});
  ASSERT_TRUE(here) << here.error().message;
  EXPECT_TRUE((*here)->HasFiles());
  const auto there = BuiltInWorkloads().Make("command", *(*here)->WorkerParameters(), {{}, true});
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_TRUE((*there)->HasFiles());
  EXPECT_EQ((*there)->CommonInputFiles(), (Paths{{"b", false}}));
  EXPECT_EQ(*(*there)->InputFilesOf(0, "a"), (Paths{{"a", false}}));
  EXPECT_FALSE(MakeOrFail("command", R"({"command": ["x"], "tasks": 1})")->HasFiles());
}

}  // namespace
}  // namespace evenkeel::workloads::command
