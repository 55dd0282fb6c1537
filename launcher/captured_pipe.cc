#include "launcher/captured_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace evenkeel::launcher {
namespace {

constexpr std::size_t kReadBytes = 64 << 10;  // what a pipe holds

}  // namespace

int CapturedPipe::Open(std::size_t limit) {
  Close();
  kept_.clear();
  cut_ = false;
  limit_ = limit;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return -1;
  // Of this end alone: the command is to find an ordinary pipe.
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  descriptor_ = ends[0];
  return ends[1];
}

void CapturedPipe::Read(std::size_t most) {
  static std::array<char, kReadBytes> bytes;
  for (std::size_t got = 0; descriptor_ >= 0 && got < most;) {
    const ssize_t count = ::read(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return Close();
    const auto size = static_cast<std::size_t>(count);
    const std::size_t kept = std::min(size, limit_ - kept_.size());
    kept_.append(bytes.data(), kept);
    cut_ = cut_ || kept < size;
    got += size;
    if (size < bytes.size()) return;  // that was all, or poll reports more
  }
}

void CapturedPipe::Close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace evenkeel::launcher
