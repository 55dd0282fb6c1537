#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "coordinator/job_source.h"
#include "core/base/error.h"

namespace evenkeel::coordinator {

/// Looks whether a manifest has changed, and reads it anew when it has and has been left alone from
/// one call to the next, so that whoever writes it may take a moment. Of a manifest that cannot be
/// read the log has a line; the run goes on without it. Not thread-safe.
class ManifestWatch final : public JobSource {
 public:
  using Read = std::function<Result<JobVersion>()>;

  /// To be made before the manifest is read for the first time, so that no change is missed. What
  /// is no ordinary file does not change.
  ManifestWatch(std::filesystem::path file, Read read);

  [[nodiscard]] std::optional<JobVersion> News() override;
  void TellAgain() override { taken_.reset(); }

 private:
  /// What tells one content of the file from the next; a volume of a cluster gives a new inode.
  struct Mark {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    std::int64_t changed_ns = 0;
    friend bool operator==(const Mark&, const Mark&) = default;
  };
  [[nodiscard]] std::optional<Mark> Look() const;

  std::filesystem::path file_;
  Read read_;
  std::optional<Mark> taken_;  // when it was read last
  std::optional<Mark> seen_;   // at the last call
};

}  // namespace evenkeel::coordinator
