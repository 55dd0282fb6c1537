#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "core/base/time.h"
#include "kubernetes/object.h"

namespace evenkeel::controller {

/// Limits the rate of the status writes of all jobs, because the API server's SQLite may be on an
/// SD card. A job that has to wait gets a place in a queue and the time of its turn, so that a
/// thousand jobs do not all ask for each write. Urgent changes, which users wait for, go first.
/// Thread-safe; takes the time as a parameter.
class StatusPacer {
 public:
  /// One write in each `interval`, of which up to `burst` may come together.
  StatusPacer(Duration interval, int burst) : interval_(interval), slack_(interval * (burst - 1)) {}

  /// Returns zero if the write may be made now, and counts it. Otherwise returns the time after
  /// which to ask again; a job that does not ask in time loses its place.
  [[nodiscard]] Duration Ask(const kube::ObjectKey& job, bool urgent, Instant now);

 private:
  struct Place {
    bool urgent = false;
    std::uint64_t number = 0;  // in order of arrival
    Instant due{};             // when it should ask again
  };

  void DropThoseWhoLeft(Instant now);
  Place& PlaceOf(const kube::ObjectKey& job, bool urgent);
  [[nodiscard]] std::int64_t Ahead(const Place& place, Instant until) const;
  [[nodiscard]] std::int64_t MayWrite(Instant now) const;

  const Duration interval_;
  const Duration slack_;
  std::mutex mutex_;
  Instant next_{};                           // guarded by mutex_, as all below
  std::map<kube::ObjectKey, Place> places_;  // of those who wait
  std::uint64_t numbers_ = 0;
};

}  // namespace evenkeel::controller
