#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "core/base/rng.h"
#include "tests/unit/workloads/job_run.h"
#include "workloads/built_in.h"
#include "workloads/command/learned_costs.h"
#include "workloads/command/task_record.h"

namespace evenkeel::workloads::command {
namespace {

using Named = std::vector<std::pair<std::string, double>>;

class CommandCosts : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
  }
  [[nodiscard]] std::filesystem::path Path(const std::string& name) const {
    return folder_.Path() / name;
  }
  /// `parameters` without the braces.
  [[nodiscard]] Result<std::shared_ptr<const Workload>> Make(const std::string& parameters,
                                                             bool confined = false) const {
    return BuiltInWorkloads().Make("command", R"({"command": ["ls"], )" + parameters + "}",
                                   {folder_.Path(), false, confined, Path("learned/p.costs")});
  }
  [[nodiscard]] std::string ErrorOf(const std::string& parameters, bool confined = false) const {
    const auto made = Make(parameters, confined);
    return made ? "" : made.error().message;
  }
  [[nodiscard]] std::vector<model::Cost> CostsOf(const std::string& parameters) const {
    const auto made = Make(parameters);
    EXPECT_TRUE(made) << made.error().message;
    if (!made) return {};
    const auto costs = (*made)->Costs();
    EXPECT_EQ(costs->TaskCount(), (*made)->TaskCount());
    if (!costs->Known()) return {};
    std::vector<model::Cost> each;
    for (model::TaskIndex task = 0; task < costs->TaskCount(); ++task) {
      each.push_back(costs->Of({task, task + 1}));
    }
    return each;
  }

 private:
  TempFolder folder_;
};

TEST_F(CommandCosts, AreUnknownUnlessTheManifestSaysWhereTheyAre) {
  EXPECT_TRUE(CostsOf(R"("tasks": 3)").empty());
}

TEST_F(CommandCosts, AColumnOfTheFileIsNotPassedOn) {
  Write("list.tsv", "7\tone\n0.5\ttwo words\tmore\r\n1e3\tthree\n0\tx\n");
  const std::string first = R"("argumentsFile": "list.tsv", "cost": {"column": 1})";
  EXPECT_EQ(CostsOf(first), (std::vector<model::Cost>{7'000, 500, 1'000'000, 1}));
  const auto made = Make(first);
  EXPECT_EQ((*made)->InputOf(0), "one");
  EXPECT_EQ((*made)->InputOf(1), "two words\tmore");

  Write("list.tsv", "one\t7\nmore\t2\tparts\n");
  const std::string second = R"("argumentsFile": "list.tsv", "cost": {"column": 2})";
  EXPECT_EQ(CostsOf(second), (std::vector<model::Cost>{7'000, 2'000}));
  EXPECT_EQ((*Make(second))->InputOf(0), "one");
  EXPECT_EQ((*Make(second))->InputOf(1), "more\tparts");
}

TEST_F(CommandCosts, EachMistakeInAColumnNamesItsLine) {
  const std::string parameters = R"("argumentsFile": "list.tsv", "cost": {"column": 2})";
  for (const auto& [text, want] : std::map<std::string, std::string>{
           {"a\t1\nb\n", "line 2: must have a cost in column 2; columns are separated by tabs"},
           {"a\tnan\n", "line 1: column 2: must be a number from 0 to 1e+12, is \"nan\""},
           {"a\tinf\n", "line 1: column 2: must be a number from 0 to 1e+12, is \"inf\""},
           {"a\t-1\n", "line 1: column 2: must be a number from 0 to 1e+12, is \"-1\""},
           {"a\t2e12\n", "line 1: column 2: must be a number from 0 to 1e+12, is \"2e12\""},
           {"a\t\n", "line 1: column 2: must be a number from 0 to 1e+12, is \"\""},
           {"a\t1 \n", "line 1: column 2: must be a number from 0 to 1e+12, is \"1 \""},
           {"\t1\n", "line 1: must have an argument beside the cost in column 2"}}) {
    Write("list.tsv", text);
    EXPECT_EQ(ErrorOf(parameters),
              "spec.workload.command.argumentsFile: " + Path("list.tsv").string() + ": " + want);
  }
}

TEST_F(CommandCosts, AListHasOneCostPerTask) {
  EXPECT_EQ(CostsOf(R"("arguments": ["a", "b"], "cost": {"list": [3, 0.0004]})"),
            (std::vector<model::Cost>{3'000, 1}));
  EXPECT_EQ(CostsOf(R"("tasks": 2, "cost": {"list": [1, 2]})"),
            (std::vector<model::Cost>{1'000, 2'000}));
}

TEST_F(CommandCosts, FilesCostTheirBytes) {
  Write("small", "");
  Write("large", std::string(5'000, 'x'));
  EXPECT_EQ(CostsOf(R"("arguments": ["small", "large"], "cost": {"fileSize": true})"),
            (std::vector<model::Cost>{1, 5'000}));
  EXPECT_EQ(ErrorOf(R"("arguments": ["small", "none"], "cost": {"fileSize": true})"),
            "spec.workload.command.cost: argument 1, \"none\": there is no such file");
  EXPECT_EQ(ErrorOf(R"("arguments": ["."], "cost": {"fileSize": true})"),
            "spec.workload.command.cost: argument 0, \".\": is no ordinary file");
  std::filesystem::create_symlink("/etc/passwd", Path("link"));
  for (const char* outside : {"/etc/passwd", "../../etc/passwd", "link"}) {
    const std::string error =
        ErrorOf(std::string(R"("arguments": [")") + outside + R"("], "cost": {"fileSize": true})",
                /*confined=*/true);
    EXPECT_NE(error.find("leads out of the folder of the job's inputs"), std::string::npos)
        << error;
  }
}

TEST_F(CommandCosts, EachMistakeIsOneClearLine) {
  const std::string one = "must have exactly one of column, list, fileSize: true, learned: true";
  ExpectRefused(
      "command",
      {{R"({"command": ["ls"], "tasks": 1, "cost": {}})", ("cost: " + one).c_str()},
       {R"({"command": ["ls"], "tasks": 1, "cost": {"list": [1], "learned": true}})",
        ("cost: " + one).c_str()},
       {R"({"command": ["ls"], "tasks": 1, "cost": {"learned": false}})", ("cost: " + one).c_str()},
       {R"({"command": ["ls"], "tasks": 1, "cost": 3})", "cost: must be an object, is 3"},
       {R"({"command": ["ls"], "tasks": 1, "cost": {"column": 0}})",
        "cost.column: must be a whole number from 1 to 1000, is 0"},
       {R"({"command": ["ls"], "tasks": 1, "cost": {"column": 1}})",
        "cost.column: needs argumentsFile, of which it is a column"},
       {R"({"command": ["ls"], "tasks": 2, "cost": {"list": [1]}})",
        "cost.list: must have one cost per task, 2, has 1"},
       {R"({"command": ["ls"], "tasks": 1, "cost": {"list": [-1]}})",
        "cost.list[0]: must be a number from 0 to 1e+12, is -1"},
       {R"({"command": ["ls"], "tasks": 1, "cost": {"fileSize": true}})",
        "cost.fileSize: needs arguments or argumentsFile, which name the files"},
       {R"({"command": ["ls"], "arguments": ["x"], "cost": {"fileSize": true}})",
        "cost.fileSize: needs spec.inputs, which must contain the files"},
       {R"({"command": ["ls"], "tasks": 1, "cost": {"list": [1], "size": 1}})",
        "cost.size: unknown field, known are column, list, fileSize, learned"}});
  std::string most = "1e12";
  for (int n = 1; n < 5'000; ++n) most += ",1e12";
  EXPECT_EQ(ErrorOf(R"("tasks": 5000, "cost": {"list": [)" + most + "]}"),
            "spec.workload.command.cost: must be smaller: their sum does not fit");
}

TEST_F(CommandCosts, WorkersDoNotGetThem) {
  const auto parameters =
      (*Make(R"("arguments": ["a"], "cost": {"list": [123]})"))->WorkerParameters();
  EXPECT_EQ(parameters->find("cost"), std::string::npos);
}

TEST_F(CommandCosts, LearnedOnesAreThoseOfEarlierRuns) {
  const std::string parameters = R"("arguments": ["a", "b", "c"], "cost": {"learned": true})";
  EXPECT_TRUE(CostsOf(parameters).empty());
  const auto first = *Make(parameters);
  // Node "slow" takes 10 times as long for the same.
  const auto record = [](const char* node, double seconds) {
    TaskRecord done{1, node, {}};
    done.ended.wall_nanoseconds = static_cast<std::uint64_t>(seconds * 1e9);
    std::string bytes;
    AppendRecord(done, bytes);
    return bytes;
  };
  TempFolder results;
  const auto reduce = [&](const Workload& workload, const std::vector<std::string>& records) {
    const auto reducer = workload.MakeReducer();
    ASSERT_TRUE(reducer->Begin(results.Path()));
    model::PackedResults packed;
    for (const auto& bytes : records) packed.Append(bytes);
    ASSERT_TRUE(reducer->Add({0, static_cast<model::TaskIndex>(records.size())}, packed));
    ASSERT_TRUE(reducer->Finish(results.Path()));
  };
  reduce(*first, {record("one", 4), record("one", 2), record("one", 2)});
  const auto costs = CostsOf(parameters);
  ASSERT_EQ(costs.size(), 3U);
  EXPECT_NEAR(static_cast<double>(costs[0]) / static_cast<double>(costs[1]), 2, 0.01);
  EXPECT_EQ(costs[1], costs[2]);

  // A new argument has the mean of the others.
  const auto more = CostsOf(R"("arguments": ["c", "new", "a"], "cost": {"learned": true})");
  EXPECT_EQ(more[0], costs[2]);
  EXPECT_EQ(more[2], costs[0]);
  EXPECT_NEAR(static_cast<double>(more[1]), static_cast<double>(costs[0] + costs[2]) / 2, 1);

  // The costs of a run that goes by learned ones have the same unit.
  reduce(**Make(parameters), {record("one", 8), record("one", 4), record("one", 4)});
  const auto again = CostsOf(parameters);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_NEAR(static_cast<double>(again[n]), static_cast<double>(costs[n]), 3);
  }
}

TEST_F(CommandCosts, NothingIsKeptUnlessTheJobLearns) {
  const auto made = *Make(R"("tasks": 1)");
  TempFolder results;
  const auto reducer = made->MakeReducer();
  ASSERT_TRUE(reducer->Begin(results.Path()));
  ASSERT_TRUE(reducer->Finish(results.Path()));
  EXPECT_FALSE(std::filesystem::exists(Path("learned")));
}

TEST(LearnedCosts, TheNewestAreKept) {
  TempFolder folder;
  const auto file = folder.Path() / "deep" / "p.costs";
  ASSERT_TRUE(LearnedCosts::AddTo(file, {{"a", 1}, {"b", 2}, {"a", 9}, {"bad", NAN}, {"zero", 0}}));
  ASSERT_TRUE(LearnedCosts::AddTo(file, {{"b", 5}, {"c", 7}}));
  const LearnedCosts read = LearnedCosts::Read(file);
  EXPECT_EQ(read.Count(), 3U);
  EXPECT_EQ(read.Of("a"), 1);
  EXPECT_EQ(read.Of("b"), 5);
  EXPECT_EQ(read.Of("c"), 7);
  EXPECT_EQ(read.Of("bad"), std::nullopt);
}

TEST(LearnedCosts, OnlySoManyAreKept) {
  TempFolder folder;
  const auto file = folder.Path() / "p.costs";
  ASSERT_TRUE(LearnedCosts::AddTo(file, {{"old", 1}}));
  Named many;
  for (std::size_t n = 0; n < LearnedCosts::kMaxArguments; ++n) {
    many.emplace_back(std::to_string(n), 2);
  }
  ASSERT_TRUE(LearnedCosts::AddTo(file, many));
  const LearnedCosts read = LearnedCosts::Read(file);
  EXPECT_EQ(read.Count(), LearnedCosts::kMaxArguments);
  EXPECT_EQ(read.Of("old"), std::nullopt);
  EXPECT_EQ(read.Of("99999"), 2);
  EXPECT_LT(std::filesystem::file_size(file), 8U << 20);
}

TEST(LearnedCosts, ADamagedFileHasNone) {
  TempFolder folder;
  const auto file = folder.Path() / "p.costs";
  EXPECT_EQ(LearnedCosts::Read(file).Count(), 0U);
  const auto count_of = [&file](const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
    return LearnedCosts::Read(file).Count();
  };
  const std::string head = "evenkeel learned costs, version 1\n";
  EXPECT_EQ(count_of("evenkeel learned costs, version 2\n0000000000000001 1\n"), 0U);
  EXPECT_EQ(count_of(head), 0U);
  EXPECT_EQ(count_of(head + "0000000000000001 1"), 1U);
  EXPECT_EQ(count_of(head + "0000000000000001 -1\n0000000000000002 nan\n000000000000000x 1\n\n1 1\n"
                            "0000000000000003\n0000000000000004 "),
            0U);
}

// 3 nodes of speeds 4, 2 and 1 run tasks with log-normal costs: the learned costs are the true
// ones, but for a common factor.
TEST(ObservedTimes, NodesDoNotCountAsCosts) {
  Rng rng(7);
  const double speeds[] = {4, 2, 1};
  std::vector<double> truth;
  ObservedTimes times;
  for (model::TaskIndex task = 0; task < 600; ++task) {
    const auto node = static_cast<std::size_t>(rng.Between(0, 2));
    truth.push_back(std::exp(rng.Uniform(-1, 1)));
    times.Add(task, "node-" + std::to_string(node), truth.back() / speeds[node]);
  }
  double least = 1e9;
  double most = 0;
  for (const auto& [task, cost] : times.Costs(model::UnitCosts(600))) {
    const double factor = cost / truth[static_cast<std::size_t>(task)];
    least = std::min(least, factor);
    most = std::max(most, factor);
  }
  EXPECT_LT(most / least, 1.2);
}

// With costs known before, few tasks per node suffice.
TEST(ObservedTimes, KnownCostsTellNodesApart) {
  ObservedTimes times;
  const std::vector<model::Cost> known{1'000, 4'000, 1'000, 4'000};
  times.Add(0, "fast", 1);
  times.Add(1, "fast", 4);
  times.Add(2, "slow", 10);
  times.Add(3, "slow", 40);
  const auto costs = times.Costs(model::PrefixCosts(known));
  ASSERT_EQ(costs.size(), 4U);
  for (const auto& [task, cost] : costs) {
    const auto before = static_cast<double>(known[static_cast<std::size_t>(task)]);
    EXPECT_NEAR(cost / costs[0].second, before / 1'000, 0.01);
  }
}

// Nodes that do not differ more than chance explains: a long task that was alone on its node is
// long.
TEST(ObservedTimes, ALongTaskAloneOnItsNodeIsLong) {
  ObservedTimes times;
  for (model::TaskIndex task = 0; task < 8; ++task) {
    times.Add(task, "a", task % 2 == 0 ? 1 : 6);
    times.Add(8 + task, "b", task % 2 == 0 ? 6 : 1);
  }
  times.Add(16, "c", 6);
  std::map<model::TaskIndex, double> costs;
  for (const auto& [task, cost] : times.Costs(model::UnitCosts(17))) costs[task] = cost;
  EXPECT_GT(costs[16], 3 * costs[0]);
}

TEST(ObservedTimes, NothingFollowsFromNothing) {
  ObservedTimes times;
  times.Add(0, "a", 0);
  times.Add(0, "a", NAN);
  EXPECT_TRUE(times.Costs(model::UnitCosts(1)).empty());
}

}  // namespace
}  // namespace evenkeel::workloads::command
