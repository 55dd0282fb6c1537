#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/workloads/job_run.h"
#include "workloads/built_in.h"

namespace evenkeel::workloads {
namespace {

/// A folder with a file of arguments.
class ArgumentsFile {
 public:
  explicit ArgumentsFile(const std::string& text) {
    std::ofstream(folder_.Path() / "names.txt", std::ios::binary) << text;
  }
  [[nodiscard]] Result<std::shared_ptr<const Workload>> Make() const {
    return BuiltInWorkloads().Make("command",
                                   R"({"command": ["/bin/echo"], "argumentsFile": "names.txt"})",
                                   {folder_.Path(), false});
  }
  [[nodiscard]] std::string Error() const {
    const auto made = Make();
    return made ? std::string() : made.error().message;
  }

 private:
  TempFolder folder_;
};

TEST(CommandParameters, EachMistakeIsOneClearLine) {
  ExpectRefused(
      "command",
      {{R"({"tasks": 1})", "command: must be a list of 1 to 256 words"},
       {R"({"command": [], "tasks": 1})", "command: must be a list of 1 to 256 words"},
       {R"({"command": [""], "tasks": 1})", "command[0]: must be a program, is empty"},
       {R"({"command": "ls", "tasks": 1})", "command: must be a list of at most 256, is \"ls\""},
       {R"({"command": ["ls"]})",
        "tasks: exactly one of tasks, arguments, argumentsFile, range must be there"},
       {R"({"command": ["ls"], "tasks": 2, "arguments": ["a"]})",
        "tasks: exactly one of tasks, arguments, argumentsFile, range must be there"},
       {R"({"command": ["ls"], "tasks": 0})",
        "tasks: must be a whole number from 1 to 10000000, is 0"},
       {R"({"command": ["ls"], "arguments": []})", "arguments: must have at least one"},
       {R"({"command": ["ls"], "argumentsFile": "x"})",
        "argumentsFile: needs spec.inputs, which must contain the file"},
       {R"({"command": ["ls"], "tasks": 1, "outputLimitBytes": 1048577})",
        "outputLimitBytes: must be a whole number from 0 to 1048576, is 1048577"},
       {R"({"command": ["ls"], "tasks": 1, "withArguments": true})",
        "withArguments: unknown field, known are command, reduce, cost, tasks, arguments, "
        "argumentsFile, "
        "range, "
        "image, workingDirectory, outputLimitBytes, inputs, outputs, outputFilesLimitBytes"},
       {R"({"command": ["ls"], "tasks": 1, "args": []})",
        "args: unknown field, known are command, reduce, cost, tasks, arguments, argumentsFile, "
        "range, "
        "image, "
        "workingDirectory, outputLimitBytes, inputs, outputs, outputFilesLimitBytes"}});
  EXPECT_NE(ParameterError("command", R"({"command": ["ls", 3], "tasks": 1})").find("command[1]"),
            std::string::npos);
  EXPECT_NE(
      ParameterError("command", R"({"command": ["a\u0000b"], "tasks": 1})").find("command[0]"),
      std::string::npos);
}

TEST(CommandParameters, MistakesInAReduceCommandAreOneClearLine) {
  ExpectRefused("command",
                {{R"({"command": ["ls"], "tasks": 1, "reduce": []})",
                  "reduce: must be a list of 1 to 256 words"},
                 {R"({"command": ["ls"], "tasks": 1, "reduce": [""]})",
                  "reduce[0]: must be a program, is empty"},
                 {R"({"command": ["ls"], "tasks": 1, "reduce": "plot"})",
                  "reduce: must be a list of at most 256, is \"plot\""},
                 {R"({"command": ["ls"], "tasks": 1, "reduce": ["plot", "{}"]})",
                  "reduce[1]: must not be {}: {results} is the only placeholder here"},
                 {R"({"command": ["ls"], "tasks": 1, "reduce": ["plot", "a", "{first}"]})",
                  "reduce[2]: must not be {first}: {results} is the only placeholder here"}});
  EXPECT_NE(ParameterError("command", R"({"command": ["a"], "tasks": 1, "reduce": ["a\u0000b"]})")
                .find("reduce[0]"),
            std::string::npos);
}

TEST(CommandParameters, BracesWithinAWordOfAReduceCommandAreNoPlaceholder) {
  const auto made = MakeOrFail("command", R"({"command": ["x"], "tasks": 1,
      "reduce": ["awk", "{ print $1 }", "{results}", "--out={first}", "{A}", "{", "d={}"]})");
  EXPECT_NE(made->MakeReduceCommand({}), nullptr);
  EXPECT_EQ(MakeOrFail("command", R"({"command": ["x"], "tasks": 1})")->MakeReduceCommand({}),
            nullptr);
  // Workers have nothing to do with it.
  EXPECT_EQ(made->WorkerParameters()->find("reduce"), std::string::npos);
}

TEST(CommandParameters, ARangeHasBounds) {
  const auto made = MakeOrFail(
      "command", R"({"command": ["x"], "range": {"tasks": 86400, "minTasks": 3, "maxTasks": 9}})");
  EXPECT_EQ(made->TaskCount(), 86'400);
  ASSERT_TRUE(made->Ranges());
  EXPECT_EQ(*made->Ranges(), (model::RangeBounds{3, 9}));
  EXPECT_FALSE(made->WhyNotRepeatable().empty());
  EXPECT_FALSE(made->Costs()->Known());
  const auto there = BuiltInWorkloads().Make("command", *made->WorkerParameters(), {{}, true});
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_EQ((*there)->TaskCount(), 86'400);
  EXPECT_TRUE((*there)->Ranges());
  EXPECT_FALSE(MakeOrFail("command", R"({"command": ["x"], "tasks": 3})")->Ranges());
  ExpectRefused("command",
                {{R"({"command": ["x"], "range": {"tasks": 0}})",
                  "range.tasks: must be a whole number from 1 to 10000000, is 0"},
                 {R"({"command": ["x"], "range": {}})",
                  "range.tasks: is missing, must be a whole number from 1 to 10000000"},
                 {R"({"command": ["x"], "range": 5})", "range: must be an object, is 5"},
                 {R"({"command": ["x"], "range": {"tasks": 9, "minTasks": 4, "maxTasks": 3}})",
                  "range.minTasks: must be at most maxTasks, 3, is 4"},
                 {R"({"command": ["x"], "range": {"tasks": 9}, "tasks": 9})",
                  "tasks: exactly one of tasks, arguments, argumentsFile, range must be there"},
                 {R"({"command": ["x"], "range": {"tasks": 1}, "cost": {"list": [1]}})",
                  "cost: must be absent with range: its tasks count as equal"}});
}

TEST(CommandParameters, ArgumentsAreTheTasksInputs) {
  const auto listed =
      MakeOrFail("command", R"({"command": ["ls"], "arguments": ["a b", "", "{}"]})");
  ASSERT_EQ(listed->TaskCount(), 3);
  EXPECT_TRUE(listed->HasInputs());
  EXPECT_EQ(listed->InputOf(0), "a b");
  EXPECT_EQ(listed->InputOf(1), "");
  EXPECT_EQ(listed->InputOf(2), "{}");

  const auto counted = MakeOrFail("command", R"({"command": ["ls"], "tasks": 7})");
  EXPECT_EQ(counted->TaskCount(), 7);
  EXPECT_FALSE(counted->HasInputs());
}

TEST(CommandParameters, WorkersGetEverythingButTheArguments) {
  const auto here =
      MakeOrFail("command", R"({"command": ["ls", "{}"], "arguments": ["secret", "b"], "image": "i",
                     "workingDirectory": "/data", "outputLimitBytes": 10})");
  const auto parameters = here->WorkerParameters();
  ASSERT_TRUE(parameters);
  EXPECT_EQ(parameters->find("secret"), std::string::npos);
  const auto there = BuiltInWorkloads().Make("command", *parameters, {{}, true});
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_EQ((*there)->TaskCount(), 2);
  EXPECT_TRUE((*there)->HasInputs());
}

TEST(CommandParameters, AFileHasALineATask) {
  for (const char* const text :
       {"one\ntwo words\nthree\n", "one\ntwo words\nthree", "one\r\ntwo words\r\nthree\r\n"}) {
    const auto made = ArgumentsFile(text).Make();
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_EQ((*made)->TaskCount(), 3);
    EXPECT_EQ((*made)->InputOf(0), "one");
    EXPECT_EQ((*made)->InputOf(1), "two words");
    EXPECT_EQ((*made)->InputOf(2), "three");
  }
}

TEST(CommandParameters, ErrorsInAFileNameTheLine) {
  EXPECT_NE(ArgumentsFile("").Error().find("names.txt: must have at least one line"),
            std::string::npos);
  EXPECT_NE(ArgumentsFile("a\n\nb\n").Error().find("names.txt: line 2: must not be empty"),
            std::string::npos);
  EXPECT_NE(ArgumentsFile(std::string("a\nb\0c\n", 6)).Error().find("line 2: must not have a zero"),
            std::string::npos);
  EXPECT_NE(ArgumentsFile(std::string(65'537, 'x')).Error().find("line 1: must have at most 65536"),
            std::string::npos);
  const auto missing = BuiltInWorkloads().Make(
      "command", R"({"command": ["ls"], "argumentsFile": "none.txt"})", {"/", false});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "spec.workload.command.argumentsFile: /none.txt: there is no such file");
  const auto folder = BuiltInWorkloads().Make(
      "command", R"({"command": ["ls"], "argumentsFile": "/"})", {"/", false});
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "spec.workload.command.argumentsFile: /: is no ordinary file");
}

}  // namespace
}  // namespace evenkeel::workloads
