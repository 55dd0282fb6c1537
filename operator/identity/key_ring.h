#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "core/base/clock.h"
#include "operator/identity/job_identity.h"

namespace evenkeel::identity {

/// The keys from which identities are derived. During a rotation there are two.
struct OperatorKeys {
  OperatorKey current;
  OperatorKey previous;  ///< id empty: none

  /// The key of that id; nullptr if it is none of the two.
  [[nodiscard]] const OperatorKey* Find(const std::string& id) const;
};

/// Reads the keys from files and reads them again when they may have changed, so that a rotation
/// needs no restart. Thread-safe.
class KeyRing {
 public:
  /// `previous_file` may be empty, and the file may be absent. Errors: kInvalidInput, one line.
  [[nodiscard]] static Result<std::unique_ptr<KeyRing>> Load(std::string file,
                                                             std::string previous_file,
                                                             const Clock& clock);
  /// Keys that never change, for tests.
  explicit KeyRing(OperatorKeys keys);

  /// The present keys. Files that cannot be read leave the keys as they were.
  [[nodiscard]] std::shared_ptr<const OperatorKeys> Keys() const;

 private:
  KeyRing(std::string file, std::string previous_file, const Clock& clock);
  [[nodiscard]] Result<OperatorKeys> Read() const;

  const std::string file_;
  const std::string previous_file_;
  const Clock* const clock_ = nullptr;  // null: the keys never change
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const OperatorKeys> keys_;  // guarded by mutex_
  mutable Instant read_again_{};                      // guarded by mutex_
};

}  // namespace evenkeel::identity
