#pragma once

#include <map>
#include <mutex>
#include <string>

#include "core/base/time.h"
#include "operator/kube/object_meta.h"

namespace evenkeel::operating {

/// Which troubles of jobs are worth a line. What is tried five times a second while the API server
/// is away fails as often, with the same words. Thread-safe.
class TroubleLog {
 public:
  /// Whether to say it: what was not said of the job in the last ten seconds.
  [[nodiscard]] bool IsNew(const kube::ObjectKey& job, const std::string& trouble, Instant now) {
    constexpr Duration kQuiet = std::chrono::seconds(10);
    const std::lock_guard lock(mutex_);
    std::erase_if(said_, [&](const auto& said) { return now - said.second.at >= kQuiet; });
    const auto last = said_.find(job);
    if (last != said_.end() && last->second.trouble == trouble) return false;
    said_[job] = {trouble, now};
    return true;
  }

 private:
  struct Said {
    std::string trouble;
    Instant at{};
  };
  std::mutex mutex_;
  std::map<kube::ObjectKey, Said> said_;
};

}  // namespace evenkeel::operating
