#include "coordinator/version_watch.h"

#include <utility>

#include "core/base/log.h"

namespace evenkeel::coordinator {
namespace {

constexpr Duration kInterval = std::chrono::seconds(1);

bool IsPermanent(const Error& error) {
  return error.code == ErrorCode::kConflict || error.code == ErrorCode::kInvalidInput;
}

}  // namespace

std::optional<VersionRead> PollSource(JobSource& source, const JobVersion& current) {
  SharedJobVersion version = source.Poll();
  if (!version) return std::nullopt;
  auto identity =
      CheckJob(current.spec(), *version->workload()).and_then([&] { return IdentityOf(*version); });
  if (identity) return VersionRead{std::move(version), std::move(*identity)};
  if (!IsPermanent(identity.error())) source.RetryLater();
  Log(LogLevel::kWarning,
      current.spec().name + ": the changed manifest is ignored: " + identity.error().message);
  return std::nullopt;
}

VersionWatch::VersionWatch(JobSource& source, SharedJobVersion current, LoopInbox& inbox)
    : source_(source), current_(std::move(current)), inbox_(inbox), thread_([this] { Run(); }) {}

VersionWatch::~VersionWatch() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void VersionWatch::Run() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kInterval, [this] { return ending_; })) {
    lock.unlock();
    if (auto read = PollSource(source_, *current_)) inbox_.Post(std::move(*read));
    lock.lock();
  }
}

}  // namespace evenkeel::coordinator
