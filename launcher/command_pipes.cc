#include "launcher/command_pipes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace evenkeel::launcher {
namespace {

constexpr std::size_t kReadBytes = 64 << 10;  // what a pipe holds

/// Makes a pipe whose end `ours` (0 or 1) does not block. The command is to find an ordinary pipe
/// at the other end. Returns both ends; {-1, -1} and errno if there is no pipe.
std::array<int, 2> MakePipe(std::size_t ours) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {-1, -1};
  ::fcntl(ends.at(ours), F_SETFL, O_NONBLOCK);
  return ends;
}

void CloseDescriptor(int& descriptor) {
  if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
}

}  // namespace

int PipeReader::OpenPipe() {
  Close();
  const auto [reading, writing] = MakePipe(0);
  descriptor_ = reading;
  return writing;
}

void PipeReader::Read(std::size_t most) {
  static std::array<char, kReadBytes> bytes;
  for (std::size_t got = 0; descriptor_ >= 0 && got < most;) {
    const ssize_t count = ::read(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return Close();
    const auto size = static_cast<std::size_t>(count);
    Take({bytes.data(), size});
    got += size;
    if (size < bytes.size()) return;  // that was all, or poll reports more
  }
}

void PipeReader::Close() { CloseDescriptor(descriptor_); }

int CapturedPipe::Open(std::size_t limit) {
  kept_.clear();
  cut_ = false;
  limit_ = limit;
  return OpenPipe();
}

void CapturedPipe::Take(std::string_view bytes) {
  const std::size_t kept = std::min(bytes.size(), limit_ - kept_.size());
  kept_.append(bytes.substr(0, kept));
  cut_ = cut_ || kept < bytes.size();
}

int ProgressPipe::Open() {
  lines_ = ItemLineReader(kDone);
  highest_ = taken_ = -1;
  return OpenPipe();
}

void ProgressPipe::Take(std::string_view bytes) {
  while (const auto item = lines_.Next(bytes)) highest_ = std::max(highest_, *item);
}

std::optional<std::int64_t> ProgressPipe::TakeNewHighest() {
  if (std::exchange(taken_, highest_) == highest_) return std::nullopt;
  return highest_;
}

int ControlPipe::Open() {
  Close();
  limit_.reset();
  const auto [reading, writing] = MakePipe(1);
  descriptor_ = writing;
  return reading;
}

void ControlPipe::Limit(std::int64_t item) {
  if (descriptor_ < 0 || (limit_ && item >= *limit_)) return;
  limit_ = item;
  unwritten_ = true;
  Write();
}

void ControlPipe::Write() {
  if (!unwritten_) return;
  // So short a line is written as a whole or not at all (pipe(7)).
  const std::string line = ItemLine(kLast, *limit_);
  ssize_t count = 0;
  do {
    count = ::write(descriptor_, line.data(), line.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0 && errno == EAGAIN) return;
  unwritten_ = false;
  if (count < 0) Close();  // the command has closed its end
}

void ControlPipe::Close() {
  CloseDescriptor(descriptor_);
  unwritten_ = false;
}

}  // namespace evenkeel::launcher
