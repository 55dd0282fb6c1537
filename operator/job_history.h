#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/metrics/catalogue.h"

namespace evenkeel::controller {

/// What a node did for one job that is over.
struct DoneWork {
  std::string node;
  double units = 0;
  double busy_seconds = 0;  ///< over all threads
  double joules = 0;        ///< estimated, above idle; 0 if the node's power is not known
};

/// What nodes have done for jobs that are over, by profile, since this process began: running
/// totals for Prometheus, so that jobs shorter than the time between two scrapes count, too.
/// Thread-safe.
class JobHistory {
 public:
  struct Row {
    std::string profile;
    DoneWork done;
  };
  struct Figures {
    std::int64_t counted = 0;  ///< jobs
    std::int64_t missed = 0;
    std::vector<Row> rows;  ///< by profile, then node
  };

  /// At most `max_rows` (> 0) pairs of node and profile are kept. Beyond, the profiles go that
  /// nothing was said of for longest.
  explicit JobHistory(std::size_t max_rows = metrics::kMaxHistorySeries) : max_rows_(max_rows) {}

  /// A job of this profile is going to run on these nodes: their totals begin at 0 now.
  void Expect(const std::string& profile, const std::vector<std::string>& nodes);
  /// A job of this profile is over. To be called once for each job.
  void Count(const std::string& profile, const std::vector<DoneWork>& work);
  /// A job is over, and what its nodes did is not known.
  void Miss();

  /// A total that has not been shown yet is shown as 0, and as it is from the next time on:
  /// Prometheus sees a rise only between two values.
  [[nodiscard]] Figures Show();

 private:
  struct Total {
    double units = 0;
    double busy_seconds = 0;
    double joules = 0;
    bool shown = false;
  };
  struct Profile {
    std::uint64_t touched = 0;  // in order of the calls
    std::map<std::string, Total> nodes;
  };

  Profile& Touch(const std::string& profile);
  /// Null if there is no room for one more, even without all other profiles.
  Total* At(Profile& profile, const std::string& node);
  void MakeRoom(const Profile& keep);

  const std::size_t max_rows_;
  mutable std::mutex mutex_;
  // All guarded by mutex_.
  std::map<std::string, Profile> profiles_;
  std::size_t rows_ = 0;
  std::uint64_t calls_ = 0;
  std::int64_t counted_ = 0;
  std::int64_t missed_ = 0;
};

}  // namespace evenkeel::controller
