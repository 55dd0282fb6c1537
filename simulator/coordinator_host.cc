#include "simulator/coordinator_host.h"

#include <algorithm>
#include <utility>

#include "core/engine/worker_lifecycle.h"
#include "simulator/simulated_job.h"
#include "simulator/trace_recorder.h"

namespace evenkeel::simulator {

using coordinator::LoopEvent;
using engine::StreamId;

CoordinatorHost::Process::Process(CoordinatorHost& host,
                                  coordinator::CoordinatorLoop::Config config)
    : writer(host.context_, host.journal_, inbox),
      loop(std::move(config), {host.context_.time, inbox, host, host}) {}

CoordinatorHost::CoordinatorHost(SimulationContext& context, Network& network,
                                 SimulatedJournal& journal)
    : context_(context),
      network_(network),
      journal_(journal),
      tasks_(context.config.initial_tasks.value_or(
          static_cast<std::int64_t>(context.config.true_costs.size()))) {}

void CoordinatorHost::Start() {
  ++epoch_;
  context_.monitor.OnCoordinatorStarted();
  for (const auto& failure : journal_.failures()) {
    context_.monitor.OnFailureRecorded(failure.index, failure.node);
  }
  coordinator::CoordinatorLoop::Config config;
  config.version = MakeJobVersion(context_.config, tasks_);
  config.engine = EngineConfigOf(context_.config, *config.version, journal_, epoch_);
  config.max_pending_bytes = context_.config.max_pending_bytes;
  process_ = std::make_unique<Process>(*this, std::move(config));
  network_.Listen();
  process_->loop.Start();
  Step();
  const auto& kills = context_.config.container_kills;
  if (!kills || !kills->longest_report_delay) return;
  // The operator polls a new coordinator at once, and finds out later that it has started again.
  const Duration delay = epoch_ == 1 ? Duration::zero() : *kills->longest_report_delay;
  context_.time.At(context_.time.After(delay), [this, epoch = epoch_] {
    if (epoch == epoch_) ReportContainerEnds();
  });
}

void CoordinatorHost::Kill() {
  process_.reset();
  wakeup_ = kNever;
  stalled_ = false;
  stalled_until_ = {};
  in_kernel_.clear();
  network_.StopListening();
}

void CoordinatorHost::RestartAt(Instant at) {
  context_.time.At(at, [this] {
    if (!process_) Start();
  });
}

void CoordinatorHost::Stall(Instant until) {
  if (!process_) return;
  stalled_ = true;
  stalled_until_ = std::max(stalled_until_, until);
  context_.time.At(stalled_until_, [this, epoch = epoch_] {
    if (epoch == epoch_ && stalled_ && stalled_until_ <= context_.time.Now()) Resume();
  });
}

// The worst order: leases are checked before the messages are read that renew them.
void CoordinatorHost::Resume() {
  stalled_ = false;
  Step();
  for (Arrival& arrival : std::exchange(in_kernel_, {})) {
    Read(arrival.stream, std::move(arrival.event));
  }
  Step();
}

void CoordinatorHost::Grow(std::int64_t tasks) {
  if (context_.job_over) return;
  context_.trace.Note(context_.time.Now(), "tasks appended: " + std::to_string(tasks) + " in all");
  tasks_ = tasks;
  if (!process_) return;
  auto version = MakeJobVersion(context_.config, tasks);
  auto identity = IdentityOfSimulated(*version);
  process_->inbox.Post(coordinator::VersionRead{std::move(version), std::move(identity)});
  StepUnlessStalled();
}

void CoordinatorHost::OnContainerEnd(const std::string& node, std::int64_t at_seconds) {
  // The status of a pod has the latest two ends of a container.
  auto& ends = container_ends_[node];
  if (ends.size() == 2) ends.erase(ends.begin());
  ends.push_back({at_seconds, /*out_of_memory=*/true});
  ReportContainerEnds();
}

void CoordinatorHost::ReportContainerEnds() {
  if (!process_ || process_->finished) return;
  process_->inbox.Post(coordinator::ContainerEndsReported{container_ends_});
  StepUnlessStalled();
}

// ---- What arrives ----

void CoordinatorHost::OnMessage(StreamId stream, engine::ToCoordinator message) {
  if (!process_) return;
  const std::size_t node = *network_.NodeOf(stream);
  if (context_.trace.RecordsDeliveries()) {
    context_.trace.Delivered(context_.time.Now(),
                             context_.config.nodes[node].name + " -> " + Describe(message));
  }
  const bool connects = std::holds_alternative<engine::Hello>(message);
  LoopEvent event = coordinator::MessageReceived{stream, std::move(message)};
  if (stalled_) return in_kernel_.push_back({stream, std::move(event)});
  Read(stream, std::move(event));
  Step();
  if (connects) ReportCachedData(node);
}

void CoordinatorHost::ReportCachedData(std::size_t node) {
  for (const CachedData& data : context_.config.cached) {
    if (data.node != node || !process_ || process_->finished) continue;
    process_->inbox.Post(
        coordinator::DataHeldReported{context_.config.nodes[node].name, data.tasks});
    Step();
  }
}

void CoordinatorHost::OnStreamClosed(StreamId stream) {
  if (!process_) return;
  LoopEvent event = coordinator::StreamClosed{stream};
  if (stalled_) return in_kernel_.push_back({stream, std::move(event)});
  Read(stream, std::move(event));
  Step();
}

void CoordinatorHost::Read(StreamId stream, LoopEvent event) {
  auto& unread = process_->unread;
  if (const auto waits = unread.find(stream); waits != unread.end()) {
    return waits->second.push_back(std::move(event));
  }
  process_->inbox.Post(std::move(event));
  if (!process_->inbox.MayReadOn(stream)) unread.try_emplace(stream);
}

void CoordinatorHost::ReadOn(StreamId stream) {
  auto arrived = process_->unread.extract(stream);
  if (arrived.empty()) return;
  for (LoopEvent& event : arrived.mapped()) Read(stream, std::move(event));
}

// ---- The loop ----

void CoordinatorHost::Step() {
  Process& process = *process_;
  const bool check =
      context_.config.check_invariants &&
      (process.inbox.Size() > 0 || process.loop.engine().NextTimer() <= context_.time.Now());
  process.loop.Step();
  if (process.finished) return;
  if (check) CheckInvariants();
  if (process.loop.Ended()) return End();
  BeginCommit();
  PlanWakeup(process.inbox.Size() > 0 ? context_.time.Now() : process.loop.NextWakeup());
}

void CoordinatorHost::CheckInvariants() {
  process_->loop.engine().CheckInvariants();
  context_.monitor.OnProgress(engine()->CurrentProgress(context_.time.Now()), epoch_);
}

void CoordinatorHost::BeginCommit() {
  const auto ends = process_->writer.Begin();
  if (!ends) return;
  Event event;
  event.target = this;
  event.kind = kCommitEnd;
  event.detail = epoch_;
  context_.time.At(*ends, event, EventQueue::Lane::kCommits);
}

void CoordinatorHost::PlanWakeup(Instant at) {
  if (at >= wakeup_) return;
  wakeup_ = at;
  Event event;
  event.target = this;
  event.kind = kWakeup;
  event.detail = static_cast<std::uint64_t>(at.time_since_epoch().count());
  context_.time.At(at, event);
}

void CoordinatorHost::OnEvent(const Event& event) {
  if (event.kind == kWakeup) {
    return OnWakeup(Instant{Duration{static_cast<std::int64_t>(event.detail)}});
  }
  if (!process_ || event.detail != epoch_ || process_->finished) return;
  process_->writer.End();
  StepUnlessStalled();
}

// Messages have put off what the wakeup was planned for more often than not.
void CoordinatorHost::OnWakeup(Instant due) {
  if (!process_ || wakeup_ != due) return;
  wakeup_ = kNever;
  if (stalled_ || process_->finished) return;
  const Instant next = process_->loop.NextWakeup();
  if (next > context_.time.Now() && process_->inbox.Size() == 0) return PlanWakeup(next);
  Step();
}

void CoordinatorHost::End() {
  coordinator::LoopEnd end = process_->loop.Finish();
  process_->finished = true;
  if (end.journal_error) return Exit(end.reason);
  process_->writer.Flush();
  ended_at_ = context_.time.Now();
  context_.job_over = true;
  context_.time.StopAt(context_.time.After(context_.config.linger));
  context_.trace.Note(ended_at_, "the job ends: " + end.reason);
  end_ = std::move(end);
}

// The process is in use until the current event has been handled.
void CoordinatorHost::Exit(const std::string& reason) {
  context_.trace.Note(context_.time.Now(), "the coordinator exits: " + reason);
  context_.time.At(context_.time.Now(), [this, epoch = epoch_] {
    if (epoch != epoch_ || !process_) return;
    Kill();
    RestartAt(context_.time.After(restart_delay_));
  });
}

// ---- What the loop does ----

void CoordinatorHost::Send(StreamId stream, engine::ToWorker message) {
  if (process_->finished) context_.monitor.OnSentAfterEnd();
  const auto node = network_.NodeOf(stream);
  if (!node) return;
  if (const auto* assign = std::get_if<engine::Assign>(&message)) CheckLeases(*node, *assign);
  network_.Send(stream, std::move(message));
}

void CoordinatorHost::Close(StreamId stream) {
  if (process_->finished) context_.monitor.OnSentAfterEnd();
  network_.CloseCoordinatorEnd(stream);
}

void CoordinatorHost::Append(coordinator::JournalEntry entry) {
  if (process_->finished) context_.monitor.OnSentAfterEnd();
  if (const auto* batch = std::get_if<engine::Persist>(&entry)) {
    for (const auto& failure : batch->failures) {
      context_.monitor.OnFailureRecorded(failure.index, failure.node);
    }
  } else if (const auto* events = std::get_if<std::vector<model::TimelineEvent>>(&entry)) {
    for (const auto& event : *events) CheckEvent(event);
  }
  process_->writer.Append(std::move(entry));
}

std::size_t CoordinatorHost::PendingBytes() const { return process_->writer.PendingBytes(); }

void CoordinatorHost::CheckEvent(const model::TimelineEvent& event) {
  if (event.kind != model::TimelineEvent::Kind::kLost) return;
  context_.trace.Note(context_.time.Now(), "lost: " + event.node + ", " + event.detail);
  if (event.detail == engine::kLeftInGoodOrder) return;
  for (std::size_t node = 0; node < context_.config.nodes.size(); ++node) {
    if (context_.config.nodes[node].name != event.node) continue;
    const auto received = network_.LastReceived(node);
    const Duration lease = context_.config.job.balancing.lease;
    if (received && context_.time.Now() - *received < lease) context_.monitor.OnLostThoughHeard();
  }
}

void CoordinatorHost::CheckLeases(std::size_t node, const engine::Assign& assign) {
  for (const auto& grant : assign.grants) {
    for (const auto part : journal_.completed().Within(grant.range)) {
      context_.monitor.OnLeasedThoughDurable(part.Size());
    }
    if (grant.attempt > 0 && context_.config.check_invariants) {
      context_.monitor.OnRetryLeased(grant.range.begin, context_.config.nodes[node].name,
                                     engine()->CurrentProgress(context_.time.Now()));
    }
  }
}

}  // namespace evenkeel::simulator
