#pragma once

#include <string>

#include "cluster/job_status.h"
#include "core/base/error.h"

namespace evenkeel::controller {

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
  [[nodiscard]] virtual Result<cluster::Progress> AskProgress(const CoordinatorAddress& to) = 0;
  /// Drain; returns once what runs has ended or been given up. Errors as above.
  [[nodiscard]] virtual Result<void> Suspend(const CoordinatorAddress& to) = 0;
  [[nodiscard]] virtual Result<void> Resume(const CoordinatorAddress& to) = 0;
  /// What a drained coordinator has done, packed. kConflict: it will not be had, and why.
  [[nodiscard]] virtual Result<std::string> TakeSnapshot(const CoordinatorAddress& to) = 0;
};

/// Over HTTPS to the control port of the pod. Each call has a connection of its own: with a
/// thousand jobs, standing ones would cost more memory than everything else.
class HttpsCoordinatorLink final : public CoordinatorLink {
 public:
  [[nodiscard]] Result<cluster::Progress> AskProgress(const CoordinatorAddress& to) override;
  [[nodiscard]] Result<void> Suspend(const CoordinatorAddress& to) override;
  [[nodiscard]] Result<void> Resume(const CoordinatorAddress& to) override;
  [[nodiscard]] Result<std::string> TakeSnapshot(const CoordinatorAddress& to) override;
};

}  // namespace evenkeel::controller
