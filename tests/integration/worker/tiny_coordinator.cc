#include "tests/integration/worker/tiny_coordinator.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <variant>

#include "core/base/check.h"
#include "workloads/built_in.h"

namespace evenkeel {
namespace {

// Only a failing test waits for it.
constexpr std::chrono::seconds kWorkerPatience{30};

}  // namespace

TinyCoordinator::TinyCoordinator(const std::string& workload, const std::string& parameters,
                                 const std::string& token) {
  workload_ = *workloads::BuiltInWorkloads().Make(workload, parameters, {});
  reducer_ = workload_->MakeReducer();
  engine::CoordinatorConfig config;
  config.job.name = "test";
  config.job.workload = workload;
  config.job.workload_parameters = parameters;
  config.costs = workload_->Costs();
  config.workload_version = workload_->Version();
  config.token = token;
  config.nodes = {{"pi"}};
  const std::lock_guard lock(mutex_);
  engine_.emplace(std::move(config));
  auto started = coordinator::WorkerServer::Start({}, *this);
  EVENKEEL_CHECK(started.has_value(), "no server");
  server_ = std::move(*started);
  Carry(engine_->Start(clock_.Now()));
  timers_ = std::thread([this] { RunTimers(); });
}

TinyCoordinator::~TinyCoordinator() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  timers_.join();
  server_->Shutdown();
}

std::string TinyCoordinator::Address() const {
  return "127.0.0.1:" + std::to_string(server_->Port());
}

bool TinyCoordinator::AwaitTasks(std::int64_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kWorkerPatience, [&] { return completed_ >= count; });
}

std::optional<model::JobState> TinyCoordinator::AwaitEnd() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kWorkerPatience, [this] { return end_.has_value(); });
  return end_;
}

std::string TinyCoordinator::FinishResult() {
  const std::lock_guard lock(mutex_);
  auto finished = reducer_->Finish(std::filesystem::temp_directory_path());
  return finished ? *finished : finished.error().message;
}

void TinyCoordinator::OnMessage(coordinator::StreamId stream, engine::ToCoordinator message) {
  const std::lock_guard lock(mutex_);
  Carry(engine_->OnMessage(stream, std::move(message), clock_.Now()));
}

void TinyCoordinator::OnClosed(coordinator::StreamId stream) {
  const std::lock_guard lock(mutex_);
  Carry(engine_->OnStreamClosed(stream, clock_.Now()));
}

void TinyCoordinator::Carry(engine::Effects effects) {
  for (std::size_t i = 0; i < effects.size(); ++i) {
    engine::Effect effect = std::move(effects[i]);
    if (auto* send = std::get_if<engine::SendToWorker>(&effect)) {
      server_->Send(send->stream, std::move(send->message));
    } else if (const auto* close = std::get_if<engine::CloseStream>(&effect)) {
      server_->Close(close->stream);
    } else if (const auto* persist = std::get_if<engine::Persist>(&effect)) {
      for (const auto& result : persist->results) {
        const auto added = reducer_->Add(result.range, result.results);
        EVENKEEL_CHECK(added.has_value(), "a result that cannot be");
        completed_ += result.range.Size();
      }
      auto more = engine_->OnDurable(persist->batch, clock_.Now());
      std::move(more.begin(), more.end(), std::back_inserter(effects));
    } else if (const auto* end = std::get_if<engine::EndJob>(&effect)) {
      end_ = end->state;
    }
  }
  changed_.notify_all();
}

void TinyCoordinator::RunTimers() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    Carry(engine_->OnTimer(clock_.Now()));
    const Duration left = engine_->NextTimer() == kNever ? Duration(std::chrono::hours(1))
                                                         : engine_->NextTimer() - clock_.Now();
    if (left > Duration::zero()) changed_.wait_for(lock, left);
  }
}

}  // namespace evenkeel
