#include "coordinator/manifest_watch.h"

#include <utility>

#include "core/base/log.h"

namespace evenkeel::coordinator {

ManifestWatch::ManifestWatch(std::filesystem::path file, Read read)
    : file_(std::move(file)), read_(std::move(read)), taken_(Look()), seen_(taken_) {}

std::optional<JobVersion> ManifestWatch::News() {
  const auto mark = Look();
  if (!mark || mark == taken_) return std::nullopt;
  const bool settled = mark == seen_;
  seen_ = mark;
  if (!settled) return std::nullopt;
  taken_ = mark;
  auto read = read_();
  if (read) return std::move(*read);
  Log(LogLevel::kWarning, read.error().message + "; the run goes on as it was");
  return std::nullopt;
}

std::optional<ManifestWatch::Mark> ManifestWatch::Look() const {
  struct stat status {};
  if (::stat(file_.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const auto& time = status.st_mtim;
  return Mark{status.st_dev, status.st_ino, status.st_size,
              static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec};
}

}  // namespace evenkeel::coordinator
