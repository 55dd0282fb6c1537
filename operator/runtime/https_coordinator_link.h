#pragma once

#include "operator/runtime/coordinator_link.h"

namespace evenkeel::operating {

/// Over HTTPS to the control port of the pod. Each call has a connection of its own: with a
/// thousand jobs, standing ones would cost more memory than everything else.
class HttpsCoordinatorLink final : public CoordinatorLink {
 public:
  [[nodiscard]] Result<api::Progress> AskProgress(const CoordinatorAddress& to) override;
  [[nodiscard]] Result<void> Suspend(const CoordinatorAddress& to) override;
  [[nodiscard]] Result<void> Resume(const CoordinatorAddress& to) override;
  [[nodiscard]] Result<std::string> TakeSnapshot(const CoordinatorAddress& to) override;
};

}  // namespace evenkeel::operating
