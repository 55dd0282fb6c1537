#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "coordinator/coordinator_loop.h"

namespace evenkeel::coordinator {

/// Asks the source once for a new version and checks that a run of `current` can go on with it.
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
