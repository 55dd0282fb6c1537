#include "workloads/npy.h"

#include <gtest/gtest.h>

#include "tests/unit/workloads/job_run.h"

namespace evenkeel::workloads {
namespace {

TEST(Npy, WritesAnArrayOfOneDimension) {
  const TempFolder folder;
  const auto path = folder.Path() / "a.npy";
  auto writer = NpyWriter::Create(path, NpyType::kInt64, {3});
  ASSERT_TRUE(writer.has_value());
  for (const std::uint64_t element : {1u, 256u, 77u}) {
    ASSERT_TRUE((*writer)->Append(element).has_value());
  }
  EXPECT_FALSE(std::filesystem::exists(path)) << "half a file under the full name";
  ASSERT_TRUE((*writer)->Commit().has_value());

  const NpyFile npy = ReadNpy(path);
  EXPECT_EQ(npy.dictionary, "{'descr': '<i8', 'fortran_order': False, 'shape': (3, ), }");
  EXPECT_EQ(npy.data_offset % 64, 0u);
  EXPECT_EQ(npy.elements, (std::vector<std::uint64_t>{1, 256, 77}));
  EXPECT_FALSE(std::filesystem::exists(folder.Path() / ".a.npy.partial"));
}

TEST(Npy, WritesMoreThanItsBufferHolds) {
  const TempFolder folder;
  const auto path = folder.Path() / "a.npy";
  constexpr std::int64_t kRows = 50'000;
  auto writer = NpyWriter::Create(path, NpyType::kUint64, {kRows, 2});
  ASSERT_TRUE(writer.has_value());
  for (std::uint64_t i = 0; i < 2 * kRows; ++i) {
    ASSERT_TRUE((*writer)->Append(i << 40).has_value());
  }
  ASSERT_TRUE((*writer)->Commit().has_value());
  const NpyFile npy = ReadNpy(path);
  EXPECT_EQ(npy.dictionary, "{'descr': '<u8', 'fortran_order': False, 'shape': (50000, 2, ), }");
  ASSERT_EQ(npy.elements.size(), 2u * kRows);
  for (std::uint64_t i = 0; i < 2 * kRows; ++i) ASSERT_EQ(npy.elements[i], i << 40);
}

TEST(Npy, ReplacesAnOlderFile) {
  const TempFolder folder;
  const auto path = folder.Path() / "a.npy";
  for (const std::uint64_t element : {1u, 2u}) {
    auto writer = NpyWriter::Create(path, NpyType::kInt64, {1});
    ASSERT_TRUE(writer.has_value());
    ASSERT_TRUE((*writer)->Append(element).has_value());
    ASSERT_TRUE((*writer)->Commit().has_value());
  }
  EXPECT_EQ(ReadNpy(path).elements, std::vector<std::uint64_t>{2});
}

TEST(Npy, LeavesNothingBehindUnlessCommitted) {
  const TempFolder folder;
  {
    auto writer = NpyWriter::Create(folder.Path() / "a.npy", NpyType::kInt64, {2});
    ASSERT_TRUE(writer.has_value());
    ASSERT_TRUE((*writer)->Append(1).has_value());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.Path()));
}

TEST(Npy, AMissingFolderIsAnError) {
  const TempFolder folder;
  const auto writer = NpyWriter::Create(folder.Path() / "no" / "a.npy", NpyType::kInt64, {1});
  ASSERT_FALSE(writer.has_value());
  EXPECT_EQ(writer.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(writer.error().message.find("a.npy: cannot be written: No such file"),
            std::string::npos)
      << writer.error().message;
}

TEST(Npy, AFullDiskIsToldApart) {
  const TempFolder folder;
  std::filesystem::create_symlink("/dev/full", folder.Path() / ".a.npy.partial");
  auto writer = NpyWriter::Create(folder.Path() / "a.npy", NpyType::kInt64, {1});
  ASSERT_TRUE(writer.has_value());
  ASSERT_TRUE((*writer)->Append(1).has_value());
  const auto committed = (*writer)->Commit();
  ASSERT_FALSE(committed.has_value());
  EXPECT_EQ(committed.error().code, ErrorCode::kStorageFull);
  writer->reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder.Path()));
}

TEST(NpyDeathTest, TheShapeMustBeFilled) {
  const TempFolder folder;
  auto writer = NpyWriter::Create(folder.Path() / "a.npy", NpyType::kInt64, {1});
  ASSERT_TRUE(writer.has_value());
  EXPECT_DEATH(std::ignore = (*writer)->Commit(), "fewer elements than the shape");
}

}  // namespace
}  // namespace evenkeel::workloads
