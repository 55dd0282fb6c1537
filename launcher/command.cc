#include "launcher/command.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "launcher/empty_input.h"
#include "launcher/spawn.h"

namespace evenkeel::launcher {
namespace {

// Bytes left in a pipe when the command has ended; Linux limits a user's pipe to this.
constexpr std::size_t kMostInPipe = 1 << 20;

std::uint64_t Nanoseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_usec) * 1'000U;
}

}  // namespace

std::optional<Ended> Command::Start(std::uint64_t id, const CommandLine& line) {
  id_ = id;
  stopped_ = false;
  kill_at_.reset();
  started_ = SteadyClock::now();
  Ended trouble;
  trouble.id = id;
  trouble.ending = Ending::kNoProcess;
  const int output = output_.Open(line.TheJob().output_limit);
  const int error = output < 0 ? -1 : error_.Open(line.TheJob().output_limit);
  trouble.value = errno;
  if (error >= 0) {
    const Spawned spawned = Spawn({line.Programs(), line.Words(), line.Variables(), line.Folder(),
                                   EmptyInput(), output, error, ::getpid()});
    pid_ = spawned.pid;
    trouble.ending = spawned.ending;
    trouble.value = spawned.error;
    ::close(error);
  }
  if (output >= 0) ::close(output);
  if (Running()) return std::nullopt;
  output_.Close();
  error_.Close();
  return trouble;
}

void Command::Stop(std::chrono::milliseconds grace) {
  if (!Running() || stopped_) return;
  stopped_ = true;
  kill_at_ = SteadyClock::now() + grace;
  ::kill(-pid_, SIGTERM);
  ::kill(-pid_, SIGCONT);  // who is stopped would not hear it
}

void Command::KillIfDue() {
  if (!kill_at_ || SteadyClock::now() < *kill_at_) return;
  Kill();
  kill_at_.reset();
}

void Command::Kill() const {
  if (Running()) ::kill(-pid_, SIGKILL);
}

Ended Command::Collect() {
  Kill();  // the group has this number as long as its first process is not collected
  int status = 0;
  rusage usage{};
  ::wait4(pid_, &status, 0, &usage);
  pid_ = -1;
  kill_at_.reset();
  output_.Read(kMostInPipe);
  error_.Read(kMostInPipe);
  output_.Close();
  error_.Close();
  Ended ended;
  ended.id = id_;
  ended.ending = WIFSIGNALED(status) ? Ending::kSignalled : Ending::kExited;
  ended.value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  ended.wall_nanoseconds =
      static_cast<std::uint64_t>(std::chrono::nanoseconds(SteadyClock::now() - started_).count());
  ended.cpu_nanoseconds = Nanoseconds(usage.ru_utime) + Nanoseconds(usage.ru_stime);
  ended.output_cut = output_.Cut();
  ended.error_cut = error_.Cut();
  ended.output = std::exchange(output_.Kept(), {});
  ended.error = std::exchange(error_.Kept(), {});
  return ended;
}

}  // namespace evenkeel::launcher
