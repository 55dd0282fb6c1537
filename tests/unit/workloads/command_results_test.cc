#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/unit/workloads/job_run.h"
#include "workloads/command/task_record.h"

namespace evenkeel::workloads::command {
namespace {

using launcher::Ended;
using launcher::Ending;
using nlohmann::json;

Ended EndedWith(Ending ending, std::int32_t value, std::string output = {},
                std::string error = {}) {
  Ended ended;
  ended.ending = ending;
  ended.value = value;
  ended.output = std::move(output);
  ended.error = std::move(error);
  return ended;
}

std::string RecordOf(const Ended& ended, std::int32_t attempts = 1) {
  std::string bytes;
  AppendRecord({attempts, "pi", ended}, bytes);
  return bytes;
}

json RowOf(const ResultRow& row) {
  std::string text;
  AppendRow(row, text);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  return json::parse(text);
}

std::vector<json> LinesOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
  return lines;
}

TEST(CommandRecord, RoundTrips) {
  Ended ended = EndedWith(Ending::kSignalled, 15, std::string("a\0\n", 3), "\xff");
  ended.wall_nanoseconds = 123;
  ended.error_cut = true;
  const auto read = ReadRecord(RecordOf(ended, 4));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->attempts, 4);
  EXPECT_EQ(read->node, "pi");
  EXPECT_EQ(read->ended, ended);
}

TEST(CommandRecord, ExitCodeAndStdoutAreWhatIsComparedBetweenNodes) {
  Ended ended = EndedWith(Ending::kExited, 0, "42\n", "took 3 s");
  ended.wall_nanoseconds = 3'000'000'000;
  std::string one;
  AppendRecord({1, "pi", ended}, one);
  Ended again = EndedWith(Ending::kExited, 0, "42\n", "took 5 s");
  again.cpu_nanoseconds = 7;
  std::string other;
  AppendRecord({2, "nas", again}, other);
  EXPECT_EQ(RepeatablePartOf(one), RepeatablePartOf(other));
  again.output = "43\n";
  EXPECT_NE(RepeatablePartOf(one), RepeatablePartOf(RecordOf(again)));
  again = ended;
  again.value = 1;
  EXPECT_NE(RepeatablePartOf(one), RepeatablePartOf(RecordOf(again)));
  EXPECT_NE(RepeatablePartOf("x"), RepeatablePartOf("y"));
  EXPECT_NE(RepeatablePartOf(RepeatablePartOf(one)), RepeatablePartOf(one));
}

TEST(CommandRecord, KeepsTheNumberOfTasks) {
  std::string bytes;
  AppendRecord({3, "pi", EndedWith(Ending::kExited, 0), 86'400}, bytes);
  EXPECT_EQ(ReadRecord(bytes)->tasks, 86'400);
  EXPECT_EQ(ReadRecord(bytes)->attempts, 3);
  EXPECT_EQ(ReadRecord(RecordOf(EndedWith(Ending::kExited, 0)))->tasks, 1);
}

// [0, 4) and [4, 10) were one run each; of a run of [2, 8) only [4, 8) counted before, so that its
// record is lost.
TEST(CommandRanges, ARangeHasALine) {
  const auto workload =
      MakeOrFail("command", R"({"command": ["x", "{first}"], "range": {"tasks": 10}})");
  TempFolder folder;
  const auto reducer = workload->MakeReducer();
  ASSERT_TRUE(reducer->Begin(folder.Path()));
  const auto run_of = [](std::int64_t tasks) {
    std::string bytes;
    AppendRecord({1, "pi", EndedWith(Ending::kExited, 0, "out\n"), tasks}, bytes);
    return bytes;
  };
  model::PackedResults rest;
  for (int n = 0; n < 4; ++n) rest.Append(std::string_view());
  ASSERT_TRUE(reducer->Add({4, 8}, rest));
  model::PackedResults front;
  front.Append(run_of(6));
  for (int n = 0; n < 2; ++n) front.Append(std::string_view());
  front.Append(run_of(1));
  ASSERT_TRUE(reducer->Add({0, 4}, front));
  model::PackedResults last;
  last.Append(run_of(1));
  ASSERT_TRUE(reducer->Add({9, 10}, last));
  ASSERT_TRUE(reducer->AddFailed(8, {"exit code 1", 1, run_of(1)}));
  ASSERT_TRUE(reducer->Finish(folder.Path()));
  const auto lines = LinesOf(folder.Path() / "results.jsonl");
  std::vector<std::pair<int, int>> ranges;
  for (const json& line : lines) {
    EXPECT_FALSE(line.contains("index"));
    ranges.emplace_back(line["first"].get<int>(), line["last"].get<int>());
  }
  EXPECT_EQ(ranges, (std::vector<std::pair<int, int>>{{0, 2}, {3, 3}, {4, 7}, {8, 8}, {9, 9}}));
  EXPECT_EQ(lines[0]["stdout"], "out\n");
  EXPECT_FALSE(lines[2].contains("stdout"));
  EXPECT_EQ(lines[2]["status"], "succeeded");
  EXPECT_EQ(lines[3]["status"], "failed");
}

TEST(CommandRecord, OtherBytesAreRejected) {
  const std::string good = RecordOf(EndedWith(Ending::kExited, 0, "out"));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(ReadRecord(std::string_view(good).substr(0, size))) << size;
  }
  EXPECT_FALSE(ReadRecord(std::string(64, '\xff')));
}

TEST(CommandRecord, ExitCodesAreThoseOfAShell) {
  EXPECT_EQ(ExitCodeOf(EndedWith(Ending::kExited, 3)), 3);
  EXPECT_EQ(ExitCodeOf(EndedWith(Ending::kSignalled, 9)), 137);
  EXPECT_EQ(ExitCodeOf(EndedWith(Ending::kNoProgram, ENOENT)), 127);
  EXPECT_EQ(ExitCodeOf(EndedWith(Ending::kNoProgram, EACCES)), 126);
  EXPECT_EQ(ExitCodeOf(EndedWith(Ending::kNoFolder, ENOENT)), 126);
  EXPECT_EQ(ExitCodeOf(EndedWith(Ending::kNoProcess, EAGAIN)), 126);
}

TEST(CommandRecord, ReasonsAreOneLine) {
  EXPECT_EQ(ReasonOf(EndedWith(Ending::kExited, 3)), "exit code 3");
  EXPECT_EQ(ReasonOf(EndedWith(Ending::kExited, 2, "", "first\nno such\x1b file\n \n")),
            "exit code 2: no such? file");
  EXPECT_EQ(ReasonOf(EndedWith(Ending::kSignalled, 11)), "ended by signal 11");
  EXPECT_EQ(ReasonOf(EndedWith(Ending::kNoProgram, ENOENT)),
            "cannot be started: No such file or directory");
  EXPECT_EQ(ReasonOf(EndedWith(Ending::kNoFolder, ENOENT)),
            "cannot be started in its working directory: No such file or directory");
}

TEST(CommandRow, HasWhatIsKnown) {
  Ended ended = EndedWith(Ending::kExited, 0, "out", "err");
  ended.wall_nanoseconds = 1'234'567'890;
  EXPECT_EQ(RowOf({5, "a b", TaskRecord{2, "pi", ended}, std::nullopt}),
            json::parse(R"({"index": 5, "status": "succeeded", "exitCode": 0, "argument": "a b",
                "node": "pi", "seconds": 1.234568, "attempts": 2, "stdout": "out",
                "stderr": "err"})"));
  ended = EndedWith(Ending::kSignalled, 9);
  ended.output_cut = ended.error_cut = true;
  EXPECT_EQ(RowOf({6, std::nullopt, TaskRecord{1, "pi", ended}, "ended by signal 9"}),
            json::parse(R"({"index": 6, "status": "failed", "exitCode": 137, "signal": 9,
                "reason": "ended by signal 9", "node": "pi", "seconds": 0.0, "attempts": 1,
                "stdout": "", "stderr": "", "stdoutCut": true, "stderrCut": true})"));
  EXPECT_EQ(RowOf({7, std::nullopt, std::nullopt, "took longer than 5 s"}),
            json::parse(R"({"index": 7, "status": "failed", "reason": "took longer than 5 s"})"));
}

TEST(CommandRow, BytesThatAreNotTextAreMarked) {
  const auto shown = [](const std::string& output, bool cut) {
    Ended ended = EndedWith(Ending::kExited, 0, output);
    ended.output_cut = cut;
    return RowOf({0, std::nullopt, TaskRecord{1, "pi", ended}, std::nullopt})["stdout"]
        .get<std::string>();
  };
  EXPECT_EQ(shown("\xff\xfe|\xc3", false), "\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd");
  EXPECT_EQ(shown(std::string("\0\x7f\"\\", 4), false), std::string("\0\x7f\"\\", 4));
  // A character that the limit has cut in two is left out; one that was wrong before is shown.
  EXPECT_EQ(shown("gr\xc3\xbc\xc3", true), "gr\xc3\xbc");
  EXPECT_EQ(shown("\xe2\x82", true), "");
  EXPECT_EQ(shown("\xf0\x9f\x99\x82", true), "\xf0\x9f\x99\x82");
  EXPECT_EQ(shown("a\x82\x82\x82\x82", true).size(), 13u);
}

class CommandResults : public ::testing::Test {
 protected:
  static constexpr std::int64_t kTasks = 500;

  [[nodiscard]] static std::string ResultOf(model::TaskIndex task) {
    return RecordOf(
        EndedWith(Ending::kExited, 0, std::string(static_cast<std::size_t>(task % 97), 'x')));
  }
  [[nodiscard]] static bool Fails(model::TaskIndex task) { return task % 50 == 7; }

  std::string Reduce(const std::vector<model::IndexRange>& ranges, bool failures_first) {
    const auto workload =
        MakeOrFail("command", R"({"command": ["ls"], "tasks": )" + std::to_string(kTasks) + "}");
    const auto reducer = workload->MakeReducer();
    EXPECT_TRUE(reducer->Begin(folder_.Path()));
    if (failures_first) AddFailures(*reducer);
    for (const model::IndexRange range : ranges) {
      for (model::TaskIndex begin = range.begin; begin < range.end;) {
        model::TaskIndex end = begin;
        model::PackedResults results;
        while (end < range.end && !Fails(end)) results.Append(ResultOf(end++));
        if (begin < end) {
          EXPECT_TRUE(reducer->Add({begin, end}, results));
        }
        begin = end + 1;
      }
    }
    if (!failures_first) AddFailures(*reducer);
    const auto result = reducer->Finish(folder_.Path());
    return result ? *result : result.error().message;
  }
  [[nodiscard]] std::string Table() const {
    std::ifstream file(folder_.Path() / "results.jsonl");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  TempFolder folder_;

 private:
  static void AddFailures(Reducer& reducer) {
    for (model::TaskIndex task = 0; task < kTasks; ++task) {
      if (!Fails(task)) continue;
      TaskFailure failure{"exit code 3", 3, RecordOf(EndedWith(Ending::kExited, 3), 2)};
      if (task == 7) failure = {"took too long", std::nullopt, ""};
      EXPECT_TRUE(reducer.AddFailed(task, failure));
    }
  }
};

TEST_F(CommandResults, AreTheSameInWhateverOrderTheyCome) {
  const std::string result = Reduce({{0, kTasks}}, false);
  EXPECT_EQ(result, R"({"succeeded":490,"failed":10,"exitCodes":{"0":490,"3":9}})");
  const std::string table = Table();
  const auto lines = LinesOf(folder_.Path() / "results.jsonl");
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(kTasks));
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const auto task = static_cast<model::TaskIndex>(n);
    EXPECT_EQ(lines[n]["index"], task);
    EXPECT_EQ(lines[n]["status"], Fails(task) ? "failed" : "succeeded");
    if (!Fails(task)) {
      EXPECT_EQ(lines[n]["stdout"].get<std::string>().size(), n % 97);
    }
  }
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    EXPECT_EQ(Reduce(ShuffledRanges(kTasks, 9, seed), seed % 2 == 0), result);
    EXPECT_EQ(Table(), table);
  }
}

TEST_F(CommandResults, LeaveNothingElseBehind) {
  Reduce({{0, kTasks}}, false);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.Path()), {}), 1);
}

TEST_F(CommandResults, AreRefusedIfMalformed) {
  const auto workload = MakeOrFail("command", R"({"command": ["ls"], "tasks": 2})");
  const auto reducer = workload->MakeReducer();
  ASSERT_TRUE(reducer->Begin(folder_.Path()));
  model::PackedResults results;
  results.Append("nonsense");
  const auto added = reducer->Add({1, 2}, results);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().message, "task 1: its result is not a record of a command");
}

TEST_F(CommandResults, ReportsAMissingFolder) {
  const auto workload = MakeOrFail("command", R"({"command": ["ls"], "tasks": 2})");
  const auto begun = workload->MakeReducer()->Begin(folder_.Path() / "none");
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace evenkeel::workloads::command
