#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "coordinator/job_version.h"
#include "core/base/error.h"

namespace evenkeel::coordinator {

/// Reads a manifest again when it has changed and was then left alone from one call to the next, so
/// that writing it may take a moment. If it cannot be read, the log has a line and the run goes on
/// with the version it has. Not thread-safe.
class ManifestWatch final : public JobSource {
 public:
  using Read = std::function<Result<SharedJobVersion>()>;

  /// Must be constructed before the manifest is first read, so that no change is missed. Only
  /// regular files are watched.
  ManifestWatch(std::filesystem::path file, Read read);

  [[nodiscard]] SharedJobVersion Poll() override;
  void RetryLater() override { read_mark_.reset(); }

 private:
  /// Identifies one content of the file; a mounted ConfigMap changes the inode.
  struct Mark {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    std::int64_t changed_ns = 0;
    friend bool operator==(const Mark&, const Mark&) = default;
  };
  [[nodiscard]] std::optional<Mark> CurrentMark() const;

  std::filesystem::path file_;
  Read read_;
  std::optional<Mark> read_mark_;  // when the file was last read
  std::optional<Mark> last_mark_;  // at the last call
};

}  // namespace evenkeel::coordinator
