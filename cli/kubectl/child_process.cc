#include "cli/kubectl/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/clock.h"

namespace evenkeel::cli {
namespace {

constexpr Duration kGrace = std::chrono::seconds(1);
constexpr Duration kBetweenLooks = std::chrono::milliseconds(10);

/// Both ends of a pipe; those not taken out are closed.
struct Pipe {
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) close(end);
    }
  }
  bool Open() { return pipe2(ends.data(), O_CLOEXEC) == 0; }
  int TakeReader() { return std::exchange(ends[0], -1); }
  std::array<int, 2> ends{-1, -1};
};

/// What a child starts with: no input, pipes as outputs, no signal blocked or ignored.
class SpawnSettings {
 public:
  SpawnSettings(int out, int err) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files_, err, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    sigset_t usual;
    sigemptyset(&usual);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&usual, signal);
    posix_spawnattr_setsigdefault(&attributes_, &usual);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  /// 0 or the number of an error.
  int Spawn(pid_t& pid, const std::vector<std::string>& command) {
    std::vector<std::string> words = command;  // argv is not const
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    return posix_spawnp(&pid, argv[0], &files_, &attributes_, argv.data(), environ);
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

tl::unexpected<Error> CannotRun(const std::string& program, int error) {
  return Fail(ErrorCode::kUnavailable,
              program + ": cannot be run: " + std::generic_category().message(error));
}

int CodeOf(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

Result<ChildProcess> ChildProcess::Start(const std::vector<std::string>& command) {
  Pipe out;
  Pipe err;
  if (!out.Open() || !err.Open()) return CannotRun(command.front(), errno);
  pid_t pid = -1;
  if (const int error = SpawnSettings(out.ends[1], err.ends[1]).Spawn(pid, command)) {
    return CannotRun(command.front(), error);
  }
  for (const int reader : {out.ends[0], err.ends[0]}) fcntl(reader, F_SETFL, O_NONBLOCK);
  return ChildProcess(pid, {out.TakeReader(), err.TakeReader()});
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

bool ChildProcess::Read(Duration patience, const StopSignals& stop, std::size_t max_bytes) {
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

std::optional<int> ChildProcess::WaitForExit(Duration patience, const StopSignals& stop) {
  const SteadyClock clock;
  const Instant end = clock.Now() + patience;
  while (!Exit() && clock.Now() < end) {
    if (stop.WaitFor(kBetweenLooks)) break;
  }
  return Exit();
}

}  // namespace evenkeel::cli
