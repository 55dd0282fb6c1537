#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "operator/kube/election_machine.h"
#include "operator/kube/micro_time.h"
#include "operator/kube/server_access.h"

namespace evenkeel::kube {

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

  /// Whether this process may act as leader right now. Also false when the time is up but on_lost
  /// has not been called yet, so it can be asked before each write.
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
