#include "coordinator/manifest_watch.h"

#include <utility>

#include "core/base/log.h"

namespace evenkeel::coordinator {

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
  const auto& time = status.st_mtim;
  return Mark{status.st_dev, status.st_ino, status.st_size,
              static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec};
}

}  // namespace evenkeel::coordinator
