#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/engine/messages.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::engine {

/// By node: when the command container of its worker was last killed for lack of memory, in whole
/// seconds since 1970 by the clock of the node.
using MemoryKills = std::map<std::string, std::int64_t>;

/// Failures of tasks that were alone when their command container ended. Only the kubelet knows
/// whether the container was killed for lack of memory. The operator reports that from the status
/// of the pod, mostly a second or two after the worker has reported the failure. So a failure waits
/// for it, at most kPatience; it does not wait before an operator has reported at all, or if the
/// worker does not say when the command ran.
///
/// A kill is the cause of a failure if it was while the command ran. Both times are by the clock of
/// the node, so reports may come in any order, late, and repeatedly. Memory grows with the number
/// of nodes. Not thread-safe.
class LostRunners {
 public:
  static constexpr Duration kPatience = std::chrono::seconds(10);

  struct Loss {
    scheduling::WorkerId worker;
    std::string node;  ///< of the worker
    FailedTask failed;
  };

  /// A report of the operator; it replaces the one before.
  void SetKills(MemoryKills kills) { kills_ = std::move(kills); }
  [[nodiscard]] bool MustAwait(const FailedTask& failed) const {
    return kills_.has_value() && failed.ran.has_value();
  }
  void Add(Loss loss, Instant now);
  /// Takes the failures that have waited long enough, and those with a known cause, which becomes
  /// FailureCause::kOutOfMemory.
  [[nodiscard]] std::vector<Loss> TakeDecided(Instant now);
  /// When a failure will have waited long enough; kNever if none waits.
  [[nodiscard]] Instant NextDeadline() const {
    return waiting_.empty() ? kNever : waiting_.begin()->first;
  }

 private:
  [[nodiscard]] bool WasKilled(const Loss& loss) const;

  std::optional<MemoryKills> kills_;
  std::multimap<Instant, Loss> waiting_;  // by the end of the wait
};

}  // namespace evenkeel::engine
