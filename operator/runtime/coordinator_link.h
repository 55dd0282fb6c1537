#pragma once

#include <string>

#include "core/base/error.h"
#include "operator/api/progress.h"

namespace evenkeel::operating {

/// How to reach the coordinator of a job, and how to know that it is the right one.
struct CoordinatorAddress {
  std::string pod_uid;
  std::string ip;           ///< of the pod
  std::string server_name;  ///< that its certificate must carry
  std::string ca_pem;       ///< the job's own authority
  std::string token;        ///< what we show

  friend bool operator==(const CoordinatorAddress&, const CoordinatorAddress&) = default;
};

/// What the operator says to coordinators. Thread-safe; calls block for a few seconds at most.
class CoordinatorLink {
 public:
  virtual ~CoordinatorLink() = default;

  /// Errors: kUnavailable (no answer, or none that makes sense).
  [[nodiscard]] virtual Result<api::Progress> AskProgress(const CoordinatorAddress& to) = 0;
  /// Drain; returns once what runs has ended or been given up. Errors as above.
  [[nodiscard]] virtual Result<void> Suspend(const CoordinatorAddress& to) = 0;
  [[nodiscard]] virtual Result<void> Resume(const CoordinatorAddress& to) = 0;
  /// What a drained coordinator has done, packed. kConflict: it will not be had, and why.
  [[nodiscard]] virtual Result<std::string> TakeSnapshot(const CoordinatorAddress& to) = 0;
};

}  // namespace evenkeel::operating
