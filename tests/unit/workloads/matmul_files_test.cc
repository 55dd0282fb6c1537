#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "tests/unit/workloads/job_run.h"
#include "workloads/matmul/matrix.h"
#include "workloads/matmul/matrix_blocks.h"
#include "workloads/npy.h"

namespace evenkeel::workloads::matmul {
namespace {

void Write(const std::filesystem::path& path, const std::string& header,
           const std::vector<double>& elements) {
  std::ofstream file(path, std::ios::binary);
  file << header;
  for (const double element : elements) {
    char bytes[sizeof element];
    std::memcpy(bytes, &element, sizeof element);
    file.write(bytes, sizeof bytes);
  }
}

std::vector<double> ToDoubles(const std::vector<char>& bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

std::vector<double> ReadAll(const Matrix& matrix, const Window& window) {
  std::vector<char> bytes(static_cast<std::size_t>(window.Elements()) * sizeof(double));
  EXPECT_TRUE(matrix.Read(window, bytes).has_value());
  return ToDoubles(bytes);
}

std::vector<double> Counting(int count) {
  std::vector<double> numbers;
  for (int n = 0; n < count; ++n) numbers.push_back(n);
  return numbers;
}

TEST(MatmulFiles, AreReadInRectangles) {
  const TempFolder folder;
  Write(folder.Path() / "a.npy", NpyHeader(NpyType::kFloat64, {4, 5}), Counting(20));
  const auto matrix = OpenNpyMatrix(folder.Path(), "a.npy", false);
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message;
  EXPECT_EQ((*matrix)->Rows(), 4);
  EXPECT_EQ((*matrix)->Columns(), 5);
  EXPECT_EQ(ReadAll(**matrix, {1, 2, 2, 3}), (std::vector<double>{7, 8, 9, 12, 13, 14}));
  EXPECT_EQ(ReadAll(**matrix, {0, 0, 4, 5}), Counting(20));
}

TEST(MatmulFiles, AreSeenInMemoryWhereTheyAreAligned) {
  const TempFolder folder;
  std::string header = NpyHeader(NpyType::kFloat64, {4, 5});
  Write(folder.Path() / "a.npy", header, Counting(20));
  const auto matrix = OpenNpyMatrix(folder.Path(), "a.npy", false);
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message;
  ASSERT_TRUE((*matrix)->IsMapped());
  const auto view = (*matrix)->View({1, 2, 2, 3});
  ASSERT_TRUE(view.has_value()) << view.error().message;
  EXPECT_EQ(view->row_stride, 5);
  const auto* const first = static_cast<const double*>(static_cast<const void*>(view->first));
  EXPECT_EQ(first[0], 7);
  EXPECT_EQ(first[5], 12);

  header.insert(header.size() - 1, " ");
  header[8] = static_cast<char>(header.size() - 10);
  Write(folder.Path() / "odd.npy", header, Counting(20));
  const auto odd = OpenNpyMatrix(folder.Path(), "odd.npy", false);
  ASSERT_TRUE(odd.has_value()) << odd.error().message;
  EXPECT_FALSE((*odd)->IsMapped());
  EXPECT_EQ(ReadAll(**odd, {1, 2, 2, 3}), (std::vector<double>{7, 8, 9, 12, 13, 14}));
}

TEST(MatmulFiles, OfLaterFormatsAreReadToo) {
  const TempFolder folder;
  const std::string dictionary = "{'shape':(1,2),'fortran_order':False,'descr':'<f8'}\n";
  std::string header("\x93NUMPY\x02\x00", 8);
  header += {static_cast<char>(dictionary.size()), 0, 0, 0};
  Write(folder.Path() / "a.npy", header + dictionary, {3, 4});
  const auto matrix = OpenNpyMatrix(folder.Path(), "a.npy", false);
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message;
  EXPECT_EQ(ReadAll(**matrix, {0, 0, 1, 2}), (std::vector<double>{3, 4}));
}

TEST(MatmulFiles, AFileThatLeadsOutOfTheInputsIsRefusedInACluster) {
  const TempFolder folder;
  Write(folder.Path() / "a.npy", NpyHeader(NpyType::kFloat64, {2, 2}), Counting(4));
  const auto inputs = folder.Path() / "inputs";
  std::filesystem::create_directory(inputs);
  std::filesystem::create_symlink("../a.npy", inputs / "a.npy");
  EXPECT_TRUE(OpenNpyMatrix(inputs, "a.npy", false).has_value());
  for (const auto& name : {std::filesystem::path("a.npy"), folder.Path() / "a.npy"}) {
    const auto matrix = OpenNpyMatrix(inputs, name, true);
    ASSERT_FALSE(matrix.has_value()) << name;
    EXPECT_EQ(matrix.error().message, "leads out of the folder of the job's inputs");
  }
}

TEST(MatmulFiles, AFileThatShrinksIsAnError) {
  const TempFolder folder;
  const auto path = folder.Path() / "a.npy";
  Write(path, NpyHeader(NpyType::kFloat64, {2, 2}), Counting(4));
  const auto matrix = OpenNpyMatrix({}, path, false);
  ASSERT_TRUE(matrix.has_value());
  std::filesystem::resize_file(path, 130);
  std::vector<char> bytes(32);
  const auto read = (*matrix)->Read({0, 0, 2, 2}, bytes);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().message, "a.npy has become shorter");
}

TEST(MatmulFiles, HeadersOfNonsenseAreRefused) {
  const TempFolder folder;
  const auto path = folder.Path() / "a.npy";
  const std::string good = NpyHeader(NpyType::kFloat64, {2, 2});
  for (std::size_t length = 0; length < good.size(); ++length) {
    Write(path, good.substr(0, length), {});
    EXPECT_FALSE(OpenNpyMatrix({}, path, false).has_value()) << length;
  }
  for (const std::string shape :
       {"(2)", "(2, 2, 2)", "(-2, 2)", "(99999999999999999999, 2)", "()"}) {
    std::string header = good;
    header.replace(header.find("(2, 2, )"), 8, shape);
    Write(path, header, Counting(4));
    EXPECT_FALSE(OpenNpyMatrix({}, path, false).has_value()) << shape;
  }
}

TEST(MatmulFiles, DrawnMatricesFollowFromSeedAndPlaceAlone) {
  // SplitMix64 of seed 1234567: 6457827717110365317, 3203168211198807973, ... (the published
  // reference values); their upper 53 bits as fractions.
  const auto matrix = MakeRandomMatrix(2, 2, ElementType::kFloat64, 1234567);
  const auto all = ReadAll(*matrix, {0, 0, 2, 2});
  EXPECT_EQ(all[0], static_cast<double>(6457827717110365317ULL >> 11) / (1ULL << 52) - 1);
  EXPECT_EQ(all[1], static_cast<double>(3203168211198807973ULL >> 11) / (1ULL << 52) - 1);
  EXPECT_EQ(ReadAll(*matrix, {1, 1, 1, 1}), (std::vector<double>{all[3]}));
}

TEST(MatmulFiles, PiecesOfBlocksAreTheBlock) {
  const Division division({7, 3, 11, ElementType::kFloat64}, {5, 3, 11, 4, 1});
  const MatrixBlocks blocks(division, MakeRandomMatrix(7, 11, ElementType::kFloat64, 1), nullptr);
  const BlockId id = division.BlockOf(Factor::kA, 0, 1);
  ASSERT_EQ(blocks.SizeOf(id), 5 * 4 * 8);
  EXPECT_EQ(blocks.SizeOf(division.BlockOf(Factor::kB, 0, 0)), 0) << "it is not here";
  std::vector<char> whole(160);
  ASSERT_TRUE(blocks.Read(id, 0, whole).has_value());
  for (const std::size_t size : {1U, 7U, 8U, 31U, 32U, 33U, 64U, 159U}) {
    for (std::size_t offset = 0; offset < whole.size(); offset += size) {
      std::vector<char> piece(std::min(size, whole.size() - offset));
      ASSERT_TRUE(blocks.Read(id, static_cast<std::int64_t>(offset), piece).has_value());
      EXPECT_EQ(std::memcmp(piece.data(), whole.data() + offset, piece.size()), 0);
    }
  }
}

}  // namespace
}  // namespace evenkeel::workloads::matmul
