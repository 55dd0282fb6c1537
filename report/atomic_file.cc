#include "report/atomic_file.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace evenkeel::report {
namespace {

std::filesystem::path TemporaryPath(const std::filesystem::path& path) {
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  return temporary;
}

tl::unexpected<Error> CannotWrite(const std::filesystem::path& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  return Fail(full ? ErrorCode::kStorageFull : ErrorCode::kUnavailable,
              path.string() + ": cannot be written: " + std::generic_category().message(error));
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path, std::FILE* file)
    : path_(std::move(path)), file_(file) {}

AtomicFile::~AtomicFile() {
  if (!file_) return;
  file_.reset();
  std::error_code ignored;  // a temporary file that stays behind is harmless
  std::filesystem::remove(TemporaryPath(path_), ignored);
}

Result<AtomicFile> AtomicFile::Create(std::filesystem::path path) {
  std::FILE* file = std::fopen(TemporaryPath(path).c_str(), "wb");
  if (file == nullptr) return CannotWrite(path, errno);
  return AtomicFile(std::move(path), file);
}

Result<void> AtomicFile::Write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size()) return {};
  return CannotWrite(path_, errno);
}

Result<void> AtomicFile::Commit() {
  // Without the fsync a power cut after the rename could leave an empty file in place of the old.
  if (std::fflush(file_.get()) != 0 || fsync(fileno(file_.get())) != 0 ||
      std::rename(TemporaryPath(path_).c_str(), path_.c_str()) != 0) {
    return CannotWrite(path_, errno);
  }
  file_.reset();
  return {};
}

Result<void> WriteWholeFile(const std::filesystem::path& path, std::string_view bytes) {
  auto file = AtomicFile::Create(path);
  if (!file) return tl::unexpected(file.error());
  if (auto written = file->Write(bytes); !written) return written;
  return file->Commit();
}

}  // namespace evenkeel::report
