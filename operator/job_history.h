#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/metrics/catalogue.h"
#include "operator/history/prometheus.h"

namespace evenkeel::controller {

/// The work that a node did for one finished job.
struct DoneWork {
  std::string node;
  double units = 0;
  double busy_seconds = 0;  ///< over all threads
  double joules = 0;        ///< estimated, above idle; 0 if the node's power is not known
};

/// The work of nodes for finished jobs, by profile, since this process started. These are counters
/// for Prometheus, so that jobs shorter than the scrape interval count, too. Thread-safe.
class JobHistory {
 public:
  struct Row {
    ProfileKey key;
    DoneWork done;
  };
  struct Figures {
    std::int64_t counted = 0;  ///< jobs
    std::int64_t missed = 0;
    std::vector<Row> rows;  ///< by namespace, profile, then node
  };

  struct Options {
    /// Between two scrapes of this process. New totals are shown as 0 for twice as long.
    Duration scrape_interval = std::chrono::minutes(1);
    /// Pairs of node and profile that are kept, above 0. The profiles that were used least recently
    /// make room.
    std::size_t max_rows = metrics::kMaxHistorySeries;
  };

  /// `clock` must outlive it.
  JobHistory(const Clock& clock, const Options& options) : clock_(clock), options_(options) {}

  /// A job of this profile is going to run on these nodes: their totals begin at 0 now.
  void Expect(const ProfileKey& key, const std::vector<std::string>& nodes);
  /// A job of this profile is over. To be called once for each job.
  void Count(const ProfileKey& key, const std::vector<DoneWork>& work);
  /// A job is over, and what its nodes did is not known.
  void Miss();

  /// The totals as they are, without side effects. A row stays at 0 for its first two
  /// scrape intervals, because Prometheus sees a rise only between two values.
  [[nodiscard]] Figures Show() const;

 private:
  struct Total {
    double units = 0;
    double busy_seconds = 0;
    double joules = 0;
    Instant added{};
  };
  struct Profile {
    std::uint64_t touched = 0;  // in order of the calls
    std::map<std::string, Total> nodes;
  };

  Profile& Touch(const ProfileKey& key);
  /// Null if there is no room for one more, even without all other profiles.
  Total* At(Profile& profile, const std::string& node);
  void MakeRoom(const Profile& keep);

  const Clock& clock_;
  const Options options_;
  mutable std::mutex mutex_;
  // All guarded by mutex_.
  std::map<ProfileKey, Profile> profiles_;
  std::size_t rows_ = 0;
  std::uint64_t calls_ = 0;
  std::int64_t counted_ = 0;
  std::int64_t missed_ = 0;
};

}  // namespace evenkeel::controller
