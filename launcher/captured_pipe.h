#pragma once

#include <cstddef>
#include <string>

namespace evenkeel::launcher {

/// The reading end of a command's stdout or stderr: keeps the first bytes up to a limit, reads and
/// throws away the rest, so that the command never waits for a reader. Owns its descriptor. Not
/// thread-safe.
class CapturedPipe {
 public:
  CapturedPipe() = default;
  ~CapturedPipe() { Close(); }
  CapturedPipe(const CapturedPipe&) = delete;
  CapturedPipe& operator=(const CapturedPipe&) = delete;

  /// Begins anew. Returns the writing end, which is the caller's; -1 and errno if there is none.
  [[nodiscard]] int Open(std::size_t limit);
  /// Reads what there is, at most about `most` bytes.
  void Read(std::size_t most);
  void Close();

  [[nodiscard]] int Descriptor() const { return descriptor_; }  ///< -1: closed
  [[nodiscard]] bool Cut() const { return cut_; }
  [[nodiscard]] std::string& Kept() { return kept_; }

 private:
  int descriptor_ = -1;
  std::size_t limit_ = 0;
  bool cut_ = false;
  std::string kept_;
};

}  // namespace evenkeel::launcher
