#include "tests/integration/worker/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>

#include "core/base/check.h"

namespace evenkeel {
namespace {

constexpr int kPatienceMilliseconds = 30'000;

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Child::Child(const std::vector<std::string>& arguments, const std::string& token) {
  std::vector<std::string> argument_texts = arguments;
  std::vector<std::string> environment_texts = {"EVENKEEL_TOKEN=" + token, "PATH=/usr/bin:/bin"};
  const std::vector<char*> argument_pointers = Pointers(argument_texts);
  const std::vector<char*> environment_pointers = Pointers(environment_texts);
  std::array<int, 2> pipe{};
  EVENKEEL_CHECK(::pipe2(pipe.data(), O_CLOEXEC) == 0, "no pipe");
  pid_ = ::fork();
  EVENKEEL_CHECK(pid_ >= 0, "no child");
  if (pid_ == 0) {
    ::dup2(pipe[1], STDOUT_FILENO);
    ::dup2(pipe[1], STDERR_FILENO);
    ::execve(argument_pointers[0], argument_pointers.data(), environment_pointers.data());
    ::_exit(127);
  }
  ::close(pipe[1]);
  output_ = pipe[0];
}

Child::~Child() {
  if (!exit_) {
    Signal(SIGKILL);
    static_cast<void>(AwaitExit());
  }
  ::close(output_);
}

void Child::Signal(int number) const { ::kill(pid_, number); }

std::optional<int> Child::AwaitExit() {
  if (exit_ || !AwaitEnd(pid_)) return exit_;
  int status = 0;
  EVENKEEL_CHECK(::waitpid(pid_, &status, 0) == pid_, "a child that cannot be reaped");
  exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return exit_;
}

std::string Child::ReadLine() {
  std::string line;
  char byte = 0;
  while (::read(output_, &byte, 1) == 1 && byte != '\n') line += byte;
  return line;
}

std::string Child::ReadAll() {
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = ::read(output_, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

Duration Child::CpuTime() const {
  clockid_t clock{};
  timespec used{};
  EVENKEEL_CHECK(::clock_getcpuclockid(pid_, &clock) == 0 && ::clock_gettime(clock, &used) == 0,
                 "the child's CPU time cannot be read");
  return std::chrono::seconds(used.tv_sec) + Duration(used.tv_nsec);
}

bool AwaitEnd(pid_t process) {
  const auto handle = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (handle < 0) return true;
  pollfd ended{handle, POLLIN, 0};
  const bool in_time = ::poll(&ended, 1, kPatienceMilliseconds) == 1;
  ::close(handle);
  return in_time;
}

std::string Slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace evenkeel
