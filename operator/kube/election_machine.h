#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/rng.h"
#include "core/base/time.h"
#include "operator/kube/lease.h"

namespace evenkeel::kube {

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

/// What to ask the API server next.
struct ElectionRequest {
  ElectionRequestKind kind = ElectionRequestKind::kRead;
  Instant not_before{};
  Duration timeout{};  ///< counted from not_before
  LeaseRecord record;  ///< create, update: what to write
};

/// What the API server said to it.
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
  /// Who holds the lease as far as is known; empty: nobody.
  [[nodiscard]] const std::string& Holder() const { return seen_.holder; }

  /// What a leader writes when it goes, so that nobody has to wait for the lease to run out.
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

}  // namespace evenkeel::kube
