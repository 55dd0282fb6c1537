#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "coordinator/worker_server.h"
#include "core/base/clock.h"
#include "core/engine/coordinator.h"
#include "workloads/workload.h"

namespace evenkeel {

/// The engine's coordinator behind a real server; what it wants durable is folded into the result
/// at once. Thread-safe.
class TinyCoordinator final : public coordinator::StreamListener {
 public:
  TinyCoordinator(const std::string& workload, const std::string& parameters,
                  const std::string& token);
  ~TinyCoordinator() override;

  [[nodiscard]] std::string Address() const;
  /// Waits until this number of tasks is complete; false on timeout.
  [[nodiscard]] bool AwaitTasks(std::int64_t count);
  /// How the job ended; nothing if it takes too long.
  [[nodiscard]] std::optional<model::JobState> AwaitEnd();
  /// `result` of the summary; once, after the end.
  [[nodiscard]] std::string FinishResult();

  void OnMessage(coordinator::StreamId stream, engine::ToCoordinator message) override;
  void OnClosed(coordinator::StreamId stream) override;

 private:
  void Carry(engine::Effects effects);
  void RunTimers();

  SteadyClock clock_;
  std::shared_ptr<const workloads::Workload> workload_;
  std::unique_ptr<workloads::Reducer> reducer_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::optional<engine::Coordinator> engine_;
  std::int64_t completed_ = 0;
  std::optional<model::JobState> end_;
  bool stopping_ = false;
  std::unique_ptr<coordinator::WorkerServer> server_;
  std::thread timers_;
};

}  // namespace evenkeel
