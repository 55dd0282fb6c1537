#pragma once

#include <cstdint>
#include <string>

namespace evenkeel::engine {

/// Makes and checks the tags of epochs: message authentication codes with a key that all starts of
/// a job's coordinator have and no worker has. A worker returns the tag that came with an epoch, so
/// it cannot claim an epoch that no coordinator has told it. Thread-safe.
class EpochAuthenticator {
 public:
  virtual ~EpochAuthenticator() = default;
  /// At most kMaxEpochTagBytes bytes.
  [[nodiscard]] virtual std::string Tag(std::uint64_t epoch) const = 0;
  [[nodiscard]] virtual bool IsTagOf(std::uint64_t epoch, const std::string& tag) const = 0;
};

}  // namespace evenkeel::engine
