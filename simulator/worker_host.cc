#include "simulator/worker_host.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/check.h"
#include "simulator/describe.h"

namespace evenkeel::simulator {

WorkerHost::WorkerHost(std::size_t node, Services services)
    : node_(node),
      speed_(services.context.config.nodes[node].speed),
      context_(services.context),
      network_(services.network),
      blocks_(services.blocks),
      tasks_(services.tasks),
      model_(services.context.config.nodes[node]) {}

void WorkerHost::Start() {
  if (worker_ || context_.job_over) return;
  if (stalled()) return context_.time.At(stalled_until_, [this] { Start(); });
  engine::WorkerConfig config;
  config.node = model_.name;
  config.threads = model_.threads;
  config.workload = context_.config.job.workload;
  config.incarnation = config.node + "/" + std::to_string(++incarnation_);
  threads_.assign(config.threads, {});
  timer_ = kNever;
  worker_.emplace(std::move(config));
  Connect();
}

void WorkerHost::Kill() {
  DropBatches();
  blocks_.Drop(node_);
  worker_.reset();
  network_.CloseWorkerEndAfterSending(node_);
}

void WorkerHost::Drain() { Apply(worker_->OnDrain(ClockTime())); }

void WorkerHost::Stall(Instant until) {
  stalled_until_ = std::max(stalled_until_, until);
  context_.monitor.OnStalled(node_, true);
  if (stalled_until_ == kNever) return;
  // Events that the stall delays come first: the worker may find that it has to stop its tasks.
  context_.time.At(stalled_until_ + Duration{1}, [this] {
    if (stalled_until_ < context_.time.Now()) context_.monitor.OnStalled(node_, false);
  });
}

void WorkerHost::CutLink(Instant until, Duration noticed_after) {
  link_down_until_ = std::max(link_down_until_, until);
  network_.LoseMessagesFrom(node_);
  Disconnect(noticed_after, until);
}

void WorkerHost::JumpClock(Duration amount) {
  clock_offset_ += amount;
  timer_ = kNever;
  PlanTimer();
}

void WorkerHost::Connect() {
  if (!worker_ || network_.StreamOf(node_) || worker_->Ended()) return;
  const Instant now = context_.time.Now();
  const auto connect = [this] { Connect(); };
  if (stalled()) return context_.time.At(stalled_until_, connect);
  if (now < link_down_until_) return context_.time.At(link_down_until_, connect);
  if (!network_.listening()) return context_.time.At(now + kReconnectAfter, connect);
  network_.Open(node_);
  network_.Send(node_, worker_->OnConnected(ClockTime()));
  PlanTimer();
}

void WorkerHost::Disconnect(Duration noticed_after, Instant connects_at) {
  if (!network_.StreamOf(node_)) return;
  network_.CloseWorkerEnd(node_, noticed_after);
  if (worker_) worker_->OnDisconnected(ClockTime());
  context_.time.At(connects_at, [this] { Connect(); });
}

void WorkerHost::OnMessage(engine::ToWorker message) {
  if (!worker_) return;
  if (stalled()) {
    return context_.time.At(stalled_until_, [this, stream = network_.StreamOf(node_),
                                             message = std::move(message)]() mutable {
      if (network_.StreamOf(node_) == stream) OnMessage(std::move(message));
    });
  }
  if (const auto* assign = std::get_if<engine::Assign>(&message)) {
    for (const auto& grant : assign->grants) (void)blocks_.Request(node_, grant.range);
  }
  if (const auto* acknowledged = std::get_if<engine::Acknowledge>(&message)) {
    tasks_.CountAcknowledged(acknowledged->ranges);
  }
  const Instant now = context_.time.Now();
  if (context_.trace.RecordsDeliveries()) {
    context_.trace.Delivered(now, model_.name + " <- " + Describe(message));
  }
  Apply(worker_->OnMessage(std::move(message), ClockTime()));
}

void WorkerHost::Apply(engine::Worker::Effects effects) {
  bool ended = false;
  for (auto& effect : effects) {
    if (auto* send = std::get_if<engine::Worker::SendToCoordinator>(&effect)) {
      if (network_.StreamOf(node_)) network_.Send(node_, std::move(send->message));
    } else if (const auto* stop = std::get_if<engine::Worker::StopBatch>(&effect)) {
      Schedule(kBatchStopped, stop->thread, threads_[stop->thread].generation, context_.time.Now());
    } else if (const auto* cut = std::get_if<engine::Worker::CutBatch>(&effect)) {
      CutBatch(cut->thread);
    } else if (std::holds_alternative<engine::Worker::End>(effect)) {
      ended = true;
    }
  }
  if (ended) return Kill();
  StartBatches();
  PlanTimer();
}

void WorkerHost::Schedule(Kind kind, std::uint32_t thread, std::uint64_t detail, Instant at) {
  Event event;
  event.target = this;
  event.kind = kind;
  event.number = thread;
  event.detail = detail;
  context_.time.At(at, event);
}

void WorkerHost::OnEvent(const Event& event) {
  switch (event.kind) {
    case kBatchEnd:
      return EndBatch(event.number, event.detail, false);
    case kBatchStopped:
      return EndBatch(event.number, event.detail, true);
    default:
      return OnTimer(Instant{Duration{static_cast<std::int64_t>(event.detail)}});
  }
}

void WorkerHost::StartBatches() {
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    if (!threads_[t].batch && worker_) StartBatch(t);
  }
}

void WorkerHost::StartBatch(std::uint32_t thread_number) {
  const Instant now = context_.time.Now();
  Thread& thread = threads_[thread_number];
  thread.batch = worker_->Take(thread_number, ClockTime());
  if (!thread.batch) return;
  const model::IndexRange range = thread.batch->range;
  thread.started = now;
  thread.clock_offset = clock_offset_;
  thread.ready = blocks_.Request(node_, range);
  if (context_.config.check_invariants) context_.monitor.OnRunBegan(node_, range);
  if (context_.trace.Writes()) {
    context_.trace.Note(now, model_.name + " runs [" + std::to_string(range.begin) + "," +
                                 std::to_string(range.end) + ")");
  }
  Schedule(kBatchEnd, thread_number, ++thread.generation,
           speed_.DoneAt(thread.ready, tasks_.Begin(range)));
}

void WorkerHost::CutBatch(std::uint32_t thread_number) {
  Thread& thread = threads_[thread_number];
  if (!worker_ || !thread.batch) return;
  const Instant now = context_.time.Now();
  model::IndexRange& range = thread.batch->range;
  model::IndexRange unstarted = range;
  Instant end = thread.ready;
  do {
    end = speed_.DoneAt(end, tasks_.Seconds(unstarted.begin++));
  } while (!unstarted.Empty() && end <= now);
  range.end = unstarted.begin;
  if (!unstarted.Empty()) {
    if (context_.config.check_invariants) context_.monitor.OnRunEnded(node_, unstarted);
    Schedule(kBatchEnd, thread_number, ++thread.generation, end);
  }
  Apply(worker_->OnBatchCut(thread_number, unstarted, ClockTime()));
}

void WorkerHost::EndBatch(std::uint32_t thread_number, std::uint64_t generation, bool stopped) {
  Thread& thread = threads_[thread_number];
  if (!worker_ || thread.generation != generation || !thread.batch) return;
  const Instant now = context_.time.Now();
  const engine::Batch batch = std::move(*thread.batch);
  thread.batch.reset();
  ++thread.generation;
  if (context_.config.check_invariants) context_.monitor.OnRunEnded(node_, batch.range);
  engine::BatchOutcome outcome;
  outcome.started = outcome.ended = thread.started;
  outcome.waited = std::min(thread.ready, now) - thread.started;
  RunTasks(batch, stopped, thread.ready, outcome);
  busy_seconds_ += ToSeconds(now - outcome.started);
  const bool any_done = outcome.ended > outcome.started;
  outcome.started += thread.clock_offset;
  outcome.ended += any_done ? clock_offset_ : thread.clock_offset;
  outcome.busy = outcome.ended - outcome.started;
  Apply(worker_->OnBatchDone(thread_number, std::move(outcome), ClockTime()));
}

void WorkerHost::RunTasks(const engine::Batch& batch, bool stopped, Instant begins,
                          engine::BatchOutcome& outcome) {
  const Instant now = context_.time.Now();
  const bool ends_now = batch.range.Size() == 1 && !stopped;
  for (model::TaskIndex i = batch.range.begin; i < batch.range.end; ++i) {
    EVENKEEL_CHECK(batch.inputs.Of(i) == (context_.config.inputs ? InputOf(i) : ""),
                   "an input that belongs to another task");
    const Instant end = ends_now ? now : speed_.DoneAt(begins, tasks_.Seconds(i));
    if (stopped && end > now) break;
    outcome.failure = tasks_.End(i, outcome.results);
    if (outcome.failure) {
      outcome.failure_busy = end - begins;
      break;
    }
    outcome.ended = begins = end;
  }
}

void WorkerHost::DropBatches() {
  for (Thread& thread : threads_) {
    if (thread.batch && context_.config.check_invariants) {
      context_.monitor.OnRunEnded(node_, thread.batch->range);
    }
    ++thread.generation;
    thread.batch.reset();
  }
}

void WorkerHost::PlanTimer() {
  if (!worker_) return;
  const Instant next = worker_->NextTimer();
  if (next == kNever || next >= timer_) return;
  timer_ = next;
  Schedule(kTimer, 0, static_cast<std::uint64_t>(next.time_since_epoch().count()),
           next - clock_offset_);
}

void WorkerHost::OnTimer(Instant due) {
  if (timer_ != due) return;
  if (stalled()) return context_.time.At(stalled_until_, [this, due] { OnTimer(due); });
  timer_ = kNever;
  if (worker_) Apply(worker_->OnTimer(ClockTime()));
}

}  // namespace evenkeel::simulator
