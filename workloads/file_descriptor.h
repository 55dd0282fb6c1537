#pragma once

#include <unistd.h>

#include <utility>

namespace evenkeel::workloads {

/// Owns an open file of the system; -1 is none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int Get() const { return number_; }

 private:
  int number_;
};

}  // namespace evenkeel::workloads
