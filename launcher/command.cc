#include "launcher/command.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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
  read_progress_at_.reset();
  memory_kills_before_ = memory_kills_.Count();
  started_ = SteadyClock::now();
  Ended trouble;
  trouble.id = id;
  trouble.ending = Ending::kNoProcess;
  Ends ends;
  const bool opened = OpenPipes(line.TheJob(), ends);
  trouble.value = errno;
  if (opened) {
    const Spawned spawned = Spawn({.programs = line.Programs(),
                                   .words = line.Words(),
                                   .variables = line.Variables(),
                                   .folder = line.Folder(),
                                   .input = EmptyInput(),
                                   .output = ends.output,
                                   .error = ends.error,
                                   .progress = ends.progress,
                                   .control = ends.control,
                                   .parent = ::getpid()});
    pid_ = spawned.pid;
    trouble.ending = spawned.ending;
    trouble.value = spawned.error;
  }
  for (const int end : {ends.output, ends.error, ends.progress, ends.control}) {
    if (end >= 0) ::close(end);
  }
  if (Running()) return std::nullopt;
  ClosePipes();
  return trouble;
}

bool Command::OpenPipes(const Job& job, Ends& ends) {
  ends.output = output_.Open(job.output_limit);
  if (ends.output < 0) return false;
  ends.error = error_.Open(job.output_limit);
  if (ends.error < 0 || !job.follows_progress) return ends.error >= 0;
  ends.progress = progress_.Open();
  if (ends.progress < 0) return false;
  ends.control = control_.Open();
  return ends.control >= 0;
}

void Command::ClosePipes() {
  output_.Close();
  error_.Close();
  progress_.Close();
  control_.Close();
}

void Command::ReadProgress() {
  progress_.Read(kMostAtOnce);
  read_progress_at_ = SteadyClock::now() + kProgressInterval;
}

void Command::Stop(std::chrono::milliseconds grace) {
  if (!Running() || stopped_) return;
  stopped_ = true;
  kill_at_ = SteadyClock::now() + grace;
  ::kill(-pid_, SIGTERM);
  ::kill(-pid_, SIGCONT);  // who is stopped would not hear it
}

std::optional<SteadyClock::time_point> Command::NextDeadline() const {
  if (!kill_at_ || !read_progress_at_) return kill_at_ ? kill_at_ : read_progress_at_;
  return std::min(*kill_at_, *read_progress_at_);
}

void Command::HandleDeadlines() {
  if (!NextDeadline()) return;
  const auto now = SteadyClock::now();
  if (read_progress_at_ && now >= *read_progress_at_) read_progress_at_.reset();
  if (!kill_at_ || now < *kill_at_) return;
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
  read_progress_at_.reset();
  output_.Read(kMostInPipe);
  error_.Read(kMostInPipe);
  progress_.Read(kMostInPipe);
  ClosePipes();
  Ended ended;
  ended.id = id_;
  ended.ending = WIFSIGNALED(status) ? Ending::kSignalled : Ending::kExited;
  ended.value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  ended.wall_nanoseconds =
      static_cast<std::uint64_t>(std::chrono::nanoseconds(SteadyClock::now() - started_).count());
  ended.cpu_nanoseconds = Nanoseconds(usage.ru_utime) + Nanoseconds(usage.ru_stime);
  // The kernel may have killed a process that the command had started, and the command has failed
  // for that in its own way. Commands that run side by side share the count of kills: one that
  // failed for another reason at the same time is taken for killed, too, which costs it one run.
  const bool failed = !stopped_ && ExitCodeOf(ended) != 0;
  ended.out_of_memory = failed && memory_kills_.Count() > memory_kills_before_;
  ended.output_cut = output_.Cut();
  ended.error_cut = error_.Cut();
  ended.output = std::exchange(output_.Kept(), {});
  ended.error = std::exchange(error_.Kept(), {});
  return ended;
}

}  // namespace evenkeel::launcher
