#include "workloads/npy.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/check.h"
#include "workloads/little_endian.h"

namespace evenkeel::workloads {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

/// NumPy, "NEP 1: A simple file format for NumPy arrays": magic, version, length of the header,
/// and a Python dictionary padded with blanks so that the data begins at a multiple of 64.
std::string Header(NpyType type, const std::vector<std::int64_t>& shape) {
  constexpr std::size_t kFixedBytes = 10;
  constexpr std::size_t kAlignment = 64;
  std::string dictionary = "{'descr': '";
  dictionary += type == NpyType::kInt64 ? "<i8" : "<u8";
  dictionary += "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t extent : shape) dictionary += std::to_string(extent) + ", ";
  dictionary += "), }";
  const std::size_t unpadded = kFixedBytes + dictionary.size() + 1;
  dictionary.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  dictionary.push_back('\n');

  std::string header("\x93NUMPY\x01\x00", 8);
  header.push_back(static_cast<char>(dictionary.size() & 0xff));
  header.push_back(static_cast<char>(dictionary.size() >> 8));
  return header + dictionary;
}

std::int64_t ElementCount(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::filesystem::path PartialPath(std::filesystem::path path) { return path += ".partial"; }

tl::unexpected<Error> SystemFailure(int error, const std::filesystem::path& path) {
  const bool full = error == ENOSPC || error == EDQUOT;
  return Fail(full ? ErrorCode::kStorageFull : ErrorCode::kUnavailable,
              path.string() + ": cannot be written: " + std::generic_category().message(error));
}

Result<void> SyncFolder(const std::filesystem::path& file_path) {
  const std::filesystem::path folder =
      file_path.has_parent_path() ? file_path.parent_path() : std::filesystem::path(".");
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return SystemFailure(errno, folder);
  const int error = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  if (error != 0) return SystemFailure(error, folder);
  return {};
}

}  // namespace

Result<std::unique_ptr<NpyWriter>> NpyWriter::Create(const std::filesystem::path& path,
                                                     NpyType type,
                                                     const std::vector<std::int64_t>& shape) {
  const std::filesystem::path partial = PartialPath(path);
  const int file = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return SystemFailure(errno, partial);
  std::unique_ptr<NpyWriter> writer(new NpyWriter(path, file, ElementCount(shape)));
  writer->buffer_ = Header(type, shape);
  return writer;
}

NpyWriter::NpyWriter(std::filesystem::path path, int file, std::int64_t element_count)
    : path_(std::move(path)),
      partial_path_(PartialPath(path_)),
      file_(file),
      missing_elements_(element_count) {
  buffer_.reserve(kBufferBytes + 8);
}

NpyWriter::~NpyWriter() {
  if (file_ >= 0) ::close(file_);
  if (!committed_) ::unlink(partial_path_.c_str());
}

Result<void> NpyWriter::Append(std::uint64_t element) {
  EVENKEEL_CHECK(missing_elements_ > 0, "more elements than the shape of the array has");
  --missing_elements_;
  AppendLittleEndian(element, buffer_);
  return buffer_.size() < kBufferBytes ? Result<void>() : Flush();
}

Result<void> NpyWriter::Commit() {
  EVENKEEL_CHECK(missing_elements_ == 0, "fewer elements than the shape of the array has");
  if (auto flushed = Flush(); !flushed) return flushed;
  if (::fsync(file_) != 0) return SystemFailure(errno, partial_path_);
  // Some file systems say only here that there was no room.
  if (::close(std::exchange(file_, -1)) != 0) return SystemFailure(errno, partial_path_);
  if (::rename(partial_path_.c_str(), path_.c_str()) != 0) return SystemFailure(errno, path_);
  committed_ = true;
  return SyncFolder(path_);
}

Result<void> NpyWriter::Flush() {
  std::size_t written = 0;
  while (written < buffer_.size()) {
    const ssize_t now = ::write(file_, buffer_.data() + written, buffer_.size() - written);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return SystemFailure(errno, partial_path_);
    written += static_cast<std::size_t>(now);
  }
  buffer_.clear();
  return {};
}

}  // namespace evenkeel::workloads
