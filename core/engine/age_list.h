#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/time.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::engine {

/// For some of the workers a time since when, the earliest one in front. Times do not decrease, so
/// a renewed worker goes to the end: O(1). Not thread-safe.
class AgeList {
 public:
  using WorkerId = scheduling::WorkerId;

  void Renew(WorkerId worker, Instant now) {
    Remove(worker);
    Link& link = links_[worker.value + 1];
    link = {now, links_[kEnds].before, kEnds, true};
    links_[link.before].behind = worker.value + 1;
    links_[kEnds].before = worker.value + 1;
  }
  void Remove(WorkerId worker) {
    if (worker.value + 1 >= links_.size()) links_.resize(worker.value + 2);
    Link& link = links_[worker.value + 1];
    if (!link.listed) return;
    links_[link.before].behind = link.behind;
    links_[link.behind].before = link.before;
    link.listed = false;
  }
  /// The worker's time; nothing if it is not in the list.
  [[nodiscard]] std::optional<Instant> Since(WorkerId worker) const {
    if (worker.value + 1 >= links_.size() || !links_[worker.value + 1].listed) return std::nullopt;
    return links_[worker.value + 1].since;
  }
  /// The earliest time; nothing if the list is empty.
  [[nodiscard]] std::optional<Instant> Oldest() const {
    const std::uint32_t first = links_[kEnds].behind;
    if (first == kEnds) return std::nullopt;
    return links_[first].since;
  }
  /// All workers with the earliest time, in the order of their numbers.
  [[nodiscard]] std::vector<WorkerId> AllOldest() const {
    std::vector<WorkerId> workers;
    for (std::uint32_t at = links_[kEnds].behind;
         at != kEnds && links_[at].since == links_[links_[kEnds].behind].since;
         at = links_[at].behind) {
      workers.push_back({at - 1});
    }
    std::sort(workers.begin(), workers.end());
    return workers;
  }

  /// Moves all times later, but not beyond `now`. O(workers).
  void Shift(Duration by, Instant now) {
    for (Link& link : links_) link.since = std::min(link.since + by, now);
  }

 private:
  static constexpr std::uint32_t kEnds = 0;  // the link before the first and behind the last
  struct Link {
    Instant since{};
    std::uint32_t before = kEnds;
    std::uint32_t behind = kEnds;
    bool listed = false;
  };
  std::vector<Link> links_ = std::vector<Link>(1);  // that of worker n is at n + 1
};

}  // namespace evenkeel::engine
