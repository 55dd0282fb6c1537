#include "worker/worker_process.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/log.h"
#include "worker/batch_runner.h"
#include "worker/job_loader.h"
#include "worker/machine.h"
#include "worker/task_claim.h"

namespace evenkeel::worker {
namespace {

// All of it may have to be reported again at once after a reconnect: half of what a stream may
// queue.
constexpr std::int64_t kMaxUnacknowledgedBytes = protocol::kMaxQueuedBytes / 2;
// Condition variables take no time beyond the end of the calendar.
constexpr Duration kLongestSleep = std::chrono::hours(1);

using Lock = std::unique_lock<std::mutex>;

std::uint64_t RandomBits() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

std::string Hex(std::uint64_t bits) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(bits));
  return text.data();
}

/// Receives the events of streams, on their threads.
struct StreamEvents {
  std::function<void(std::uint64_t stream, engine::ToWorker message)> on_message;
  std::function<void(std::uint64_t stream, const std::string& reason)> on_closed;
};

/// Guarded by the mutex of the process, except for the end of streams: a stream that is not used
/// any more ends without the mutex, because its last event waits for that.
class GrpcTransport final : public Transport {
 public:
  class Stream final : public ConnectionListener {
   public:
    Stream(const ConnectionOptions& options, std::uint64_t number, const StreamEvents& events)
        : number_(number), events_(events) {
      connection_ = CoordinatorConnection::Connect(options, *this);
    }
    void OnMessage(engine::ToWorker message) override {
      events_.on_message(number_, std::move(message));
    }
    void OnClosed(const std::string& reason) override { events_.on_closed(number_, reason); }
    [[nodiscard]] CoordinatorConnection& Connection() { return *connection_; }

   private:
    const std::uint64_t number_;
    const StreamEvents& events_;
    std::unique_ptr<CoordinatorConnection> connection_;  // last: it calls this until it is gone
  };

  GrpcTransport(const ConnectionOptions& options, StreamEvents events)
      : options_(options), events_(std::move(events)) {}

  void Open(std::uint64_t stream, Duration connect_timeout) override {
    ConnectionOptions options = options_;
    options.connect_timeout = connect_timeout;
    stream_ = std::make_unique<Stream>(options, stream, events_);
  }
  void Send(engine::ToCoordinator message) override {
    if (stream_) stream_->Connection().Send(std::move(message));
  }
  void Drop() override { dropped_ = std::move(stream_); }

  [[nodiscard]] std::unique_ptr<Stream> TakeOpen() { return std::move(stream_); }
  [[nodiscard]] std::unique_ptr<Stream> TakeDropped() { return std::move(dropped_); }
  [[nodiscard]] bool HasDropped() const { return dropped_ != nullptr; }

 private:
  const ConnectionOptions& options_;
  const StreamEvents events_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Stream> dropped_;
};

/// State of the batches, shared by the loop and the compute threads. Guarded by the mutex of the
/// process, except for claims.
class BatchControls final : public TaskThreads {
 public:
  explicit BatchControls(std::uint32_t threads) : slots_(threads) {}

  void Wake() override { work_.notify_all(); }
  void Stop(std::uint32_t thread) override { slots_[thread].stop.request_stop(); }
  model::IndexRange Cut(std::uint32_t thread, std::int64_t max_tasks, Instant now) override {
    Slot& slot = slots_[thread];
    return slot.as_one_run ? slot.limit.CutTail(max_tasks) : slot.claim.Cut(now);
  }
  [[nodiscard]] model::TaskIndex Progress(std::uint32_t thread) const override {
    return slots_[thread].limit.Next();
  }

  void StopAll() {
    for (Slot& slot : slots_) slot.stop.request_stop();
  }
  void AwaitWork(Lock& lock) { work_.wait(lock); }
  [[nodiscard]] std::stop_token Begin(std::uint32_t thread, const engine::Batch& batch) {
    Slot& slot = slots_[thread];
    if (slot.stop.stop_requested()) slot.stop = std::stop_source();
    slot.claim.Reset(batch.range);
    slot.as_one_run = batch.as_one_run;
    if (batch.as_one_run) slot.limit.Begin(batch.range);
    return slot.stop.get_token();
  }
  [[nodiscard]] TaskClaim& Claim(std::uint32_t thread) { return slots_[thread].claim; }
  [[nodiscard]] workloads::RunLimit& Limit(std::uint32_t thread) { return slots_[thread].limit; }

 private:
  struct Slot {
    std::stop_source stop;
    TaskClaim claim;
    workloads::RunLimit limit;  // of batches that are one run
    bool as_one_run = false;
  };

  std::condition_variable work_;
  std::vector<Slot> slots_;
};

class ThreadedProcess final : public WorkerProcess {
 public:
  ThreadedProcess(WorkerOptions options, engine::WorkerConfig config,
                  const workloads::Registry& registry, const Clock& clock)
      : options_(std::move(options)),
        clock_(clock),
        jobs_(options_, registry),
        transport_(options_.connection, Events()),
        batches_(options_.threads),
        loop_(LoopOptions(), std::move(config), {clock_, transport_, batches_, jobs_}) {}

  WorkerEnd Run() override;
  void Drain() override {
    const std::lock_guard lock(mutex_);
    loop_.Drain();
    WakeLoop();
  }

 private:
  [[nodiscard]] StreamEvents Events();
  [[nodiscard]] WorkerLoop::Options LoopOptions() const;
  void Compute(std::uint32_t thread);
  /// Wakes the thread in Run if it would sleep too long.
  void WakeLoop();
  void SleepUntil(Lock& lock, Instant due);
  void Leave(Lock& lock);

  const WorkerOptions options_;
  const Clock& clock_;
  RegistryJobLoader jobs_;

  std::mutex mutex_;                 // guards what follows
  std::condition_variable changed_;  // the thread in Run waits for events
  GrpcTransport transport_;
  BatchControls batches_;
  WorkerLoop loop_;
  Instant sleeps_until_{};
  bool leaving_ = false;
};

StreamEvents ThreadedProcess::Events() {
  return {[this](std::uint64_t stream, engine::ToWorker message) {
            const std::lock_guard lock(mutex_);
            loop_.OnMessage(stream, std::move(message));
            WakeLoop();
          },
          [this](std::uint64_t stream, const std::string& reason) {
            const std::lock_guard lock(mutex_);
            if (const auto line = loop_.OnClosed(stream, reason)) {
              Log(LogLevel::kWarning, *line);
            }
            WakeLoop();
          }};
}

WorkerLoop::Options ThreadedProcess::LoopOptions() const {
  WorkerLoop::Options options;
  options.connection.address = options_.connection.address;
  options.connection.connect_timeout = options_.connection.connect_timeout;
  options.connection.give_up_after = options_.give_up_after;
  options.connection.seed = RandomBits();
  options.drain_grace = options_.drain_grace;
  return options;
}

WorkerEnd ThreadedProcess::Run() {
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < options_.threads; ++i) {
    threads.emplace_back([this, i] { Compute(i); });
  }
  Lock lock(mutex_);
  for (;;) {
    loop_.Step();
    if (loop_.End()) break;
    if (auto dropped = transport_.TakeDropped()) {
      lock.unlock();
      dropped.reset();
      lock.lock();
    } else {
      SleepUntil(lock, loop_.NextWakeup());
    }
  }
  Leave(lock);
  for (std::thread& thread : threads) thread.join();
  return *loop_.End();
}

void ThreadedProcess::Compute(std::uint32_t thread) {
  std::optional<DutyCycle> duty_cycle;
  if (options_.share < 1) duty_cycle.emplace(options_.share, options_.threads);
  std::optional<BatchRunner> runner;
  Lock lock(mutex_);
  while (!leaving_) {
    const auto batch = loop_.Take(thread);
    if (!batch) {
      batches_.AwaitWork(lock);
      continue;
    }
    const std::stop_token stop = batches_.Begin(thread, *batch);
    WakeLoop();
    lock.unlock();
    engine::BatchOutcome outcome;
    outcome.started = outcome.ended = clock_.Now();
    if (!runner) {
      if (auto made = jobs_.MakeRunner(thread)) {
        runner.emplace(std::move(*made), clock_, duty_cycle);
      } else {
        outcome.unable = made.error().message;
      }
    }
    if (runner) outcome = runner->Run(*batch, batches_.Claim(thread), batches_.Limit(thread), stop);
    lock.lock();
    loop_.OnBatchDone(thread, std::move(outcome));
    WakeLoop();
  }
}

void ThreadedProcess::WakeLoop() {
  if (loop_.End() || transport_.HasDropped() || loop_.NextWakeup() < sleeps_until_) {
    changed_.notify_all();
  }
}

void ThreadedProcess::SleepUntil(Lock& lock, Instant due) {
  const Instant now = clock_.Now();
  if (due <= now) return;
  sleeps_until_ = due;
  changed_.wait_for(lock, due == kNever ? kLongestSleep : std::min(due - now, kLongestSleep));
  sleeps_until_ = Instant{};
}

void ThreadedProcess::Leave(Lock& lock) {
  leaving_ = true;
  batches_.StopAll();
  batches_.Wake();
  const auto open = transport_.TakeOpen();
  const auto dropped = transport_.TakeDropped();
  lock.unlock();
  // The last messages are on their way; there are none if the coordinator was not to be found.
  if (open && loop_.End()->exit != WorkerExit::kNoCoordinator) open->Connection().Close();
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
  config.task_memory_bytes = options.task_memory.value_or(MemoryLimit());
  config.max_unacknowledged_bytes = kMaxUnacknowledgedBytes;
  return std::make_unique<ThreadedProcess>(std::move(options), std::move(config), registry, clock);
}

}  // namespace evenkeel::worker
