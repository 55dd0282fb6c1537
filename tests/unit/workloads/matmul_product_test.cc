#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/base/splitmix.h"
#include "tests/unit/workloads/job_run.h"
#include "workloads/built_in.h"
#include "workloads/matmul/freivalds.h"
#include "workloads/matmul/matmul_reducer.h"
#include "workloads/matmul/matrix.h"
#include "workloads/npy.h"

namespace evenkeel::workloads {
namespace {

using matmul::ElementType;

std::string Parameters(std::int64_t rows, std::int64_t depth, std::int64_t columns,
                       const nlohmann::json& more) {
  const auto matrix = [](std::int64_t high, std::int64_t wide, int seed) {
    return nlohmann::json{{"random", {{"rows", high}, {"columns", wide}, {"seed", seed}}}};
  };
  nlohmann::json parameters = more;
  parameters["a"] = matrix(rows, depth, 1);
  parameters["b"] = matrix(depth, columns, 2);
  return parameters.dump();
}

std::string BytesOfFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <typename Number>
std::vector<Number> RandomElement(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  const auto type = sizeof(Number) == 4 ? ElementType::kFloat32 : ElementType::kFloat64;
  std::vector<char> bytes(static_cast<std::size_t>(rows * columns) * sizeof(Number));
  EXPECT_TRUE(matmul::MakeRandomMatrix(rows, columns, type, seed)
                  ->Read({0, 0, rows, columns}, bytes)
                  .has_value());
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

/// |C - A B| <= gamma_k |A| |B| in every element (Higham 2002, section 3.5).
template <typename Number>
void ExpectProduct(std::int64_t rows, std::int64_t depth, std::int64_t columns,
                   const std::filesystem::path& folder) {
  const auto a = RandomElement<Number>(rows, depth, 1);
  const auto b = RandomElement<Number>(depth, columns, 2);
  const std::string file = BytesOfFile(folder / "c.npy");
  const std::size_t bytes = static_cast<std::size_t>(rows * columns) * sizeof(Number);
  ASSERT_GT(file.size(), bytes);
  std::vector<Number> c(static_cast<std::size_t>(rows * columns));
  std::memcpy(c.data(), file.data() + file.size() - bytes, bytes);
  const auto at = [](std::int64_t row, std::int64_t column, std::int64_t wide) {
    return static_cast<std::size_t>(row * wide + column);
  };
  const double unit = static_cast<double>(std::numeric_limits<Number>::epsilon()) / 2;
  const double gamma = static_cast<double>(depth) * unit / (1 - static_cast<double>(depth) * unit);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      long double sum = 0;
      long double absolute = 0;
      for (std::int64_t n = 0; n < depth; ++n) {
        const long double term = static_cast<long double>(a[at(row, n, depth)]) *
                                 static_cast<long double>(b[at(n, column, columns)]);
        sum += term;
        absolute += std::fabs(term);
      }
      const auto found = static_cast<long double>(c[at(row, column, columns)]);
      ASSERT_LE(std::fabs(found - sum), static_cast<long double>(gamma) * absolute * 1.001L)
          << row << ", " << column;
    }
  }
}

TEST(MatmulProduct, IsRightWithinTheBoundOfRounding) {
  struct Case {
    std::int64_t rows, depth, columns;
    nlohmann::json more;
  };
  const nlohmann::json tile{{"tile", {{"rows", 7}, {"columns", 5}, {"depth", 11}}}};
  const nlohmann::json square{
      {"aggregation", {{"pattern", "Square"}, {"block", 6}, {"factor", 3}}}};
  const nlohmann::json row{{"aggregation", {{"pattern", "Row"}, {"block", 6}, {"factor", 3}}}};
  const nlohmann::json none{{"aggregation", {{"pattern", "None"}, {"block", 6}}}};
  for (const Case& each : {Case{1, 1, 1, nlohmann::json::object()}, Case{1, 97, 1, tile},
                           Case{31, 37, 41, tile}, Case{31, 37, 41, square}, Case{31, 37, 41, row},
                           Case{31, 37, 41, none}, Case{150, 131, 140, nlohmann::json::object()}}) {
    for (const char* type : {"Float32", "Float64"}) {
      nlohmann::json more = each.more;
      more["type"] = type;
      const auto parameters = Parameters(each.rows, each.depth, each.columns, more);
      SCOPED_TRACE(parameters);
      const auto product = MakeOrFail("matmul", parameters);
      const TempFolder folder;
      const auto ranges = ShuffledRanges(product->TaskCount(), 3, 5);
      const auto result = nlohmann::json::parse(RunJob(*product, ranges, folder.Path()));
      EXPECT_EQ(result["freivalds"], "passed");
      if (std::string(type) == "Float32") {
        ExpectProduct<float>(each.rows, each.depth, each.columns, folder.Path());
      } else {
        ExpectProduct<double>(each.rows, each.depth, each.columns, folder.Path());
      }
    }
  }
}

TEST(MatmulProduct, DoesNotDependOnTheOrderOfPartialSums) {
  const auto product = MakeOrFail(
      "matmul", Parameters(20, 500, 30, {{"tile", {{"rows", 9}, {"columns", 10}, {"depth", 40}}}}));
  std::string first;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const TempFolder folder;
    static_cast<void>(
        RunJob(*product, ShuffledRanges(product->TaskCount(), 2, seed), folder.Path()));
    const std::string bytes = BytesOfFile(folder.Path() / "c.npy");
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first);
  }
}

TEST(MatmulProduct, WorkersDivideItAsTheCoordinatorDoes) {
  const auto here = MakeOrFail("matmul", Parameters(300, 200, 100, {{"type", "Float32"}}));
  const auto there = BuiltInWorkloads().Make("matmul", *here->WorkerParameters(), {{}, true});
  ASSERT_TRUE(there.has_value()) << there.error().message;
  EXPECT_EQ((*there)->TaskCount(), here->TaskCount());
  for (const model::TaskIndex task : {std::int64_t{0}, here->TaskCount() - 1}) {
    EXPECT_EQ(ResultOf(**there, task), ResultOf(*here, task));
  }
}

/// Gives blocks of a workload at the coordinator, and counts them.
class CountingFetcher final : public BlockFetcher {
 public:
  explicit CountingFetcher(const Workload& home) : blocks_(*home.Blocks()) {}
  void Fetch(BlockId id, std::span<char> into, Done done) override {
    ++fetched_;
    done(blocks_.Read(id, 0, into));
  }
  [[nodiscard]] int Fetched() const { return fetched_; }

 private:
  const BlockSource& blocks_;
  int fetched_ = 0;
};

/// A job of two files, and workers of it.
class MatmulLocalFiles : public testing::Test {
 protected:
  void SetUp() override { MakeHome(temporary_.Path()); }

  void MakeHome(const std::filesystem::path& folder) {
    folder_ = folder;
    std::filesystem::create_directories(folder_);
    Write("a.npy", 90, 130, 1);
    Write("b.npy", 130, 70, 2);
    WorkloadContext context = Home();
    context.workers_are_local = true;
    const auto made = BuiltInWorkloads().Make("matmul",
                                              R"({"a": {"file": "a.npy"}, "b": {"file": "b.npy"},
                                    "tile": {"rows": 40, "columns": 30}})",
                                              context);
    ASSERT_TRUE(made.has_value()) << made.error().message;
    home_ = *made;
  }

  [[nodiscard]] WorkloadContext Home() const {
    WorkloadContext context;
    context.folder = folder_;
    return context;
  }

  void Write(const std::string& name, std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
    std::string bytes(static_cast<std::size_t>(rows * columns) * sizeof(float), '\0');
    ASSERT_TRUE(matmul::MakeRandomMatrix(rows, columns, ElementType::kFloat32, seed)
                    ->Read({0, 0, rows, columns}, bytes)
                    .has_value());
    std::ofstream(folder_ / name, std::ios::binary)
        << NpyHeader(NpyType::kFloat32, {rows, columns}) << bytes;
  }

  [[nodiscard]] std::shared_ptr<const Workload> Worker(bool reads_blocks_locally) const {
    WorkloadContext context;
    context.at_worker = true;
    context.reads_blocks_locally = reads_blocks_locally;
    const auto made = BuiltInWorkloads().Make("matmul", *home_->WorkerParameters(), context);
    EXPECT_TRUE(made.has_value()) << made.error().message;
    return *made;
  }

  /// The results of all tasks at a worker, one after the other.
  static std::string Run(const Workload& worker, BlockFetcher* fetcher) {
    RunnerOptions options;
    options.block_fetcher = fetcher;
    const auto runner = worker.MakeRunner(options);
    std::string results;
    for (model::TaskIndex task = 0; task < worker.TaskCount(); ++task) {
      std::string result;
      TaskFailure failure;
      EXPECT_EQ(runner->Run({task, 0, {}}, {}, result, failure), TaskOutcome::kDone)
          << failure.reason;
      results += result;
    }
    return results;
  }

  TempFolder temporary_;
  std::filesystem::path folder_;
  std::shared_ptr<const Workload> home_;
};

TEST_F(MatmulLocalFiles, GiveTheSameBytesAsBlocksThatAreFetched) {
  CountingFetcher fetcher(*home_);
  const std::string fetched = Run(*Worker(false), &fetcher);
  EXPECT_GT(fetcher.Fetched(), 0);
  EXPECT_EQ(Run(*Worker(true), nullptr), fetched);
}

TEST_F(MatmulLocalFiles, MayBeInAFolderWhoseNameIsNotUtf8) {
  MakeHome(temporary_.Path() / "caf\xe9");
  CountingFetcher fetcher(*home_);
  EXPECT_EQ(Run(*Worker(true), nullptr), Run(*Worker(false), &fetcher));
}

TEST_F(MatmulLocalFiles, ThatHaveChangedAreFetched) {
  CountingFetcher fetcher(*home_);
  const std::string before = Run(*Worker(false), &fetcher);
  std::filesystem::remove(folder_ / "a.npy");  // the coordinator has it open
  Write("a.npy", 90, 131, 3);
  CountingFetcher again(*home_);
  EXPECT_EQ(Run(*Worker(true), &again), before);
  EXPECT_EQ(again.Fetched() * 2, fetcher.Fetched()) << "a is fetched, b is read";
}

TEST_F(MatmulLocalFiles, ThatBecomeShorterFailTheTask) {
  const auto worker = Worker(true);
  std::filesystem::resize_file(folder_ / "b.npy", 200);
  std::string result;
  TaskFailure failure;
  EXPECT_EQ(worker->MakeRunner({})->Run({0, 0, {}}, {}, result, failure), TaskOutcome::kFailed);
  EXPECT_EQ(failure.reason, "cannot get its input: b.npy has become shorter");
}

TEST_F(MatmulLocalFiles, AreNotNamedWhereWorkersAreElsewhere) {
  const auto made = BuiltInWorkloads().Make(
      "matmul", R"({"a": {"file": "a.npy"}, "b": {"file": "b.npy"}})", Home());
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ((*made)->WorkerParameters()->find("npy"), std::string::npos);
}

TEST(MatmulProduct, CostsAreFloatingPointOperations) {
  const auto product = MakeOrFail("matmul", Parameters(300, 200, 100, nlohmann::json::object()));
  EXPECT_EQ(product->Costs()->Total(), 2 * 300 * 200 * 100);
  EXPECT_EQ(product->BytesOnDisk(), 2 * 300 * 100 * 8);
}

TEST(MatmulProduct, AResultOfTheWrongSizeIsRefused) {
  const auto product = MakeOrFail("matmul", Parameters(3, 3, 3, nlohmann::json::object()));
  const TempFolder folder;
  const auto reducer = product->MakeReducer();
  ASSERT_TRUE(reducer->Begin(folder.Path()).has_value());
  const auto added = reducer->Add({0, 1}, model::PackedResults::OfEqualSize(1, 8, "12345678"));
  ASSERT_FALSE(added.has_value());
  EXPECT_EQ(added.error().message, "task 0: its result has 8 bytes instead of 72");
}

TEST(MatmulProduct, IsNotWrittenWithoutTheTasksThatFailed) {
  const auto product =
      MakeOrFail("matmul", Parameters(20, 5, 3, {{"tile", {{"rows", 10}, {"columns", 3}}}}));
  ASSERT_EQ(product->TaskCount(), 2);
  const TempFolder folder;
  EXPECT_EQ(RunJob(*product, {{0, 1}}, folder.Path()), "the product is not whole: 1 tasks failed");
  EXPECT_FALSE(std::filesystem::exists(folder.Path() / "c.npy"));
}

/// Words from which Freivalds' vector is made.
std::vector<std::uint64_t> Words(std::int64_t count, std::uint64_t seed) {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(count));
  for (std::size_t n = 0; n < words.size(); ++n) words[n] = SplitMixAt(seed, n);
  return words;
}

template <typename Number>
void ExpectWrongElementsAreFound(ElementType type) {
  constexpr std::int64_t kEdge = 40;
  const auto a = matmul::MakeRandomMatrix(kEdge, kEdge, type, 1);
  const auto b = matmul::MakeRandomMatrix(kEdge, kEdge, type, 2);
  const auto left = RandomElement<Number>(kEdge, kEdge, 1);
  const auto right = RandomElement<Number>(kEdge, kEdge, 2);
  std::vector<Number> c(kEdge * kEdge);
  for (std::size_t row = 0; row < kEdge; ++row) {
    for (std::size_t column = 0; column < kEdge; ++column) {
      for (std::size_t n = 0; n < kEdge; ++n) {
        c[row * kEdge + column] += left[row * kEdge + n] * right[n * kEdge + column];
      }
    }
  }
  const auto bytes = [&c] {
    std::vector<char> all(c.size() * sizeof(Number));
    std::memcpy(all.data(), c.data(), all.size());
    return all;
  };
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto check = matmul::FreivaldsCheck::Make(*a, *b, Words(kEdge, seed));
    ASSERT_TRUE(check.has_value());
    EXPECT_TRUE(check->RowsPass(0, bytes()));
    // One element that is off by more than rounding is found with any signs.
    const Number right_one = c[517];
    c[517] += static_cast<Number>(sizeof(Number) == 4 ? 0.01 : 1e-10);
    EXPECT_FALSE(check->RowsPass(0, bytes()));
    c[517] = std::numeric_limits<Number>::quiet_NaN();
    EXPECT_TRUE(check->RowsPass(0, bytes())) << "that says nothing";
    c[517] = right_one;
  }
}

template <typename Number>
void ExpectWrongWholeNumbersAreFound(ElementType type) {
  constexpr std::int64_t kEdge = 20;
  const auto a = matmul::MakeRandomMatrix(kEdge, kEdge, type, 1);
  const auto b = matmul::MakeRandomMatrix(kEdge, kEdge, type, 2);
  std::vector<char> left(kEdge * kEdge * sizeof(Number));
  std::vector<char> right(left.size());
  std::vector<Number> c(kEdge * kEdge);
  ASSERT_TRUE(a->Read({0, 0, kEdge, kEdge}, left).has_value());
  ASSERT_TRUE(b->Read({0, 0, kEdge, kEdge}, right).has_value());
  const auto element = [](const std::vector<char>& bytes, std::size_t row, std::size_t column) {
    Number number = 0;
    std::memcpy(&number, bytes.data() + (row * kEdge + column) * sizeof number, sizeof number);
    return number;
  };
  for (std::size_t row = 0; row < kEdge; ++row) {
    for (std::size_t column = 0; column < kEdge; ++column) {
      for (std::size_t n = 0; n < kEdge; ++n) {
        c[row * kEdge + column] += element(left, row, n) * element(right, n, column);
      }
    }
  }
  const auto check = matmul::FreivaldsCheck::Make(*a, *b, Words(kEdge, 1));
  ASSERT_TRUE(check.has_value());
  const auto pass = [&] {
    std::vector<char> all(c.size() * sizeof(Number));
    std::memcpy(all.data(), c.data(), all.size());
    return check->RowsPass(0, all);
  };
  EXPECT_TRUE(pass());
  for (const std::size_t at : {std::size_t{0}, std::size_t{77}, c.size() - 1}) {
    ++c[at];
    EXPECT_FALSE(pass()) << at;
    --c[at];
  }
}

/// Adds to each row an error in two columns that the signs of `words` cancel out. The second column
/// changes from row to row, so that other signs cancel out all errors only if they agree with those
/// of `words` in each column that was used.
std::string Forge(std::string c, std::size_t rows, std::size_t columns,
                  const std::vector<std::uint64_t>& words) {
  std::vector<std::size_t> opposite;  // columns whose sign differs from that of column 0
  for (std::size_t n = 1; n < columns; ++n) {
    if ((words[n] >> 63) != (words[0] >> 63)) opposite.push_back(n);
  }
  EXPECT_GE(opposite.size(), 50U) << "or chance decides";
  std::vector<double> elements(rows * columns);
  std::memcpy(elements.data(), c.data(), c.size());
  for (std::size_t row = 0; row < rows; ++row) {
    elements[row * columns] += 1;
    elements[row * columns + opposite[row % opposite.size()]] += 1;
  }
  std::memcpy(c.data(), elements.data(), c.size());
  return c;
}

// A worker that knows the vector can forge a product that passes; version 0.1 made it from this
// constant. The chance that the forged rows pass by luck is below 2^-49.
TEST(MatmulProduct, NoForgedProductPassesUnlessTheVectorIsKnown) {
  constexpr std::int64_t kEdge = 128;
  constexpr std::uint64_t kKnownSeed = 0x6672656976616c64;
  matmul::MatmulSpec spec;
  spec.shape = {kEdge, kEdge, kEdge, ElementType::kFloat64};
  spec.sizes = {kEdge, kEdge, kEdge, kEdge};
  spec.a = matmul::MakeRandomMatrix(kEdge, kEdge, ElementType::kFloat64, 1);
  spec.b = matmul::MakeRandomMatrix(kEdge, kEdge, ElementType::kFloat64, 2);
  const matmul::Division division(spec.shape, spec.sizes);
  const auto product = MakeOrFail(
      "matmul", Parameters(kEdge, kEdge, kEdge,
                           {{"tile", {{"rows", kEdge}, {"columns", kEdge}, {"depth", kEdge}}}}));
  ASSERT_EQ(product->TaskCount(), 1);
  model::PackedResults forged;
  forged.Append(Forge(ResultOf(*product, 0), kEdge, kEdge, Words(kEdge, kKnownSeed)));
  const auto finish = [&](Reducer& reducer) {
    const TempFolder folder;
    EXPECT_TRUE(reducer.Begin(folder.Path()).has_value());
    EXPECT_TRUE(reducer.Add({0, 1}, forged).has_value());
    const auto finished = reducer.Finish(folder.Path());
    return finished ? "passed" : finished.error().message;
  };
  const auto known = matmul::MakeMatmulReducer(spec, division, [](std::span<std::uint64_t> words) {
    const auto drawn = Words(kEdge, kKnownSeed);
    std::copy(drawn.begin(), drawn.end(), words.begin());
    return Result<void>();
  });
  EXPECT_EQ(finish(*known), "passed") << "or it is no forgery";
  EXPECT_EQ(finish(*matmul::MakeMatmulReducer(spec, division)),
            "the product is wrong: rows 0 to 127 fail Freivalds' check");
}

TEST(MatmulProduct, FreivaldsFindsWrongWholeNumbers) {
  ExpectWrongWholeNumbersAreFound<std::uint32_t>(ElementType::kInt32);
  ExpectWrongWholeNumbersAreFound<std::uint64_t>(ElementType::kInt64);
}

TEST(MatmulProduct, FreivaldsFindsWrongElements) {
  ExpectWrongElementsAreFound<float>(ElementType::kFloat32);
  ExpectWrongElementsAreFound<double>(ElementType::kFloat64);
}

}  // namespace
}  // namespace evenkeel::workloads
