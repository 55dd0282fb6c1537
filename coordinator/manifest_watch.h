#pragma once

#include <sys/stat.h>

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "coordinator/coordinator_loop.h"
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

/// Asks the source once for a new version and checks that a run of `current` can continue with it.
/// Reads all inputs, so it may take long. Nothing: there is none, or it cannot be used, which is
/// logged.
[[nodiscard]] std::optional<VersionRead> PollSource(JobSource& source, const JobVersion& current);

/// Posts new versions of a job to the loop's inbox; asks for them on a thread of its own.
class VersionWatch {
 public:
  /// `source` and `inbox` must outlive this. `current` is the version that runs.
  VersionWatch(JobSource& source, SharedJobVersion current, LoopInbox& inbox);
  ~VersionWatch();
  VersionWatch(const VersionWatch&) = delete;
  VersionWatch& operator=(const VersionWatch&) = delete;

 private:
  void Run();

  JobSource& source_;
  const SharedJobVersion current_;
  LoopInbox& inbox_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace evenkeel::coordinator
