#include "cli/local_workers.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/log.h"
#include "platform/process.h"

extern char** environ;

namespace evenkeel::cli {
namespace {

constexpr platform::BackoffOptions kRestart{.shortest = std::chrono::milliseconds(200),
                                            .longest = std::chrono::seconds(5),
                                            .factor = 2,
                                            .jitter = {}};
// A worker that lived so long did not die of its start.
constexpr Duration kHealthy = std::chrono::seconds(10);
// Exit codes of evenkeel-worker that starting again would not change: bad input, refused.
constexpr int kWorkerBadInput = 2;
constexpr int kRefused = 3;

bool Sets(const std::vector<std::string>& variables, std::string_view other) {
  return std::any_of(variables.begin(), variables.end(), [other](const std::string& variable) {
    return other.starts_with(variable.substr(0, variable.find('=') + 1));
  });
}

// The environment of a worker: the job's, ours, and the token, which must not be seen on a command
// line.
std::vector<std::string> EnvironmentWith(const std::vector<std::string>& jobs,
                                         const std::string& token) {
  std::vector<std::string> environment{"EVENKEEL_TOKEN=" + token};
  for (const std::string& variable : jobs) {
    if (!Sets(environment, variable)) environment.push_back(variable);
  }
  const std::vector<std::string> set = environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!Sets(set, *entry)) environment.emplace_back(*entry);
  }
  return environment;
}

std::string HowItEnded(int status) {
  if (WIFSIGNALED(status))
    return std::string("was killed by signal ") + strsignal(WTERMSIG(status));
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

const char* ToString(SpeedControl control) {
  switch (control) {
    case SpeedControl::kNone:
      return "none";
    case SpeedControl::kCgroup:
      return "cgroup";
    case SpeedControl::kDutyCycle:
      return "duty-cycle";
    case SpeedControl::kSleep:
      break;
  }
  return "sleep";
}

LocalWorkers::LocalWorkers(Options options, std::vector<LocalNode> nodes,
                           std::function<void(const std::string&)> on_none_left)
    : options_(std::move(options)), on_none_left_(std::move(on_none_left)) {
  for (auto& node : nodes) {
    Child child(std::move(node), platform::Backoff(kRestart));
    Limit(child);
    children_.push_back(std::move(child));
  }
}

LocalWorkers::~LocalWorkers() { EndAll(Duration::zero()); }

bool LocalWorkers::NeedsQuota(const Child& child) const {
  const auto& speed = child.node.emulated_speed;
  return speed && !options_.sleeps && *speed < 1.0;  // one thread uses one core at most
}

void LocalWorkers::Limit(Child& child) {
  if (child.node.emulated_speed && options_.sleeps) control_ = SpeedControl::kSleep;
  coordinator::GroupLimits limits{{}, child.node.memory_limit_bytes};
  // If the system refused one quota, it refuses all.
  const bool tries_quota = NeedsQuota(child) && control_ != SpeedControl::kDutyCycle;
  if (tries_quota) limits.cpu_share = child.node.emulated_speed;
  if (!limits.cpu_share && !limits.memory_bytes) return;
  auto groups = coordinator::ControlGroups::Create(child.node.name, limits);
  if (!groups && limits.memory_bytes) {
    Log(LogLevel::kInfo,
        "no limit of memory for " + child.node.name + ": " + groups.error().message);
    if (!limits.cpu_share) return;
    groups = coordinator::ControlGroups::Create(child.node.name, {limits.cpu_share, {}});
  }
  if (groups) {
    child.groups = std::make_unique<coordinator::ControlGroups>(std::move(*groups));
    child.is_held_to_speed = tries_quota;
  } else {
    Log(LogLevel::kInfo, "no cgroup for " + child.node.name + ": " + groups.error().message);
  }
  if (tries_quota) control_ = groups ? SpeedControl::kCgroup : SpeedControl::kDutyCycle;
}

Result<void> LocalWorkers::StartAll() {
  const std::lock_guard lock(mutex_);
  for (auto& child : children_) {
    if (auto started = Start(child); !started) return started;
  }
  return {};
}

std::vector<std::string> LocalWorkers::Arguments(const Child& child) const {
  std::vector<std::string> arguments{options_.binary,
                                     "--coordinator",
                                     "127.0.0.1:" + std::to_string(options_.port),
                                     "--node",
                                     child.node.name,
                                     "--workload",
                                     options_.workload,
                                     "--threads",
                                     std::to_string(child.node.threads),
                                     "--give-up-after",
                                     "10",
                                     "--local"};
  if (!options_.files.empty()) {
    arguments.insert(arguments.end(), {"--local-files", options_.files.string()});
  }
  // The coordinator sends blocks to emulated nodes, as in a cluster.
  if (!child.node.emulated_speed) arguments.emplace_back("--read-blocks-locally");
  if (child.node.memory_limit_bytes) {
    arguments.insert(arguments.end(),
                     {"--task-memory", std::to_string(*child.node.memory_limit_bytes)});
  }
  if (child.node.emulated_speed && options_.sleeps) {
    arguments.insert(arguments.end(), {"--speed", std::to_string(*child.node.emulated_speed)});
  } else if (NeedsQuota(child) && !child.is_held_to_speed) {
    arguments.insert(arguments.end(), {"--duty-cycle", std::to_string(*child.node.emulated_speed)});
  }
  return arguments;
}

Result<void> LocalWorkers::Start(Child& child) {
  const auto environment = EnvironmentWith(options_.environment, options_.token);
  // In its own process group: Ctrl-C at the terminal reaches only this process.
  const auto pid = platform::StartProcess(
      {.command = Arguments(child), .environment = &environment, .own_process_group = true});
  if (!pid) return tl::unexpected(pid.error());
  child.pid = *pid;
  child.started = clock_.Now();
  child.due = kNever;
  if (child.groups) {
    if (auto entered = child.groups->Enter(child.pid); !entered) {
      options_.tell(child.node.name + " runs without limits: " + entered.error().message);
    }
  }
  return {};
}

void LocalWorkers::Collect() {
  std::string none_left;
  {
    const std::lock_guard lock(mutex_);
    for (auto& child : children_) {
      int status = 0;
      if (child.pid < 0 || waitpid(child.pid, &status, WNOHANG) != child.pid) continue;
      child.pid = -1;
      if (ending_) continue;
      Ended(child, status);
      if (!AnyLeft()) none_left = "no worker is left: the last one " + HowItEnded(status);
    }
  }
  if (!none_left.empty()) on_none_left_(none_left);
}

void LocalWorkers::Ended(Child& child, int status) {
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == 0) return;  // the job is over
  child.given_up = code == kWorkerBadInput || code == kRefused;
  options_.tell("worker " + child.node.name + " " + HowItEnded(status) +
                (child.given_up ? "" : "; it is started again"));
  if (child.given_up) return;
  const Instant now = clock_.Now();
  if (now - child.started > kHealthy) child.backoff.Reset();
  child.due = now + child.backoff.Next();
}

bool LocalWorkers::AnyLeft() const {
  return std::any_of(children_.begin(), children_.end(),
                     [](const Child& child) { return child.pid >= 0 || child.due != kNever; });
}

void LocalWorkers::StartDue() {
  const std::lock_guard lock(mutex_);
  if (ending_) return;
  const Instant now = clock_.Now();
  for (auto& child : children_) {
    if (child.pid >= 0 || child.due > now) continue;
    if (auto started = Start(child); !started) options_.tell(started.error().message);
  }
}

void LocalWorkers::EndAll(Duration grace) {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  const Instant deadline = clock_.Now() + grace;
  for (bool killed = false;;) {
    Collect();
    const std::lock_guard lock(mutex_);
    const bool none = std::none_of(children_.begin(), children_.end(),
                                   [](const Child& child) { return child.pid >= 0; });
    if (none) return;
    if (!killed && clock_.Now() >= deadline) {
      for (const auto& child : children_) {
        if (child.pid >= 0) kill(child.pid, SIGKILL);
      }
      killed = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace evenkeel::cli
