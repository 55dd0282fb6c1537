#include "workloads/npy.h"

#include <utility>

#include "core/base/check.h"
#include "workloads/little_endian.h"

namespace evenkeel::workloads {
namespace {

const char* DescriptionOf(NpyType type) {
  switch (type) {
    case NpyType::kInt32:
      return "<i4";
    case NpyType::kInt64:
      return "<i8";
    case NpyType::kUint64:
      return "<u8";
    case NpyType::kFloat32:
      return "<f4";
    case NpyType::kFloat64:
      break;
  }
  return "<f8";
}

std::int64_t ElementCount(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

}  // namespace

/// NumPy, "NEP 1: A simple file format for NumPy arrays": magic, version, length of the header,
/// and a Python dictionary padded with blanks so that the data begins at a multiple of 64.
std::string NpyHeader(NpyType type, const std::vector<std::int64_t>& shape) {
  constexpr std::size_t kFixedBytes = 10;
  constexpr std::size_t kDataAlignment = 64;
  std::string dictionary = "{'descr': '";
  dictionary += DescriptionOf(type);
  dictionary += "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t extent : shape) dictionary += std::to_string(extent) + ", ";
  dictionary += "), }";
  const std::size_t unpadded = kFixedBytes + dictionary.size() + 1;
  dictionary.append((kDataAlignment - unpadded % kDataAlignment) % kDataAlignment, ' ');
  dictionary.push_back('\n');

  std::string header("\x93NUMPY\x01\x00", 8);
  header.push_back(static_cast<char>(dictionary.size() & 0xff));
  header.push_back(static_cast<char>(dictionary.size() >> 8));
  return header + dictionary;
}

Result<std::unique_ptr<NpyWriter>> NpyWriter::Create(const std::filesystem::path& path,
                                                     NpyType type,
                                                     const std::vector<std::int64_t>& shape) {
  auto file = platform::AtomicFile::Create(path);
  if (!file) return tl::unexpected(file.error());
  if (auto begun = file->Append(NpyHeader(type, shape)); !begun) {
    return tl::unexpected(begun.error());
  }
  return std::unique_ptr<NpyWriter>(new NpyWriter(std::move(*file), ElementCount(shape)));
}

NpyWriter::NpyWriter(platform::AtomicFile file, std::int64_t element_count)
    : file_(std::move(file)), missing_elements_(element_count) {}

Result<void> NpyWriter::Append(std::uint64_t element) {
  EVENKEEL_CHECK(missing_elements_ > 0, "more elements than the shape of the array has");
  --missing_elements_;
  bytes_.clear();
  AppendLittleEndian(element, bytes_);
  return file_.Append(bytes_);
}

Result<void> NpyWriter::Commit() {
  EVENKEEL_CHECK(missing_elements_ == 0, "fewer elements than the shape of the array has");
  return file_.Commit();
}

}  // namespace evenkeel::workloads
