#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cli/run_plan.h"
#include "coordinator/control_groups.h"
#include "core/base/clock.h"
#include "platform/backoff.h"

namespace evenkeel::cli {

/// How emulated nodes are held to their speeds.
enum class SpeedControl { kNone, kCgroup, kDutyCycle, kSleep };
[[nodiscard]] const char* ToString(SpeedControl control);

/// The worker processes of a local run, one a node: started, held to their speeds, started again
/// when they die, ended with the run. Thread-safe.
class LocalWorkers {
 public:
  struct Options {
    std::string binary;      ///< of evenkeel-worker
    std::uint16_t port = 0;  ///< of the coordinator on loopback
    std::string token;       ///< handed over in the environment
    std::string workload;
    std::vector<std::string> environment;  ///< of the job, "NAME=value"
    std::filesystem::path files;           ///< from PrepareLocalFiles; empty: tasks have no files
    bool sleeps = false;                   ///< emulated speeds are the workload's business
    /// Hears what happened to workers, a line each; called on any thread that calls LocalWorkers.
    std::function<void(const std::string& line)> tell;
  };
  /// `on_none_left` is called when no worker runs and none will be started again.
  LocalWorkers(Options options, std::vector<LocalNode> nodes,
               std::function<void(const std::string& reason)> on_none_left);
  /// Kills those that are left.
  ~LocalWorkers();

  /// Starts all of them. Errors: kUnavailable (the binary cannot be started).
  [[nodiscard]] Result<void> StartAll();
  /// Collects those that ended and plans their return. To be called after SIGCHLD.
  void Collect();
  /// Starts those whose pause is over.
  void StartDue();
  /// Ends the run: restarts no worker, waits until all have ended, kills them after `grace`.
  void EndAll(Duration grace);

  [[nodiscard]] SpeedControl Control() const { return control_; }

 private:
  struct Child {
    Child(LocalNode its_node, const platform::Backoff& restarts)
        : node(std::move(its_node)), backoff(restarts) {}

    LocalNode node;
    pid_t pid = -1;  // -1: does not run
    Instant started{};
    Instant due = kNever;       // when it is to be started again
    platform::Backoff backoff;  // pauses before the next start
    std::unique_ptr<coordinator::ControlGroups> groups;
    bool is_held_to_speed = false;  ///< by its groups
    bool given_up = false;
  };

  void Limit(Child& child);
  /// Whether the emulated speed takes a control group or pauses of the worker.
  [[nodiscard]] bool NeedsQuota(const Child& child) const;
  [[nodiscard]] Result<void> Start(Child& child);
  [[nodiscard]] std::vector<std::string> Arguments(const Child& child) const;
  void Ended(Child& child, int status);
  [[nodiscard]] bool AnyLeft() const;

  Options options_;
  std::function<void(const std::string&)> on_none_left_;
  SteadyClock clock_;
  std::mutex mutex_;
  std::vector<Child> children_;
  SpeedControl control_ = SpeedControl::kNone;
  bool ending_ = false;
};

}  // namespace evenkeel::cli
