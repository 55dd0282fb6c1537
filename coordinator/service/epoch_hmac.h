#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/epoch_authenticator.h"

namespace evenkeel::coordinator {

/// HMAC-SHA-256 of the epoch. Thread-safe.
class EpochHmac final : public engine::EpochAuthenticator {
 public:
  /// Returns the keys, at least one: the first makes tags, and a tag of any is accepted, so that
  /// two starts of a coordinator understand each other while the operator's key is replaced.
  using Keys = std::function<std::vector<std::string>()>;

  /// The keys must be the same for all starts of the job's coordinator and unknown to workers: the
  /// token of the operator is derived from the job's UID and read only by coordinators. `keys` is
  /// called on any thread.
  explicit EpochHmac(Keys keys) : keys_(std::move(keys)) {}

  [[nodiscard]] std::string Tag(std::uint64_t epoch) const override;
  /// Takes the same time for all tags of one size.
  [[nodiscard]] bool IsTagOf(std::uint64_t epoch, const std::string& tag) const override;

 private:
  const Keys keys_;
};

}  // namespace evenkeel::coordinator
