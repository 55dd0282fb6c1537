#include "platform/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <system_error>

#include "core/base/check.h"

namespace evenkeel::platform {
namespace {

/// Pointers into `strings` as exec takes them.
std::vector<char*> PointersTo(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// The parameters of posix_spawn other than words.
class SpawnParameters {
 public:
  explicit SpawnParameters(const ProcessOptions& options) {
    ::posix_spawn_file_actions_init(&files_);
    if (options.no_input) {
      ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    for (const auto& [ours, theirs] : options.descriptors) {
      ::posix_spawn_file_actions_adddup2(&files_, ours, theirs);
    }
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    sigset_t defaults;
    ::sigemptyset(&defaults);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) ::sigaddset(&defaults, signal);
    ::posix_spawnattr_setsigdefault(&attributes_, &defaults);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (options.own_process_group) flags |= POSIX_SPAWN_SETPGROUP;
    ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  ~SpawnParameters() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnParameters(const SpawnParameters&) = delete;
  SpawnParameters& operator=(const SpawnParameters&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* Files() const { return &files_; }
  [[nodiscard]] const posix_spawnattr_t* Attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};  // its process group is 0: a new one
};

}  // namespace

Result<pid_t> StartProcess(const ProcessOptions& options) {
  EVENKEEL_CHECK(!options.command.empty(), "a process needs a program");
  std::vector<std::string> words = options.command;  // argv is not const
  std::vector<std::string> variables;
  if (options.environment != nullptr) variables = *options.environment;
  const std::vector<char*> argv = PointersTo(words);
  const std::vector<char*> envp = PointersTo(variables);
  const SpawnParameters parameters(options);
  const auto spawn = options.search_path ? ::posix_spawnp : ::posix_spawn;
  pid_t pid = -1;
  const int error = spawn(&pid, argv[0], parameters.Files(), parameters.Attributes(), argv.data(),
                          options.environment != nullptr ? envp.data() : environ);
  if (error == 0) return pid;
  return Fail(ErrorCode::kUnavailable, options.command.front() + " cannot be started: " +
                                           std::generic_category().message(error));
}

}  // namespace evenkeel::platform
