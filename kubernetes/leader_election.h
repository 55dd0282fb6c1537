#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/base/time.h"
#include "kubernetes/object.h"
#include "kubernetes/time.h"
#include "kubernetes/transport.h"

namespace evenkeel::kube {

/// The fields of a coordination.k8s.io/v1 Lease that the election reads and writes.
struct LeaseRecord {
  std::string holder;  ///< holderIdentity; empty: no holder
  std::int32_t duration_seconds = 0;
  std::string acquire_time;  ///< MicroTime as it stands there; information only
  std::string renew_time;    ///< likewise: its change shows life, its value is never compared
  std::int32_t transitions = 0;

  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

/// Fields that are missing or of another type read as empty. Error: no object at all.
[[nodiscard]] Result<LeaseRecord> ReadLease(const Json& lease);

/// `base` (an object that was read, or null for a new one) with this record; what else stands in
/// it, its resourceVersion too, stays.
[[nodiscard]] Json WriteLease(const Json& base, const ObjectKey& key, const LeaseRecord& record);

/// Long enough for a k3s server whose database is on a slow SD card.
struct ElectionOptions {
  std::string identity;                                ///< of this process: unique, not empty
  Duration lease_duration = std::chrono::seconds(35);  ///< others wait so long for a silent leader
  Duration renew_deadline = std::chrono::seconds(30);  ///< a leader without success gives up
  Duration retry_period = std::chrono::seconds(5);     ///< between attempts
};

/// An error (kInvalidInput) unless lease >= renewal + 1 s, renewal > 1.2 x retry, retry >= 1 s.
[[nodiscard]] Result<void> CheckElectionOptions(const ElectionOptions& options);

enum class ElectionRequestKind { kRead, kCreate, kUpdate };

/// The next request to the API server.
struct ElectionRequest {
  ElectionRequestKind kind = ElectionRequestKind::kRead;
  Instant not_before{};
  Duration timeout{};  ///< counted from not_before
  LeaseRecord record;  ///< create, update: what to write
};

/// The API server's answer.
struct ElectionAnswer {
  enum class Kind { kRecord, kNotFound, kConflict, kFailed };
  Kind kind = Kind::kFailed;
  LeaseRecord record;  ///< kRecord: as it stands now
};

/// Decides who leads, as far as this process is concerned. The Lease's own times are not looked at,
/// since clocks of boards without a battery differ by years: a lease has run out when it has not
/// changed for its duration on this process's steady clock. A leader counts its own time from
/// before the renewal was sent, so that it gives up before anybody else may take over. Told the
/// time, so it runs under a virtual clock. Not thread-safe.
class ElectionMachine {
 public:
  ElectionMachine(const ElectionOptions& options, std::uint64_t seed);

  /// The next request; `wall` is the time of day to write into it.
  [[nodiscard]] ElectionRequest Next(const std::string& wall) const;
  /// It goes out now.
  void Started(Instant now) { started_ = now; }
  /// And this came back.
  void Answered(const ElectionRequest& request, const ElectionAnswer& answer, Instant now);

  [[nodiscard]] bool Leads() const { return leads_; }
  /// Until when this process may act as leader unless it renews; only while it leads.
  [[nodiscard]] Instant LeadsUntil() const { return renewed_ + options_.renew_deadline; }
  /// A leader that found another one in its place, or whose time is up, has lost for good.
  [[nodiscard]] bool HasLost(Instant now) const {
    return leads_ && (ousted_ || now >= LeadsUntil());
  }
  /// Identity of the last holder that was read; empty: none.
  [[nodiscard]] const std::string& Holder() const { return seen_.holder; }

  /// The record by which a leader releases the lease, so that others need not wait for its end.
  [[nodiscard]] LeaseRecord Farewell(const std::string& wall) const;

 private:
  [[nodiscard]] LeaseRecord OwnRecord(const std::string& wall) const;
  [[nodiscard]] bool MayTake(Instant now) const;
  void Observe(const LeaseRecord& record, Instant now);
  void AfterRead(const ElectionAnswer& answer, Instant now);
  void AfterWrite(const ElectionAnswer& answer, Instant now);
  void Ask(ElectionRequestKind kind, Instant when);
  [[nodiscard]] Instant NextTry(Instant now);

  ElectionOptions options_;
  Rng rng_;
  ElectionRequestKind next_ = ElectionRequestKind::kRead;
  Instant not_before_{};
  Instant started_{};
  LeaseRecord seen_;
  bool has_seen_ = false;
  Instant changed_{};  ///< when seen_ was first seen like this
  bool leads_ = false;
  bool ousted_ = false;
  bool conflicted_ = false;  ///< the last write met someone else's
  Instant renewed_{};        ///< when the last successful write was sent
};

/// All are called by the election's thread; any may be empty.
struct ElectionCallbacks {
  std::function<void()> on_leading;  ///< this process leads from now on
  /// It leads no more, for good: stop acting at once and exit with an error, so that it is started
  /// anew with nothing in mind. Not called for Stop().
  std::function<void()> on_lost;
  std::function<void(const std::string& holder)> on_new_holder;  ///< including itself
};

/// Takes part in the election of one leader by a coordination.k8s.io/v1 Lease, from a thread of its
/// own that runs an ElectionMachine. Needs get, create and update of that Lease.
/// HoldsLease() is thread-safe; Start() and Stop() are for one owner.
class LeaderElection {
 public:
  /// `options` have passed CheckElectionOptions(). `wall` must outlive it.
  LeaderElection(const ServerAccess& access, const WallClock& wall, ObjectKey lease,
                 const ElectionOptions& options, ElectionCallbacks callbacks, std::uint64_t seed);
  LeaderElection(const LeaderElection&) = delete;
  LeaderElection& operator=(const LeaderElection&) = delete;
  ~LeaderElection();

  /// Once.
  void Start();
  /// Leaves the election and gives the lease back if it is held; what a leader does must have ended
  /// before. Waits for a request under way, at most half the renew deadline.
  void Stop();

  /// True while this process may act as leader; call it before each write. It becomes false when
  /// the time is up, which may be before the call of on_lost.
  [[nodiscard]] bool HoldsLease() const;

 private:
  void Run(const std::stop_token& stop);
  [[nodiscard]] bool WaitUntil(Instant when, const std::stop_token& stop);
  void Perform(const ElectionRequest& request);
  [[nodiscard]] ElectionAnswer Ask(const ElectionRequest& request);
  void TellHolder();
  void Release();
  [[nodiscard]] std::string Wall() const { return MicroTime(wall_.Now()); }

  const ServerAccess access_;
  const WallClock& wall_;
  const ObjectKey key_;
  const ElectionOptions options_;
  const ElectionCallbacks callbacks_;
  ElectionMachine machine_;
  Json lease_;  ///< as last answered; null when there is none
  std::string told_holder_;
  std::string last_failure_;

  std::atomic<std::int64_t> leads_until_{0};  ///< nanoseconds of the clock; 0: it does not lead
  std::jthread thread_;
};

}  // namespace evenkeel::kube
