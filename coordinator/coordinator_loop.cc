#include "coordinator/coordinator_loop.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/log.h"

namespace evenkeel::coordinator {
namespace {

constexpr Duration kVersionRetry = std::chrono::seconds(1);

engine::InputOf InputsOf(const std::shared_ptr<const workloads::Workload>& workload) {
  if (!workload->HasInputs()) return nullptr;
  return [workload](model::TaskIndex index) { return workload->InputOf(index); };
}

/// Everything of a record but the results' bytes.
model::ResultRecord WithoutResults(const model::ResultRecord& record) {
  return {record.range, record.node, record.started, record.ended, record.busy, record.kind, {}};
}

}  // namespace

bool IsPermanent(const Error& error) {
  return error.code == ErrorCode::kConflict || error.code == ErrorCode::kInvalidInput;
}

engine::CoordinatorConfig EngineConfigOf(const JobVersion& version) {
  engine::CoordinatorConfig config;
  config.job = version.spec();
  config.job.workload_parameters = version.worker_parameters();
  config.costs = version.costs();
  config.workload_version = version.workload()->Version();
  config.input_of = InputsOf(version.workload());
  config.ranges = version.workload()->Ranges();
  return config;
}

CoordinatorLoop::CoordinatorLoop(Config config, Ports ports)
    : config_(std::move(config)), ports_(ports), engine_(std::move(config_.engine)) {}

void CoordinatorLoop::Start() {
  attended_ = next_wakeup_ = ports_.clock.Now();
  Execute(engine_.Start(attended_));
  PublishEvents();
  PlanWakeup();
}

void CoordinatorLoop::Step() {
  HandleInbox();
  const Instant now = Attend();
  if (!Ended()) HandleTimers(now);
  for (const StreamId stream : ports_.inbox.TakeReadable()) ports_.transport.ReadOn(stream);
  PublishEvents();
  PublishProgress(now);
  PlanWakeup();
}

void CoordinatorLoop::PlanWakeup() {
  next_wakeup_ =
      std::min({engine_.NextTimer(), config_.deadline, retry_version_at_, attended_ + kMaxSleep});
  if (ports_.progress != nullptr) {
    next_wakeup_ = std::min(next_wakeup_, ports_.progress->NextProgress());
  }
}

Instant CoordinatorLoop::Attend() {
  const Instant now = ports_.clock.Now();
  const Duration late = now - std::max(attended_, next_wakeup_);
  if (late > kLateStep && now >= next_hold_) {
    engine_.HoldExpiry(now + kReadTime);
    next_hold_ = now + kBetweenHolds;
  }
  const bool stalled = late > kStallTolerance;
  if (stalled || ports_.inbox.HasUnreadStreams()) unattended_ += now - attended_;
  attended_ = now;
  return now;
}

// Handles only the events that wait at the beginning: later ones must not delay timers.
void CoordinatorLoop::HandleInbox() {
  for (std::size_t left = ports_.inbox.Size(); left > 0 && !Ended(); --left) {
    ports_.inbox.HoldResults(ports_.journal.PendingBytes() >= config_.max_pending_bytes);
    auto event = ports_.inbox.Take();
    if (!event) break;
    const Instant now = Attend();
    Execute(Handle(std::move(*event), now));
  }
}

void CoordinatorLoop::HandleTimers(Instant now) {
  if (unattended_ > Duration::zero()) {
    engine_.OnStall(std::exchange(unattended_, {}), now);
  }
  if (now >= engine_.NextTimer()) Execute(engine_.OnTimer(now));
  if (now >= config_.deadline) Execute(engine_.OnDeadline(config_.deadline_reason));
  if (now >= retry_version_at_ && next_version_ && !storing_version_) {
    VersionRead next = *std::exchange(next_version_, {});
    StoreVersion(std::move(next.version), std::move(next.identity));
  }
}

engine::Effects CoordinatorLoop::Handle(LoopEvent event, Instant now) {
  if (auto* received = std::get_if<MessageReceived>(&event)) {
    return engine_.OnMessage(received->stream, std::move(received->message), now);
  }
  if (const auto* closed = std::get_if<StreamClosed>(&event)) {
    return engine_.OnStreamClosed(closed->stream, now);
  }
  if (const auto* heard = std::get_if<StreamHeard>(&event)) {
    engine_.OnHeard(heard->stream, now);
    return {};
  }
  if (const auto* committed = std::get_if<BatchCommitted>(&event)) {
    if (!storing_version_) return engine_.OnDurable(committed->batch, now);
    committed_meanwhile_ = committed->batch;
    return {};
  }
  if (auto* failed = std::get_if<JournalFailed>(&event)) {
    end_.journal_error = std::move(failed->error);
    return engine_.OnJournalFailed(end_.journal_error->message, now);
  }
  if (auto* read = std::get_if<VersionRead>(&event)) {
    if (storing_version_) {
      next_version_ = std::move(*read);
    } else {
      StoreVersion(std::move(read->version), std::move(read->identity));
    }
    return {};
  }
  if (auto* committed = std::get_if<VersionCommitted>(&event)) {
    return OnVersionCommitted(std::move(*committed), now);
  }
  if (auto* reported = std::get_if<ContainerEndsReported>(&event)) {
    return engine_.OnContainerEnds(std::move(reported->ends), now);
  }
  if (const auto* held = std::get_if<DataHeldReported>(&event)) {
    return engine_.OnDataHeld(held->node, held->tasks, now);
  }
  return engine_.OnInterrupt(std::get<InterruptRequested>(event).reason, config_.drain_grace, now);
}

void CoordinatorLoop::Execute(engine::Effects effects) {
  for (auto& effect : effects) {
    if (auto* send = std::get_if<engine::SendToWorker>(&effect)) {
      ports_.transport.Send(send->stream, std::move(send->message));
    } else if (const auto* close = std::get_if<engine::CloseStream>(&effect)) {
      ports_.transport.Close(close->stream);
    } else if (auto* persist = std::get_if<engine::Persist>(&effect)) {
      Persist(std::move(*persist));
    } else if (auto* end = std::get_if<engine::EndJob>(&effect)) {
      end_.state = end->state;
      end_.reason = std::move(end->reason);
      end_.cause = end->cause;
      end_.superseded = end->superseded;
    }
  }
}

void CoordinatorLoop::Persist(engine::Persist batch) {
  if (ports_.progress != nullptr) {
    for (const auto& record : batch.results) ports_.progress->Put(WithoutResults(record));
  }
  for (const auto& excluded : batch.exclusions) {
    Log(LogLevel::kWarning, config_.version->spec().name + ": node " + excluded.node +
                                " is left out: " + excluded.reason + "; " +
                                std::to_string(excluded.revoked) +
                                " results are revoked and computed again");
  }
  ports_.journal.Append(std::move(batch));
}

void CoordinatorLoop::PublishEvents() {
  auto events = engine_.TakeEvents();
  if (events.empty()) return;
  if (ports_.progress != nullptr) {
    for (const auto& event : events) ports_.progress->Put(event);
  }
  ports_.journal.Append(std::move(events));
}

void CoordinatorLoop::PublishProgress(Instant now) {
  if (ports_.progress == nullptr || now < ports_.progress->NextProgress()) return;
  ports_.progress->PutProgress(engine_.CurrentProgress(now));
}

void CoordinatorLoop::StoreVersion(SharedJobVersion version, JobIdentity identity) {
  retry_version_at_ = kNever;
  next_version_.reset();
  storing_version_ = true;
  ports_.journal.Append(VersionChange{std::move(version), std::move(identity)});
}

engine::Effects CoordinatorLoop::OnVersionCommitted(VersionCommitted committed, Instant now) {
  storing_version_ = false;
  engine::Effects effects;
  if (!committed.error) {
    UseVersion(committed.version, effects, now);
  } else {
    WarnOfVersion(committed.error->message);
    if (!IsPermanent(*committed.error) && !next_version_) {
      next_version_ = VersionRead{std::move(committed.version), std::move(committed.identity)};
      retry_version_at_ = now + kVersionRetry;
    }
  }
  if (next_version_ && retry_version_at_ == kNever) retry_version_at_ = now;
  if (const auto batch = std::exchange(committed_meanwhile_, {})) {
    auto more = engine_.OnDurable(*batch, now);
    std::move(more.begin(), more.end(), std::back_inserter(effects));
  }
  return effects;
}

// Only the tasks change; what else the manifest says is for the next start.
void CoordinatorLoop::UseVersion(const SharedJobVersion& version, engine::Effects& effects,
                                 Instant now) {
  const std::int64_t appended = version->TaskCount() - config_.version->TaskCount();
  if (appended == 0) return;
  model::JobSpec spec = config_.version->spec();
  spec.workload_parameters = version->spec().workload_parameters;
  config_.version = std::make_shared<const JobVersion>(std::move(spec), version->workload());
  Log(LogLevel::kInfo, config_.version->spec().name + ": " + std::to_string(appended) +
                           " tasks appended, " + std::to_string(version->TaskCount()) + " in all");
  effects = engine_.OnGrown({config_.version->costs(), InputsOf(config_.version->workload()),
                             config_.version->worker_parameters()},
                            now);
  if (ports_.progress != nullptr) ports_.progress->Put(config_.version);
}

void CoordinatorLoop::WarnOfVersion(const std::string& why) {
  if (why == warning_) return;
  warning_ = why;
  Log(LogLevel::kWarning,
      config_.version->spec().name + ": the changed manifest is ignored: " + why);
}

LoopEnd CoordinatorLoop::Finish() {
  const Instant now = ports_.clock.Now();
  ports_.journal.Append(engine_.TakeEvents());
  ports_.journal.Append(engine_.StageEvents(now));
  end_.progress = engine_.CurrentProgress(now);
  end_.version = config_.version;
  return std::move(end_);
}

}  // namespace evenkeel::coordinator
