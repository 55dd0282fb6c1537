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

/// An end of the command container of a node's worker.
struct ContainerEnd {
  std::int64_t at_seconds = 0;  ///< whole seconds since 1970 by the clock of the node
  bool out_of_memory = false;   ///< the kernel killed it for lack of memory
  friend bool operator==(const ContainerEnd&, const ContainerEnd&) = default;
};
/// By node: the latest ends that are known, in no order.
using ContainerEnds = std::map<std::string, std::vector<ContainerEnd>>;

/// Failures of tasks that were alone when their command container ended. Only the kubelet knows
/// whether the container was killed for lack of memory. The operator reports that from the status
/// of the pod, mostly a second or two after the worker has reported the failure. So a failure waits
/// for it, at most kPatience; it does not wait before an operator has reported at all, or if the
/// worker does not say when the command ran.
///
/// The end that belongs to a failure is the first one since the command began, at most kLateness
/// after the worker noticed that the command had gone: the kubelet learns of it later. All times
/// are by the clock of the node, so reports may come in any order, late, and repeatedly. A later
/// end alone means that the one in question will not be reported any more. Memory grows with the
/// number of nodes. Not thread-safe.
class LostRunners {
 public:
  static constexpr Duration kPatience = std::chrono::seconds(60);
  static constexpr std::int64_t kLatenessSeconds = 5;

  struct Loss {
    scheduling::WorkerId worker;
    std::string node;  ///< of the worker
    FailedTask failed;
  };

  /// A report of the operator; it replaces the one before.
  void SetEnds(ContainerEnds ends) { ends_ = std::move(ends); }
  [[nodiscard]] bool MustAwait(const FailedTask& failed) const {
    return ends_.has_value() && failed.ran.has_value();
  }
  void Add(Loss loss, Instant now);
  /// Takes the failures that have waited long enough, and those of which is known how the container
  /// ended. The cause of those that lacked memory becomes FailureCause::kOutOfMemory.
  [[nodiscard]] std::vector<Loss> TakeDecided(Instant now);
  /// When a failure will have waited long enough; kNever if none waits.
  [[nodiscard]] Instant NextDeadline() const {
    return waiting_.empty() ? kNever : waiting_.begin()->first;
  }

 private:
  /// Whether the container was killed for lack of memory; nothing while that is not known.
  [[nodiscard]] std::optional<bool> LackedMemory(const Loss& loss) const;

  std::optional<ContainerEnds> ends_;
  std::multimap<Instant, Loss> waiting_;  // by the end of the wait
};

}  // namespace evenkeel::engine
