#include "simulator/worker_host.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/check.h"
#include "core/base/splitmix.h"
#include "simulator/trace_recorder.h"

namespace evenkeel::simulator {
namespace {

/// The product draws it anew for each process.
std::uint64_t PauseSeed(std::uint64_t simulation, std::size_t node, std::uint64_t process) {
  return SplitMixAt(SplitMixAt(simulation, node), process);
}

}  // namespace

WorkerHost::WorkerHost(std::size_t node, Services services)
    : node_(node),
      context_(services.context),
      network_(services.network),
      blocks_(services.blocks),
      files_(services.files),
      tasks_(services.tasks),
      model_(services.context.config.nodes[node]),
      speed_(model_.speed),
      on_container_end_(std::move(services.on_container_end)) {
  threads_.resize(model_.threads);
}

// ---- The process ----

void WorkerHost::Start() {
  if (loop_ || context_.job_over) return;
  if (stalled()) return context_.time.At(stalled_until_, [this] { Start(); });
  stream_ = {stream_.process + 1, 0};
  engine::WorkerConfig config;
  config.node = model_.name;
  config.threads = model_.threads;
  config.workload = context_.config.job.workload;
  config.incarnation = config.node + "/" + std::to_string(stream_.process);
  config.boot_id = config.node + "-" + std::to_string(boots_);
  config.task_memory_bytes = model_.task_memory_bytes;
  worker::WorkerLoop::Options options;
  options.connection.address = "coordinator";
  options.connection.seed = PauseSeed(context_.config.seed, node_, stream_.process);
  wakeup_ = kNever;
  work_available_ = false;
  loop_.emplace(std::move(options), std::move(config),
                worker::WorkerLoop::Seams{*this, *this, *this, *this});
  loop_->Step();
  FollowLoop();
}

void WorkerHost::Kill() {
  EndProcess();
  network_.CloseWorkerEndAfterSending(node_);
}

void WorkerHost::LosePower(Duration noticed_after) {
  EndProcess();
  ++boots_;
  network_.CloseWorkerEnd(node_, noticed_after);
}

void WorkerHost::EndProcess() {
  DropBatches();
  blocks_.Drop(node_);
  files_.Drop(node_);
  loop_.reset();
  unsent_.clear();
}

void WorkerHost::Drain() {
  loop_->Drain();
  FollowLoop();
}

void WorkerHost::Stall(Instant until) {
  stalled_until_ = std::max(stalled_until_, until);
  context_.monitor.OnStalled(node_, true);
  if (stalled_until_ == kNever) return;
  // Events that the stall delays come first: the worker may find that it has to stop its tasks.
  context_.time.At(stalled_until_ + Duration{1}, [this] {
    if (stalled_until_ < context_.time.Now()) context_.monitor.OnStalled(node_, false);
  });
}

void WorkerHost::JumpClock(Duration amount) {
  clock_offset_ += amount;
  wakeup_ = kNever;
  PlanWakeup();
}

// ---- The loop ----

void WorkerHost::FollowLoop() {
  if (std::exchange(work_available_, false)) {
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      if (!threads_[t].batch) TakeBatch(t);
    }
  }
  if (loop_->End()) return Kill();
  PlanWakeup();
}

void WorkerHost::PlanWakeup() {
  if (!loop_) return;
  const Instant next = loop_->NextWakeup();
  if (next == kNever || next >= wakeup_) return;
  wakeup_ = next;
  Schedule(kWakeup, 0, static_cast<std::uint64_t>(next.time_since_epoch().count()),
           next - clock_offset_);
}

void WorkerHost::OnWakeup(Instant due) {
  if (wakeup_ != due) return;
  if (stalled()) return context_.time.At(stalled_until_, [this, due] { OnWakeup(due); });
  wakeup_ = kNever;
  if (!loop_) return;
  loop_->Step();
  FollowLoop();
}

void WorkerHost::OnEvent(const Event& event) {
  switch (event.kind) {
    case kBatchEnd:
    case kBatchStopped:
    case kRunnerLost:
      return EndBatch(event.number, event.detail, static_cast<Kind>(event.kind));
    case kDeath:
      return Die(event.number, event.detail);
    default:
      return OnWakeup(Instant{Duration{static_cast<std::int64_t>(event.detail)}});
  }
}

void WorkerHost::Schedule(Kind kind, std::uint32_t thread, std::uint64_t detail, Instant at) {
  Event event;
  event.target = this;
  event.kind = kind;
  event.number = thread;
  event.detail = detail;
  context_.time.At(at, event);
}

// ---- The connection ----

void WorkerHost::Open(std::uint64_t stream, Duration connect_timeout) {
  stream_.number = stream;
  context_.time.At(context_.time.Now(),
                   [this, stream = stream_, give_up = context_.time.After(connect_timeout)] {
                     Connect(stream, give_up);
                   });
}

// Without a listener a connection is refused at once; packets over a link that is down are lost.
void WorkerHost::Connect(LoopStream stream, Instant give_up) {
  if (!loop_ || stream != stream_) return;
  const Instant now = context_.time.Now();
  if (now < link_down_until_) {
    if (now >= give_up) return Close(stream, "no answer");
    return context_.time.At(std::min(link_down_until_, give_up),
                            [this, stream, give_up] { Connect(stream, give_up); });
  }
  if (!network_.listening()) return Close(stream, "connection refused");
  network_.Open(node_);
  for (auto& message : std::exchange(unsent_, {})) network_.Send(node_, std::move(message));
}

void WorkerHost::Send(engine::ToCoordinator message) {
  if (network_.StreamOf(node_)) {
    network_.Send(node_, std::move(message));
  } else {
    unsent_.push_back(std::move(message));
  }
}

void WorkerHost::Drop() {
  unsent_.clear();
  network_.CloseWorkerEnd(node_, Duration::zero());
}

void WorkerHost::CutLink(Instant until, Duration noticed_after) {
  link_down_until_ = std::max(link_down_until_, until);
  if (!network_.StreamOf(node_)) return;
  network_.LoseMessagesFrom(node_);
  network_.CloseWorkerEnd(node_, noticed_after);
  Close(stream_, "link cut");
}

void WorkerHost::OnStreamClosed() { Close(stream_, "closed by the coordinator"); }

void WorkerHost::Close(LoopStream stream, const std::string& reason) {
  if (!loop_ || stream != stream_) return;
  if (stalled()) {
    return context_.time.At(stalled_until_, [this, stream, reason] { Close(stream, reason); });
  }
  if (const auto line = loop_->OnClosed(stream.number, reason)) {
    context_.trace.Note(context_.time.Now(), model_.name + ": " + *line);
  }
  FollowLoop();
}

void WorkerHost::OnMessage(engine::ToWorker message) {
  if (!loop_) return;
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
  loop_->OnMessage(stream_.number, std::move(message));
  FollowLoop();
}

std::int64_t WorkerHost::TasksAhead() const {
  return context_.config.file_bytes > 0 ? 2 * static_cast<std::int64_t>(model_.threads) : 0;
}

// ---- The threads ----

void WorkerHost::TakeBatch(std::uint32_t thread_number) {
  const Instant now = context_.time.Now();
  Thread& thread = threads_[thread_number];
  thread.batch = loop_->Take(thread_number);
  if (!thread.batch) return;
  const model::IndexRange range = thread.batch->range;
  thread.started = now;
  thread.clock_offset = clock_offset_;
  thread.in_company = IsInCompany(thread_number);
  thread.ready =
      std::max({blocks_.Request(node_, range), files_.Request(node_, range), container_back_});
  if (context_.config.check_invariants) context_.monitor.OnRunBegan(node_, range);
  if (context_.trace.Writes()) {
    context_.trace.Note(now, model_.name + " runs [" + std::to_string(range.begin) + "," +
                                 std::to_string(range.end) + ")");
  }
  const double startup = thread.batch->as_one_run ? context_.config.startup_seconds : 0;
  ++thread.generation;
  PlanDeath(thread_number);
  Schedule(kBatchEnd, thread_number, thread.generation,
           speed_.DoneAt(thread.ready, startup + tasks_.Begin(range)));
  thread.next = range.begin;
  thread.next_done = speed_.DoneAt(thread.ready, startup + tasks_.Seconds(range.begin));
}

bool WorkerHost::IsInCompany(std::uint32_t thread_number) const {
  for (std::uint32_t other = 0; other < threads_.size(); ++other) {
    if (other != thread_number && threads_[other].batch) return true;
  }
  return false;
}

// Tasks that run side by side have equal parts.
std::int64_t WorkerHost::MemoryFor(std::uint32_t thread_number) const {
  if (model_.task_memory_bytes == 0) return std::numeric_limits<std::int64_t>::max();
  const bool shares = threads_[thread_number].in_company || IsInCompany(thread_number);
  return shares ? model_.task_memory_bytes / model_.threads : model_.task_memory_bytes;
}

void WorkerHost::PlanDeath(std::uint32_t thread_number) {
  const Thread& thread = threads_[thread_number];
  const model::IndexRange range = thread.batch->range;
  const auto deadly = context_.config.deadly.lower_bound(range.begin);
  if (deadly == context_.config.deadly.end() || deadly->first >= range.end) return;
  double seconds = thread.batch->as_one_run ? context_.config.startup_seconds : 0;
  for (model::TaskIndex i = range.begin; i < deadly->first; ++i) seconds += tasks_.Seconds(i);
  seconds += deadly->second.after * tasks_.Seconds(deadly->first);
  Schedule(kDeath, thread_number, thread.generation, speed_.DoneAt(thread.ready, seconds));
}

void WorkerHost::Die(std::uint32_t thread_number, std::uint64_t generation) {
  const Thread& thread = threads_[thread_number];
  if (!loop_ || thread.generation != generation || !thread.batch) return;
  const Instant now = context_.time.Now();
  const auto deadly = context_.config.deadly.lower_bound(thread.batch->range.begin);
  const auto& [task, death] = *deadly;
  ++deaths_[task];
  for (const Thread& running : threads_) {
    if (running.batch) lost_seconds_ += ToSeconds(now - running.started);
  }
  const bool whole_node = death.kills == DeadlyTask::Kills::kNode;
  context_.trace.Note(
      now, model_.name + (whole_node ? " reboots" : " dies") + " of task " + std::to_string(task));
  if (whole_node) {
    LosePower(kForEver);
  } else {
    Kill();
  }
  context_.time.At(context_.time.After(death.restart_after), [this] { Start(); });
}

void WorkerHost::Stop(std::uint32_t thread) {
  Schedule(kBatchStopped, thread, threads_[thread].generation, context_.time.Now());
}

model::TaskIndex WorkerHost::Progress(std::uint32_t thread_number) const {
  Thread& thread = threads_[thread_number];
  if (!thread.batch) return 0;
  const model::IndexRange range = thread.batch->range;
  if (!context_.config.runs_report_progress) return range.begin;
  while (thread.next < range.end && thread.next_done <= context_.time.Now()) {
    if (++thread.next == range.end) break;
    thread.next_done = speed_.DoneAt(thread.next_done, tasks_.Seconds(thread.next));
  }
  return thread.next;
}

model::IndexRange WorkerHost::CutRun(std::uint32_t thread_number, std::int64_t max_tasks) {
  Thread& thread = threads_[thread_number];
  model::IndexRange& range = thread.batch->range;
  const model::TaskIndex next = Progress(thread_number);
  const model::TaskIndex begun = next > range.begin ? next + 1 : range.end;
  const std::int64_t free = std::max<std::int64_t>(range.end - begun, 0);
  const model::IndexRange tail{range.end - std::min(free, max_tasks), range.end};
  range.end = tail.begin;
  if (tail.Empty()) return tail;
  if (context_.config.check_invariants) context_.monitor.OnRunEnded(node_, tail);
  double seconds = 0;
  for (model::TaskIndex i = next + 1; i < range.end; ++i) seconds += tasks_.Seconds(i);
  Schedule(kBatchEnd, thread_number, ++thread.generation, speed_.DoneAt(thread.next_done, seconds));
  return tail;
}

model::IndexRange WorkerHost::Cut(std::uint32_t thread_number, std::int64_t max_tasks, Instant) {
  Thread& thread = threads_[thread_number];
  if (thread.batch->as_one_run) return CutRun(thread_number, max_tasks);
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
    ++thread.generation;
    PlanDeath(thread_number);
    Schedule(kBatchEnd, thread_number, thread.generation, end);
  }
  return unstarted;
}

void WorkerHost::EndBatch(std::uint32_t thread_number, std::uint64_t generation, Kind how) {
  Thread& thread = threads_[thread_number];
  if (!loop_ || thread.generation != generation || !thread.batch) return;
  const Instant now = context_.time.Now();
  const model::TaskIndex next = Progress(thread_number);
  const engine::Batch batch = std::move(*thread.batch);
  thread.batch.reset();
  ++thread.generation;
  if (context_.config.check_invariants) context_.monitor.OnRunEnded(node_, batch.range);
  engine::BatchOutcome outcome;
  outcome.started = outcome.ended = thread.started;
  outcome.waited = std::min(thread.ready, now) - thread.started;
  outcome.transfer = files_.TakeTransfer(node_);
  const std::int64_t memory_bytes = MemoryFor(thread_number);
  const bool stopped = how != kBatchEnd;
  if (batch.as_one_run) {
    RunAsOne(batch, stopped, next, memory_bytes, thread.ready, outcome);
  } else {
    RunTasks(batch, stopped, memory_bytes, thread.ready, outcome);
  }
  const bool killed = context_.config.container_kills && outcome.failure &&
                      outcome.failure->cause == model::FailureCause::kOutOfMemory;
  if (killed) LoseContainer();
  if (killed || (how == kRunnerLost && outcome.results.Count() < batch.range.Size())) {
    const Instant began = std::max(outcome.ended, thread.ready);
    outcome.failure = model::TaskFailure{"the command container ended while it ran",
                                         {},
                                         {},
                                         model::FailureCause::kRunnerLost,
                                         {{NodeSeconds(began), NodeSeconds(now)}}};
    outcome.failure_busy = now - began;
  }
  busy_seconds_ += ToSeconds(now - outcome.started);
  const bool any_done = outcome.ended > outcome.started;
  outcome.started += thread.clock_offset;
  outcome.ended += any_done ? clock_offset_ : thread.clock_offset;
  outcome.busy = outcome.ended - outcome.started;
  loop_->OnBatchDone(thread_number, std::move(outcome));
  TakeBatch(thread_number);
  FollowLoop();
}

void WorkerHost::LoseContainer() {
  const Instant now = context_.time.Now();
  context_.trace.Note(now, model_.name + ": the container is killed");
  container_back_ = context_.time.After(context_.config.container_kills->restart_after);
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    const Thread& thread = threads_[t];
    if (thread.batch && thread.ready <= now) Schedule(kRunnerLost, t, thread.generation, now);
  }
  if (on_container_end_) on_container_end_(model_.name, NodeSeconds(now));
}

std::int64_t WorkerHost::NodeSeconds(Instant at) const {
  return std::chrono::floor<std::chrono::seconds>(at + clock_offset_ - Instant{}).count();
}

void WorkerHost::RunTasks(const engine::Batch& batch, bool stopped, std::int64_t memory_bytes,
                          Instant begins, engine::BatchOutcome& outcome) {
  const Instant now = context_.time.Now();
  const bool ends_now = batch.range.Size() == 1 && !stopped;
  for (model::TaskIndex i = batch.range.begin; i < batch.range.end; ++i) {
    EVENKEEL_CHECK(batch.inputs.Of(i) == (context_.config.inputs ? InputOf(i) : ""),
                   "an input that belongs to another task");
    const Instant end = ends_now ? now : speed_.DoneAt(begins, tasks_.Seconds(i));
    if (stopped && end > now) break;
    outcome.failure = tasks_.End(i, memory_bytes, outcome.results);
    if (outcome.failure) {
      outcome.failure_busy = end - begins;
      break;
    }
    outcome.ended = begins = end;
  }
}

// A run that is stopped, or of which a task fails, has the results that it has reported, if any.
void WorkerHost::RunAsOne(const engine::Batch& batch, bool stopped, model::TaskIndex next,
                          std::int64_t memory_bytes, Instant begins,
                          engine::BatchOutcome& outcome) {
  const bool reports = context_.config.runs_report_progress;
  const model::TaskIndex end = !stopped ? batch.range.end : reports ? next : batch.range.begin;
  for (model::TaskIndex i = batch.range.begin; i < end && !outcome.failure; ++i) {
    outcome.failure = tasks_.End(i, memory_bytes, outcome.results);
  }
  if (outcome.failure && !reports) outcome.results = {};
  const Instant now = context_.time.Now();
  if (outcome.results.Count() > 0) {
    outcome.ended = now;
  } else if (outcome.failure) {
    outcome.failure_busy = now - begins;
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

}  // namespace evenkeel::simulator
