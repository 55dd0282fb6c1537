#include "launcher/range.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "launcher/command_line.h"
#include "launcher/item_lines.h"
#include "launcher/placeholder.h"
#include "launcher/protocol.h"
#include "launcher/spawn.h"

namespace evenkeel::launcher {
namespace {

constexpr int kExitBadUsage = 2;
constexpr std::int64_t kMaxDescriptor = 1'000'000;
constexpr std::size_t kControlReadBytes = 4096;

constexpr const char* kRangeUsage =
    "Usage: evenkeel-range FIRST LAST -- COMMAND [WORD...]\n"
    "Runs COMMAND for each item from FIRST to LAST, one after the other, and stops at the first "
    "one\n"
    "that fails. {} in a word stands for the item; without {}, the item is the last word.\n";

void Print(const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); }

int Refuse(const std::string& reason) {
  Print(std::string(kRangeProgram) + ": " + reason);
  return kExitBadUsage;
}

/// Reads the number of a descriptor from an environment variable, and keeps the descriptor from
/// commands. -1: the variable is not set. Nothing: there is no such descriptor.
std::optional<int> InheritedDescriptor(std::string_view variable) {
  const char* const text = std::getenv(variable.data());
  if (text == nullptr) return -1;
  const auto number = ParseItem(text);
  if (!number || *number <= STDERR_FILENO || *number > kMaxDescriptor) return std::nullopt;
  const int descriptor = static_cast<int>(*number);
  if (::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) return std::nullopt;
  return descriptor;
}

/// Blocks the signals that end this program, and SIGPIPE. Returns the former, without those that
/// its parent has made it ignore.
sigset_t BlockEndingSignals() {
  sigset_t ending;
  ::sigemptyset(&ending);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
      ::sigaddset(&ending, number);
    }
  }
  ::signal(SIGCHLD, SIG_DFL);  // ended children would vanish if the parent has made it ignored
  sigset_t blocked = ending;
  ::sigaddset(&blocked, SIGCHLD);
  ::sigaddset(&blocked, SIGPIPE);
  ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
  return ending;
}

/// One run of the program.
class RangeLoop {
 public:
  /// The descriptors are -1 if there are none.
  RangeLoop(std::vector<std::string> words, int progress, int control)
      : words_(std::move(words)),
        line_(JobOf(words_), environ),
        ending_signals_(BlockEndingSignals()),
        progress_(progress),
        control_(control),
        followed_(progress >= 0 || control >= 0) {}

  /// Returns the exit code.
  [[nodiscard]] int Run(std::int64_t first, std::int64_t last) {
    last_ = last;
    for (std::int64_t item = first;; ++item) {
      ReadLimits();
      if (item > last_) return EXIT_SUCCESS;
      TakePendingSignal();
      if (signal_ != 0) {
        Print("stopped by signal " + std::to_string(signal_) + " before item " +
              std::to_string(item));
        return ExitCodeOf(Ending::kSignalled, signal_);
      }
      if (const int code = RunItem(item); code != EXIT_SUCCESS) return code;
      ReportDone(item);
    }
  }

 private:
  static Job JobOf(const std::vector<std::string>& words) {
    Job job;
    job.words = words;
    return job;
  }

  [[nodiscard]] int RunItem(std::int64_t item) {
    const std::string name = "item " + std::to_string(item) + ": ";
    static_cast<void>(line_.Change(RunOf(std::to_string(item))));  // its positions are good
    const Spawned spawned = Spawn({.programs = line_.Programs(),
                                   .words = line_.Words(),
                                   .variables = line_.Variables(),
                                   .own_group = false,
                                   .parent = ::getpid()});
    if (spawned.pid < 0) {
      Print(name + "cannot run " + line_.Words()[0] + ": " + std::strerror(spawned.error));
      return ExitCodeOf(spawned.ending, spawned.error);
    }
    const int status = Await(spawned.pid);
    if (WIFSIGNALED(status)) {
      Print(name + "signal " + std::to_string(WTERMSIG(status)));
      return ExitCodeOf(Ending::kSignalled, WTERMSIG(status));
    }
    const int code = WEXITSTATUS(status);
    if (code != EXIT_SUCCESS) Print(name + "exit code " + std::to_string(code));
    return code;
  }

  [[nodiscard]] launcher::Run RunOf(const std::string& item) const {
    launcher::Run run;
    for (std::uint32_t n = 0; n < words_.size(); ++n) {
      if (!HasPlaceholder(words_[n], kPlaceholder)) continue;
      run.words.push_back({n, ReplacePlaceholder(words_[n], kPlaceholder, item)});
    }
    if (run.words.empty()) run.words.push_back({static_cast<std::uint32_t>(words_.size()), item});
    return run;
  }

  /// Returns the wait status of the child. Signals that come meanwhile end the loop after it.
  [[nodiscard]] int Await(pid_t child) {
    // Sent before there was this child, which therefore did not get it.
    if (TakePendingSignal()) ::kill(child, signal_);
    sigset_t awaited = ending_signals_;
    ::sigaddset(&awaited, SIGCHLD);
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
      siginfo_t sent{};
      const int number = ::sigwaitinfo(&awaited, &sent);
      if (number <= 0 || number == SIGCHLD) continue;
      signal_ = number;
      // A launcher and a terminal signal the whole process group, others perhaps only this process.
      if (!followed_ && sent.si_code == SI_USER) ::kill(child, number);
    }
    return status;
  }

  /// Whether a signal to end was sent and not taken yet.
  bool TakePendingSignal() {
    const timespec at_once{};
    const int number = ::sigtimedwait(&ending_signals_, nullptr, &at_once);
    if (number > 0) signal_ = number;
    return number > 0;
  }

  void ReportDone(std::int64_t item) {
    if (progress_ < 0) return;
    const std::string line = ItemLine(kDone, item);
    // The items have to be done even if the reader has gone.
    if (::write(progress_, line.data(), line.size()) < 0 && errno == EPIPE) progress_ = -1;
  }

  /// Reads what there is without waiting.
  void ReadLimits() {
    std::array<char, kControlReadBytes> bytes;
    pollfd watched{control_, POLLIN, 0};
    while (control_ >= 0 && ::poll(&watched, 1, 0) > 0) {
      const ssize_t count = ::read(control_, bytes.data(), bytes.size());
      if (count <= 0) {
        if (count == 0 || (errno != EINTR && errno != EAGAIN)) control_ = -1;
        return;
      }
      std::string_view piece(bytes.data(), static_cast<std::size_t>(count));
      while (const auto item = limits_.Next(piece)) last_ = std::min(last_, *item);
    }
  }

  const std::vector<std::string> words_;
  CommandLine line_;
  const sigset_t ending_signals_;
  int progress_;
  int control_;
  const bool followed_;
  ItemLineReader limits_{kLast};
  std::int64_t last_ = 0;
  int signal_ = 0;  // that ends the loop; 0: none so far
};

std::string RangeOfItems(std::int64_t first) {
  return "must be a whole number from " + std::to_string(first) + " to " +
         std::to_string(kMaxItem) + ", is ";
}

}  // namespace

int RunRange(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h")) {
    return std::fputs(kRangeUsage, stdout) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
  }
  if (arguments.size() < 4 || arguments[2] != "--") {
    return Refuse("must be called as evenkeel-range FIRST LAST -- COMMAND [WORD...]");
  }
  const auto first = ParseItem(arguments[0]);
  if (!first) return Refuse("FIRST: " + RangeOfItems(0) + arguments[0]);
  const auto last = ParseItem(arguments[1]);
  if (!last || *last < *first) return Refuse("LAST: " + RangeOfItems(*first) + arguments[1]);
  std::array<int, 2> descriptors{};
  for (std::size_t n = 0; n < descriptors.size(); ++n) {
    const std::string_view variable = n == 0 ? kProgressVariable : kControlVariable;
    const auto descriptor = InheritedDescriptor(variable);
    if (!descriptor) {
      return Refuse(std::string(variable) +
                    ": must be the number of an open descriptor from 3, is " +
                    std::getenv(variable.data()));
    }
    descriptors.at(n) = *descriptor;
  }
  return RangeLoop({arguments.begin() + 3, arguments.end()}, descriptors[0], descriptors[1])
      .Run(*first, *last);
}

}  // namespace evenkeel::launcher
