#pragma once

#include <string>

#include "core/engine/epoch_authenticator.h"

namespace evenkeel::coordinator {

/// HMAC-SHA-256 of the epoch. Thread-safe.
class EpochHmac final : public engine::EpochAuthenticator {
 public:
  /// The key must be the same for all starts of the job's coordinator and unknown to workers: the
  /// token of the operator is derived from the job's UID and read only by coordinators.
  explicit EpochHmac(std::string key);

  [[nodiscard]] std::string Tag(std::uint64_t epoch) const override;
  /// Takes the same time for all tags of one size.
  [[nodiscard]] bool IsTagOf(std::uint64_t epoch, const std::string& tag) const override;

 private:
  const std::string key_;
};

}  // namespace evenkeel::coordinator
