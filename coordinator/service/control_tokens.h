#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace evenkeel::coordinator {

/// Reads a file of 1 to 4 tokens, one a line, each of at least 16 printable characters. Errors:
/// kInvalidInput, "FILE: what is wrong".
[[nodiscard]] Result<std::vector<std::string>> ReadControlTokens(const std::filesystem::path& file);

/// The tokens by which the operator is known: the lines of a file, which is read again from time to
/// time, because the operator's key may be replaced while the job runs. Thread-safe.
class ControlTokens {
 public:
  /// `tokens` were read from the file. `clock` must outlive it.
  ControlTokens(std::filesystem::path file, std::vector<std::string> tokens, const Clock& clock);

  /// Whether the header Authorization shows one of the tokens. Takes the same time whatever is
  /// wrong with it.
  [[nodiscard]] bool Authorizes(const std::string& authorization);
  /// The present tokens, at least one.
  [[nodiscard]] std::vector<std::string> Tokens();

 private:
  using Digest = std::array<unsigned char, 32>;

  void Set(std::vector<std::string> tokens);
  void ReadAgain();

  const std::filesystem::path file_;
  const Clock& clock_;
  std::mutex mutex_;
  // All guarded by mutex_.
  std::vector<std::string> tokens_;
  std::vector<Digest> digests_;  // of the whole header
  Instant read_again_{};
};

}  // namespace evenkeel::coordinator
