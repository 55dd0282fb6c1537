#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "core/base/time.h"
#include "kubernetes/object.h"

namespace evenkeel::controller {

/// Holds the writes of status of all jobs together to a rate: SQLite on an SD card has to carry
/// them. Who has to wait is given a place in a line and told when its turn comes, so that a
/// thousand jobs do not all ask for each write. Changes that people wait for go first.
/// Thread-safe; told the time.
class StatusPacer {
 public:
  /// One write in each `interval`, of which up to `burst` may come together.
  StatusPacer(Duration interval, int burst) : interval_(interval), slack_(interval * (burst - 1)) {}

  /// Zero: the write may be made now, and is counted. Else nothing is counted: ask again then.
  /// Who does not ask again in time loses its place, and no write waits for it.
  [[nodiscard]] Duration Ask(const kube::ObjectKey& job, bool urgent, Instant now);

 private:
  struct Place {
    bool urgent = false;
    std::uint64_t number = 0;  // in order of arrival
    Instant due{};             // when it was told to ask again
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
