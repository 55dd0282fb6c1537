#include "worker/worker_shell.h"

#include <array>
#include <cstdio>
#include <random>
#include <utility>
#include <variant>

#include "core/base/freed_memory.h"
#include "core/base/log.h"
#include "worker/batch_runner.h"
#include "worker/machine.h"

namespace evenkeel::worker {
namespace {

// All of it may have to be said again at once after a reconnect: half of what a stream may queue.
constexpr std::int64_t kMaxUnacknowledgedBytes = protocol::kMaxQueuedBytes / 2;

std::uint64_t RandomBits() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

std::string Hex(std::uint64_t bits) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(bits));
  return text.data();
}

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::Make(WorkerOptions options,
                                                           const workloads::Registry& registry,
                                                           const Clock& clock) {
  const auto version = registry.VersionOf(options.workload);
  if (!version) return tl::unexpected(version.error());
  engine::WorkerConfig config;
  config.node = options.node;
  config.incarnation = Hex(RandomBits()) + Hex(RandomBits());
  config.threads = options.threads;
  config.workload = options.workload;
  config.workload_version = *version;
  config.token = options.token;
  config.ratio = options.ratio;
  config.boot_id = BootId();
  config.max_unacknowledged_bytes = kMaxUnacknowledgedBytes;
  return std::make_unique<WorkerShell>(std::move(options), std::move(config), RandomBits(),
                                       registry, clock);
}

WorkerShell::WorkerShell(WorkerOptions options, engine::WorkerConfig config, std::uint64_t seed,
                         const workloads::Registry& registry, const Clock& clock)
    : options_(std::move(options)),
      registry_(registry),
      clock_(clock),
      engine_(std::move(config)),
      stops_(options_.threads),
      claims_(options_.threads),
      backoff_(seed) {}

WorkerShell::~WorkerShell() = default;

void WorkerShell::OnMessage(Link& link, engine::ToWorker message) {
  const std::lock_guard lock(mutex_);
  if (end_ || &link != link_.get()) return;
  link.heard = true;
  lost_at_.reset();
  backoff_.Reset();
  if (const auto* welcome = std::get_if<engine::Welcome>(&message)) {
    if (!PrepareWorkload(*welcome)) return;
  }
  Carry(engine_.OnMessage(std::move(message), clock_.Now()));
}

void WorkerShell::OnClosed(Link& link, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  link.closed = reason;
  changed_.notify_all();
}

bool WorkerShell::PrepareWorkload(const engine::Welcome& welcome) {
  const std::string& parameters = welcome.workload_parameters;
  if (workload_) {
    if (parameters == parameters_) return true;
    const auto now = registry_.Make(options_.workload, parameters, {{}, true});
    if (now && (*now)->Continues(parameters_, parameters)) return true;  // it has more tasks
    End(WorkerExit::kFailed, "the coordinator has come back with another job");
    return false;
  }
  auto made = registry_.Make(options_.workload, parameters, {{}, true});
  if (!made) {
    link_->connection->Send(engine::Goodbye{});  // what it is given meanwhile must not wait for us
    End(WorkerExit::kFailed, made.error().message);
    return false;
  }
  workload_ = *made;
  job_ = welcome.job;
  parameters_ = parameters;
  if (const auto policy = workload_->BlocksAtWorker()) {
    KeepFreedMemory();
    blocks_ = std::make_unique<WorkerBlocks>(options_, *policy);
  }
  return true;
}

workloads::RunnerOptions WorkerShell::RunnerSettings() const {
  workloads::RunnerOptions settings;
  settings.speed = options_.speed;
  settings.node = options_.node;
  settings.job = job_;
  settings.launcher_socket = options_.launcher_socket;
  settings.launcher_program = options_.launcher_program;
  settings.launcher_patience = options_.launcher_patience;
  if (blocks_) {
    settings.block_cache = &blocks_->Cache();
    settings.block_fetcher = &blocks_->Fetcher();
  }
  return settings;
}

void WorkerShell::Compute(std::uint32_t thread) {
  std::optional<DutyCycle> duty_cycle;
  if (options_.share < 1) duty_cycle.emplace(options_.share, options_.threads);
  std::optional<BatchRunner> runner;
  Lock lock(mutex_);
  while (!leaving_) {
    const auto batch = engine_.Take(thread, clock_.Now());
    if (!batch) {
      work_.wait(lock);
      continue;
    }
    if (stops_[thread].stop_requested()) stops_[thread] = std::stop_source();
    const std::stop_token stop = stops_[thread].get_token();
    claims_[thread].Reset(batch->range);
    MindTimer();
    lock.unlock();
    if (!runner) {
      if (workload_->WantsCores()) KeepOnCore(thread, options_.threads);
      runner.emplace(workload_->MakeRunner(RunnerSettings()), clock_, duty_cycle);
    }
    engine::BatchOutcome outcome = runner->Run(*batch, claims_[thread], stop);
    lock.lock();
    Carry(engine_.OnBatchDone(thread, std::move(outcome), clock_.Now()));
  }
}

void WorkerShell::Carry(engine::Worker::Effects effects) {
  bool leaves = false;
  for (auto& effect : effects) {
    if (auto* send = std::get_if<engine::Worker::SendToCoordinator>(&effect)) {
      if (link_) link_->connection->Send(std::move(send->message));
    } else if (const auto* stop = std::get_if<engine::Worker::StopBatch>(&effect)) {
      stops_[stop->thread].request_stop();
    } else if (const auto* cut = std::get_if<engine::Worker::CutBatch>(&effect)) {
      const Instant now = clock_.Now();
      Carry(engine_.OnBatchCut(cut->thread, claims_[cut->thread].Cut(now), now));
    } else if (auto* end = std::get_if<engine::Worker::End>(&effect)) {
      End(end->refused ? WorkerExit::kRefused : WorkerExit::kDone, std::move(end->reason));
    } else if (auto* unable = std::get_if<engine::Worker::Unable>(&effect)) {
      leaves_because_ = std::move(unable->reason) + "; the worker leaves, its tasks go to others";
      leaves = true;
    } else {
      work_.notify_all();
    }
  }
  MindTimer();
  if (leaves) StartDraining();
}

void WorkerShell::End(WorkerExit exit, std::string reason) {
  if (end_) return;
  if (exit == WorkerExit::kDone && !leaves_because_.empty()) {
    exit = WorkerExit::kFailed;
    reason = leaves_because_;
  }
  end_ = WorkerEnd{exit, std::move(reason)};
  changed_.notify_all();
}

void WorkerShell::MindTimer() {
  if (engine_.NextTimer() < sleeps_until_) changed_.notify_all();
}

void WorkerShell::Drain() {
  const std::lock_guard lock(mutex_);
  StartDraining();
}

void WorkerShell::StartDraining() {
  if (drain_until_) return;
  drain_until_ = clock_.Now() + options_.drain_grace;
  Carry(engine_.OnDrain(clock_.Now()));
  changed_.notify_all();
}

}  // namespace evenkeel::worker
