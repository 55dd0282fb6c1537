#pragma once

#include <mutex>
#include <string>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/time.h"

namespace evenkeel::kube {

/// The bearer token of a service account or user. Bound tokens live an hour and are replaced in
/// their file, which is therefore read again once a minute. Thread-safe.
class TokenSource {
 public:
  /// A token that never changes; empty: none.
  explicit TokenSource(std::string token);
  /// A token in a file. `clock` must outlive the source.
  TokenSource(std::string file, const Clock& clock);

  /// The current token; empty: none. A file that cannot be read is an Error (kUnavailable) only as
  /// long as it never could: a token that was good a minute ago is probably still good.
  [[nodiscard]] Result<std::string> Token();

  /// The server refused the token: the file is read again at the next call.
  void Refused();

  /// True if Refused() can make a difference.
  [[nodiscard]] bool CanChange() const { return clock_ != nullptr; }

 private:
  [[nodiscard]] Result<std::string> ReadFile() const;

  const std::string file_;
  const Clock* const clock_ = nullptr;
  std::mutex mutex_;
  std::string token_;     // guarded by mutex_
  Instant read_again_{};  // guarded by mutex_
};

}  // namespace evenkeel::kube
