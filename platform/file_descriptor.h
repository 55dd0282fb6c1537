#pragma once

#include <unistd.h>

#include <utility>

namespace evenkeel::platform {

/// Owns an open file descriptor; -1 is none. Closes it, without an answer, at its end. Not
/// thread-safe.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  /// Takes over an open descriptor, or -1.
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) Reset(other.Release());
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { Reset(); }

  [[nodiscard]] int Get() const { return number_; }
  [[nodiscard]] bool IsOpen() const { return number_ >= 0; }
  /// Gives the descriptor to the caller.
  [[nodiscard]] int Release() { return std::exchange(number_, -1); }
  /// Closes the descriptor and takes over another one.
  void Reset(int number = -1) {
    if (number_ >= 0) ::close(number_);
    number_ = number;
  }

 private:
  int number_ = -1;
};

}  // namespace evenkeel::platform
