#include "coordinator/manifest_watch.h"

#include <utility>

#include "core/base/log.h"
#include "platform/files.h"

namespace evenkeel::coordinator {
namespace {

constexpr Duration kInterval = std::chrono::seconds(1);

}  // namespace

ManifestWatch::ManifestWatch(std::filesystem::path file, Read read)
    : file_(std::move(file)),
      read_(std::move(read)),
      read_mark_(CurrentMark()),
      last_mark_(read_mark_) {}

SharedJobVersion ManifestWatch::Poll() {
  const auto mark = CurrentMark();
  if (!mark || mark == read_mark_) return nullptr;
  const bool settled = mark == last_mark_;
  last_mark_ = mark;
  if (!settled) return nullptr;
  read_mark_ = mark;
  auto read = read_();
  if (read) return *std::move(read);
  Log(LogLevel::kWarning, read.error().message + "; the run goes on as it was");
  return nullptr;
}

std::optional<ManifestWatch::Mark> ManifestWatch::CurrentMark() const {
  struct stat status {};
  if (::stat(file_.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return Mark{status.st_dev, status.st_ino, status.st_size, platform::ModifiedNanoseconds(status)};
}

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
