#include "cli/kubectl/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/clock.h"
#include "platform/file_descriptor.h"
#include "platform/process.h"

namespace evenkeel::cli {
namespace {

constexpr Duration kGrace = std::chrono::seconds(1);
constexpr Duration kBetweenLooks = std::chrono::milliseconds(10);

int CodeOf(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

Result<ChildProcess> ChildProcess::Start(const std::vector<std::string>& command,
                                         const std::string& input) {
  const auto trouble = [&command] {
    return Fail(ErrorCode::kUnavailable,
                command.front() + " cannot be started: " + std::generic_category().message(errno));
  };
  platform::ProcessOptions options{.command = command, .search_path = true};
  // A file in memory: unlike a pipe, it can be written before the program runs.
  platform::FileDescriptor input_file;
  options.no_input = input.empty();
  if (!input.empty()) {
    input_file.Reset(memfd_create("input", MFD_CLOEXEC));
    const auto bytes = static_cast<ssize_t>(input.size());
    if (!input_file.IsOpen() || write(input_file.Get(), input.data(), input.size()) != bytes ||
        lseek(input_file.Get(), 0, SEEK_SET) != 0) {
      return trouble();
    }
    options.descriptors.emplace_back(input_file.Get(), STDIN_FILENO);
  }
  std::array<platform::FileDescriptor, 2> readers;
  std::array<platform::FileDescriptor, 2> writers;
  for (std::size_t i = 0; i < readers.size(); ++i) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      return trouble();
    }
    readers[i].Reset(ends[0]);
    writers[i].Reset(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
  options.descriptors.emplace_back(writers[0].Get(), STDOUT_FILENO);
  options.descriptors.emplace_back(writers[1].Get(), STDERR_FILENO);
  const auto pid = platform::StartProcess(options);
  if (!pid) return tl::unexpected(pid.error());
  return ChildProcess(*pid, {readers[0].Release(), readers[1].Release()});
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pipes_(std::exchange(other.pipes_, {-1, -1})),
      texts_(std::move(other.texts_)),
      overflowed_(other.overflowed_),
      exit_(other.exit_) {}

ChildProcess::~ChildProcess() {
  for (const int pipe : pipes_) {
    if (pipe >= 0) close(pipe);
  }
  if (Exit() || pid_ < 0) return;
  kill(pid_, SIGTERM);
  const SteadyClock clock;
  const Instant end = clock.Now() + kGrace;
  while (clock.Now() < end) {
    if (Exit()) return;
    poll(nullptr, 0, static_cast<int>(kBetweenLooks / std::chrono::milliseconds(1)));
  }
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool ChildProcess::Read(Duration patience, const platform::BlockedSignals& stop,
                        std::size_t max_bytes) {
  std::array<pollfd, 3> watched{
      {{pipes_[0], POLLIN, 0}, {pipes_[1], POLLIN, 0}, {stop.Descriptor(), POLLIN, 0}}};
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
  poll(watched.data(), watched.size(),
       static_cast<int>(std::clamp<std::int64_t>(whole, 0, 60'000)));
  for (const std::size_t which : {std::size_t{0}, std::size_t{1}}) {
    if (watched[which].revents != 0 && pipes_[which] >= 0) ReadFrom(which, max_bytes);
  }
  return pipes_[0] >= 0 || pipes_[1] >= 0;
}

void ChildProcess::ReadFrom(std::size_t which, std::size_t max_bytes) {
  std::array<char, 65536> buffer;
  const ssize_t got = read(pipes_[which], buffer.data(), buffer.size());
  if (got > 0) {
    std::string& text = texts_[which];
    const std::size_t room = max_bytes - std::min(max_bytes, text.size());
    const auto size = static_cast<std::size_t>(got);
    text.append(buffer.data(), std::min(room, size));
    overflowed_ |= size > room;
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    close(std::exchange(pipes_[which], -1));
  }
}

std::optional<int> ChildProcess::Exit() {
  int status = 0;
  if (pid_ >= 0 && waitpid(pid_, &status, WNOHANG) == pid_) {
    exit_ = CodeOf(status);
    pid_ = -1;
  }
  return exit_;
}

std::optional<int> ChildProcess::WaitForExit(Duration patience,
                                             const platform::BlockedSignals& stop) {
  const SteadyClock clock;
  const Instant end = clock.Now() + patience;
  while (!Exit() && clock.Now() < end) {
    if (stop.WaitFor(kBetweenLooks)) break;
  }
  return Exit();
}

}  // namespace evenkeel::cli
