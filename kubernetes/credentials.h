#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/time.h"

namespace evenkeel::kube {

/// Whom we trust and who we are, as PEM texts.
struct TlsSettings {
  std::string ca_pem;           ///< the only authorities that are trusted; may be several
  std::string certificate_pem;  ///< ours, with its chain; empty: none
  std::string key_pem;          ///< of our certificate, without a pass phrase
  /// Name that the server's certificate must have; empty: the host we connect to.
  std::string server_name;
  /// Accepts any server certificate. For tests only; requires an explicit option.
  bool skip_verification = false;
};

/// The content of a regular file of at most `max_bytes`. Errors (kUnavailable): one line that names
/// the file.
[[nodiscard]] Result<std::string> ReadBoundedFile(const std::string& file, std::size_t max_bytes);

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
