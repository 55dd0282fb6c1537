#include "platform/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "platform/files.h"

namespace evenkeel::platform {
namespace {

/// Starts a shell command and returns what it writes to its standard output.
std::string OutputOf(const std::string& script, ProcessOptions options = {}) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "no pipe";
  const FileDescriptor reader(ends[0]);
  FileDescriptor writer(ends[1]);
  options.command = {"/bin/sh", "-c", script};
  options.descriptors.emplace_back(writer.Get(), STDOUT_FILENO);
  const auto pid = StartProcess(options);
  writer.Reset();
  if (!pid) return pid.error().message;
  auto text = ReadToEnd(reader, 4096);
  ::waitpid(*pid, nullptr, 0);
  return text ? *text : text.error().message;
}

TEST(StartProcess, PassesWordsWithoutAShell) {
  const auto pid = StartProcess({{"test", "a b; exit 3", "=", "a b; exit 3"}, true});
  ASSERT_TRUE(pid) << pid.error().message;
  int status = 0;
  ASSERT_EQ(::waitpid(*pid, &status, 0), *pid);
  EXPECT_EQ(status, 0);
}

TEST(StartProcess, NamesTheProgramThatIsNotThere) {
  const auto pid = StartProcess({{"/no/such/program"}});
  ASSERT_FALSE(pid);
  EXPECT_EQ(pid.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(pid.error().message, "/no/such/program cannot be started: No such file or directory");
  EXPECT_FALSE(StartProcess({{"true"}})) << "PATH is not searched";
}

TEST(StartProcess, SetsTheEnvironmentAndTheInput) {
  const std::vector<std::string> environment{"EVENKEEL_TEST=of the child"};
  ProcessOptions options;
  options.environment = &environment;
  options.no_input = true;
  EXPECT_EQ(OutputOf("read line; printf '%s/%s/%s' $? \"$EVENKEEL_TEST\" \"$HOME\"", options),
            "1/of the child/");
}

TEST(StartProcess, UnblocksSignalsAndRestoresTheirActions) {
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  for (const int signal : {SIGINT, SIGUSR1}) ::sigaddset(&blocked, signal);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &blocked, &before), 0);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  const std::string masks = OutputOf("grep -E '^Sig(Blk|Ign)' /proc/self/status");
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_NE(masks.find("SigBlk:\t0000000000000000"), std::string::npos) << masks;
  const auto ignored = masks.find("SigIgn:\t");
  ASSERT_NE(ignored, std::string::npos) << masks;
  const auto bits = std::stoull(masks.substr(ignored + 8), nullptr, 16);
  EXPECT_EQ(bits & (1U << (SIGINT - 1) | 1U << (SIGPIPE - 1)), 0U) << masks;
}

TEST(StartProcess, MakesAProcessGroupOnRequest) {
  ProcessOptions options;
  const std::string script = "cut -d' ' -f5 /proc/$$/stat";
  EXPECT_EQ(std::stoi(OutputOf(script, options)), ::getpgrp());
  options.own_process_group = true;
  EXPECT_NE(std::stoi(OutputOf(script, options)), ::getpgrp());
}

}  // namespace
}  // namespace evenkeel::platform
