#include "core/engine/coordinator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.h"
#include "core/scheduling/predicted_time.h"

namespace evenkeel::engine {

using model::IndexRange;
using model::RunKind;
using model::TaskIndex;
using model::TimelineEvent;
using scheduling::ReturnCause;
using scheduling::WorkerId;

namespace {

// A weight of 0 still means some speed.
constexpr double kLeastRatio = 1e-6;
// How long a worker may take to answer a recall before the recall expires. A worker that is slow to
// answer is not lost.
constexpr Duration kRecallTimeout = std::chrono::seconds(2);
// Retries that one call looks at; the others wait for the next call.
constexpr std::size_t kMaxDueLooks = 256;
constexpr std::size_t kMaxParkedLooks = 64;
// A worker takes a retry if it will have run its leases within so many report intervals, which is
// about what strategies lease ahead.
constexpr int kReportIntervalsAhead = 3;
// One in so many connected workers, and at least one, may be reserved for suspects.
constexpr std::size_t kWorkersPerIsolation = 4;
constexpr const char* kDiedAlone = "the worker process died while it ran this task alone";

scheduling::TimingEstimator::Options EstimatorOptions(const model::CostModel& costs) {
  scheduling::TimingEstimator::Options options;
  if (!costs.Known()) options.task_relative_sigma = 0.5;
  return options;
}

double LeftOutRatio(const std::vector<ExpectedNode>& nodes) {
  double sum = 0;
  for (const auto& node : nodes) sum += node.left_out ? node.ratio : 0.0;
  return sum;
}

/// The rate that a ratio of 1 stands for, by the expected rates: the median over the nodes, so that
/// one wrong node does no harm.
std::optional<double> UnitRate(const std::vector<ExpectedNode>& nodes) {
  std::vector<double> worth;
  for (const ExpectedNode& node : nodes) {
    if (node.rate && node.ratio > 0) worth.push_back(*node.rate / node.ratio);
  }
  if (worth.empty()) return std::nullopt;
  const auto middle = worth.begin() + static_cast<std::ptrdiff_t>(worth.size() / 2);
  std::nth_element(worth.begin(), middle, worth.end());
  return *middle;
}

Membership::Rules MembershipRules(const CoordinatorConfig& config) {
  return {config.token,
          config.job.workload,
          config.workload_version,
          config.admit_unexpected,
          config.job.max_workers,
          config.job.balancing.lease,
          config.job.task_policy.idempotent};
}

std::string FailJobReason(TaskIndex index, const std::string& node,
                          std::optional<std::int32_t> exit_code) {
  return "task " + std::to_string(index) + " ended with exit code " +
         std::to_string(exit_code.value_or(0)) + " on " + node +
         ": FailJob by spec.taskPolicy.onExitCodes";
}

std::vector<IndexRange> Holdings(const TaskLedger& ledger, WorkerId worker) {
  std::vector<IndexRange> ranges = ledger.Leased(worker).Ranges();
  ledger.Copies(worker).ForEach([&ranges](IndexRange range) { ranges.push_back(range); });
  return ranges;
}

double Fraction(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

}  // namespace

Coordinator::Coordinator(CoordinatorConfig config)
    : costs_(std::make_shared<model::GrowingCosts>(config.costs)),
      config_(std::move(config)),
      estimator_(EstimatorOptions(*costs_)),
      ledger_(*costs_),
      membership_(MembershipRules(config_)),
      retries_(config_.job.task_policy),
      completion_(config_.job.task_policy, costs_->TaskCount()),
      statistics_(config_.active_before) {
  config_.costs = costs_;
  strategy_ = config_.make_strategy({*costs_, estimator_, ledger_, config_.job.balancing,
                                     config_.job.task_policy.idempotent, config_.round_trip,
                                     config_.report_interval, LeftOutRatio(config_.nodes),
                                     config_.seed, places_});
  CompletionPolicy::Batch durable;
  config_.completed.ForEach([&](IndexRange range) {
    ledger_.RestoreDurable(range);
    completed_cost_ += costs_->Of(range);
    durable.completed += range.Size();
    durable.wanted += completion_.WantedWithin(range);
  });
  completion_.AddDurable(durable);
}

// ---- Setup ----

Effects Coordinator::Start(Instant now) {
  statistics_.Start(config_.started.value_or(now));
  if (config_.epoch > 1 && !config_.job.task_policy.idempotent) {
    leases_from_ = now + config_.job.balancing.lease;
  }
  for (const auto& node : config_.nodes) {
    if (!node.left_out) AddNode(node, now);
  }
  if (const auto rate = UnitRate(config_.nodes)) estimator_.SetUnitRate(*rate);
  Place(config_.placed);
  Link(config_.links);
  RestoreFailures(config_.failures, now);

  model::RangeSet todo;
  ledger_.ForEachState({0, ledger_.TaskCount()}, [&](IndexRange range, TaskState state) {
    if (state == TaskState::kUnassigned) todo.Insert(range);
  });
  const auto& members = membership_.Members();
  const bool weightless = std::none_of(members.begin(), members.end(),
                                       [](const Member& member) { return member.ratio > 0; });
  std::vector<scheduling::WorkerFacts> facts;
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    facts.push_back({weightless ? 1.0 : members[i].ratio, statistics_.Node({i}).power});
  }
  strategy_->Start(facts, todo, now);
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    statistics_.Node({i}).share = strategy_->PlannedShares()[i];
  }
  Effects effects;
  EndIfOver(effects);
  return effects;
}

WorkerId Coordinator::AddNode(const ExpectedNode& node, Instant now) {
  estimator_.AddWorker(std::max(node.ratio, kLeastRatio), 1, node.sigma);
  ledger_.AddWorker();
  isolation_.AddWorker();
  statistics_.AddNode(node.name, node.ratio, node.power);
  return membership_.Add(node.name, node.ratio, now);
}

void Coordinator::RestoreFailures(const std::vector<model::FailureRecord>& failures, Instant now) {
  CompletionPolicy::Batch durable;
  for (const auto& failure : failures) {
    const IndexRange one{failure.index, failure.index + 1};
    const TaskState state = ledger_.StateOf(failure.index);
    if (state == TaskState::kDurable || state == TaskState::kFailed) continue;
    if (state == TaskState::kUnassigned) ledger_.Withhold(one);
    const auto verdict = retries_.CountFailure(failure.index, failure.node, failure.exit_code);
    if (!failure.final) continue;
    ledger_.GiveUp(one);
    retries_.Forget(one);
    completion_.QuoteFailure(failure.index, failure.node, failure.reason);
    ++durable.failed;
    if (verdict == RetryPolicy::Verdict::kJobFailed && durable.fails_job.empty()) {
      durable.fails_job = FailJobReason(failure.index, failure.node, failure.exit_code);
    }
  }
  completion_.AddDurable(durable);
  ledger_.ForEachState({0, ledger_.TaskCount()}, [&](IndexRange range, TaskState state) {
    if (state != TaskState::kWithheld) return;
    for (TaskIndex i = range.begin; i < range.end; ++i) retries_.RetryLater(i, now);
  });
}

Effects Coordinator::OnGrown(GrownJob grown, Instant now) {
  Effects effects;
  if (ended_) return effects;
  const IndexRange appended{costs_->TaskCount(), grown.costs->TaskCount()};
  costs_->GrowTo(std::move(grown.costs));
  config_.input_of = std::move(grown.input_of);
  config_.job.workload_parameters = std::move(grown.workload_parameters);
  if (appended.Empty()) return effects;
  ledger_.Append();
  completion_.Append(appended);
  Place(grown.placed);
  strategy_->Append(appended, now);
  const auto& shares = strategy_->PlannedShares();
  for (std::uint32_t i = 0; i < membership_.Size(); ++i) statistics_.Node({i}).share = shares[i];
  Decide(now, effects);
  return effects;
}

void Coordinator::Place(const std::vector<PlacedTasks>& placed) {
  for (const PlacedTasks& tasks : placed) {
    if (const auto worker = membership_.Find(tasks.node)) places_.Put(tasks.range, *worker);
  }
}

void Coordinator::Link(const std::vector<NodeLink>& links) {
  for (const NodeLink& link : links) {
    const auto one = membership_.Find(link.one);
    const auto other = membership_.Find(link.other);
    if (one && other) places_.Link(*one, *other, link.tasks_per_second);
  }
}

// ---- Events ----

Effects Coordinator::OnMessage(StreamId stream, ToCoordinator message, Instant now) {
  Effects effects;
  if (ended_) return effects;
  statistics_.CountMessage();
  const WorkerId* const known = membership_.FindStream(stream);
  if (auto* hello = std::get_if<Hello>(&message)) {
    if (known == nullptr) Admit(stream, *hello, now, effects);
  } else if (known == nullptr) {
    effects.emplace_back(CloseStream{stream});
  } else {
    const WorkerId worker = *known;
    membership_.RenewLease(worker, now);
    if (auto* report = std::get_if<Report>(&message)) {
      Apply(worker, std::move(*report), now, effects);
    } else if (const auto* given = std::get_if<GiveBack>(&message)) {
      Apply(worker, *given, now);
    } else {
      Lose(worker, "left in good order", true, now, effects);
    }
  }
  Decide(now, effects);
  return effects;
}

Effects Coordinator::OnStreamClosed(StreamId stream, Instant now) {
  Effects effects;
  if (ended_) return effects;
  const auto worker = membership_.Disconnect(stream, now);
  if (!worker) return effects;
  SetAvailability(*worker);
  Touch(*worker, now);
  Decide(now, effects);
  return effects;
}

Effects Coordinator::OnDurable(BatchId batch, Instant now) {
  Effects effects;
  if (ended_) return effects;
  while (!commits_.empty() && commits_.begin()->first <= batch) {
    PendingCommit commit = std::move(commits_.begin()->second);
    commits_.erase(commits_.begin());
    for (const IndexRange range : commit.completed) ledger_.MarkDurable(range);
    completion_.AddDurable(commit.batch);
    const bool settled = commit.batch.completed + commit.batch.failed > 0;
    statistics_.NoteDurable(settled ? statistics_.JobTime(now) : commit.ended);
    const Member& member = membership_.At(commit.worker);
    if (member.stream == commit.stream) {
      Send(commit.stream, Acknowledge{std::move(commit.reported), member.reports_received},
           effects);
    }
  }
  EndIfOver(effects);
  EndIfDrained(now, effects);
  return effects;
}

Effects Coordinator::OnJournalFailed(const std::string& reason, Instant) {
  Effects effects;
  if (!ended_) Break({model::JobState::kFailed, reason}, effects);
  return effects;
}

Effects Coordinator::OnDeadline(const std::string& reason) {
  Effects effects;
  if (!ended_) End(model::JobState::kFailed, reason, effects);
  return effects;
}

Effects Coordinator::OnInterrupt(const std::string& reason, Duration grace, Instant now) {
  Effects effects;
  if (ended_) return effects;
  if (completion_.Draining()) {
    Break({model::JobState::kInterrupted, reason}, effects);
    return effects;
  }
  completion_.Drain(reason, now + grace);
  for (const auto& [stream, worker] : membership_.Streams()) RecallAll(stream, effects);
  EndIfDrained(now, effects);
  return effects;
}

void Coordinator::OnStall(Duration stalled, Instant now) {
  membership_.ExtendLeases(stalled, now);
  recalled_since_.Shift(stalled, now);
}

Effects Coordinator::OnTimer(Instant now) {
  Effects effects;
  if (ended_) return effects;
  ExpireLeases(now, effects);
  ExpireRecalls(now);
  Decide(now, effects);
  return effects;
}

Instant Coordinator::NextTimer() const {
  if (ended_) return kNever;
  const bool draining = completion_.Draining();
  Instant next = draining ? completion_.DrainDeadline()
                          : std::min(strategy_->NextDecision(), retries_.NextDue());
  if (leases_from_ && !draining) next = *leases_from_;
  if (completion_.EndsEarly()) next = kNever;  // only commits are waited for
  next = std::min(next, membership_.NextExpiry());
  if (const auto since = recalled_since_.Oldest()) next = std::min(next, *since + kRecallTimeout);
  return next;
}

// ---- Streams and leases ----

void Coordinator::Admit(StreamId stream, const Hello& hello, Instant now, Effects& effects) {
  if (const std::string reason = membership_.RefusalReason(hello); !reason.empty()) {
    Send(stream, Refusal{reason}, effects);
    effects.emplace_back(CloseStream{stream});
    return;
  }
  if (hello.epoch > config_.epoch) {  // it has spoken to a later start of this coordinator
    Break({model::JobState::kInterrupted, "a newer coordinator of this job is running", true},
          effects);
    return;
  }
  const WorkerId worker = FindOrAddNode(hello, now);
  if (membership_.WasReplaced(worker, hello.incarnation)) {
    // Not a refusal: messages may be late, and this may be the newer process after all.
    effects.emplace_back(CloseStream{stream});
    return;
  }
  if (const auto before = membership_.Connect(worker, stream, now)) {
    effects.emplace_back(CloseStream{*before});  // the newer connection is the true one
  }
  statistics_.Node(worker).threads = hello.threads;
  estimator_.SetThreads(worker, hello.threads);
  SetAvailability(worker);
  AttachProcess(worker, hello, now, effects);
  statistics_.RecordNodeEvent(TimelineEvent::Kind::kJoined, worker, now, {});
  Send(stream,
       Welcome{config_.epoch, config_.job.name, config_.job.workload_parameters,
               config_.report_interval, config_.job.balancing.lease,
               config_.job.task_policy.idempotent, config_.job.task_policy.timeout},
       effects);
  CancelStale(worker, hello, effects);
  retries_.UnparkAll();
  Touch(worker, now);
}

WorkerId Coordinator::FindOrAddNode(const Hello& hello, Instant now) {
  if (const auto known = membership_.Find(hello.node)) return *known;
  const double ratio = hello.ratio > 0 ? hello.ratio : membership_.MeanRatio();
  const WorkerId worker = AddNode({hello.node, ratio}, now);
  strategy_->AddWorker(worker, {ratio}, now);
  return worker;
}

void Coordinator::AttachProcess(WorkerId worker, const Hello& hello, Instant now,
                                Effects& effects) {
  const Member& member = membership_.At(worker);
  const bool replaced = !member.incarnation.empty() && member.incarnation != hello.incarnation;
  const bool same_process = member.incarnation == hello.incarnation && hello.epoch == config_.epoch;
  const bool died = replaced && member.boot_id == hello.boot_id && !member.draining;
  if (replaced && !member.absent) isolation_.NoteUnreachable(worker, Holdings(ledger_, worker));
  membership_.SetProcess(worker, hello.incarnation, hello.boot_id);
  if (same_process) {
    ReleaseNotHeld(worker, hello, now);
  } else {
    isolation_.Free(worker);
    SetAvailability(worker);
    ReturnLeases(worker, ReturnCause::kLost, now);
  }
  if (member.absent) strategy_->WorkerBack(worker, now);
  membership_.Rejoin(worker);
  ExplainLoss(worker, died, now, effects);
}

void Coordinator::ReleaseNotHeld(WorkerId worker, const Hello& hello, Instant now) {
  // The lease never reached the worker, or its report was lost on the way.
  model::RangeSet held;
  for (const Grant& grant : hello.held) held.Insert(grant.range);
  for (const IndexRange leased : ledger_.Leased(worker).Ranges()) {
    for (const IndexRange gone : held.Missing(leased)) {
      TakeBack(worker, ledger_.Release(worker, gone, nullptr), ReturnCause::kLost, now);
    }
  }
  for (const IndexRange copy : ledger_.Copies(worker).Ranges()) {
    for (const IndexRange gone : held.Missing(copy)) ledger_.DropCopies(worker, gone);
  }
}

// While the worker was away, others may have got its tasks; it may continue those that are free.
void Coordinator::CancelStale(WorkerId worker, const Hello& hello, Effects& effects) {
  if (hello.epoch != config_.epoch) return;  // it drops all of them by itself
  const IndexRange all{0, ledger_.TaskCount()};
  Cancel cancel;
  for (const Grant& grant : hello.held) {
    if (grant.id == GrantId{}) continue;  // a result that waits to be reported
    const IndexRange held = model::Intersect(grant.range, all);
    if (held.Empty()) continue;
    ledger_.ForEachState(held, [&](IndexRange part, TaskState state) {
      if (state == TaskState::kCompleted || state == TaskState::kDurable) {
        cancel.ranges.push_back(part);
      }
    });
    ledger_.ForEachLease(held, [&](const TaskLedger::Holding& lease) {
      if (lease.worker == worker) return;
      for (const IndexRange part : ledger_.Copies(worker).Missing(lease.range)) {
        cancel.ranges.push_back(part);
      }
    });
  }
  if (!cancel.ranges.empty()) Send(*membership_.At(worker).stream, std::move(cancel), effects);
}

void Coordinator::Lose(WorkerId worker, const std::string& why, bool in_good_order, Instant now,
                       Effects& effects) {
  if (membership_.At(worker).lost) return;
  if (const auto stream = membership_.Remove(worker)) effects.emplace_back(CloseStream{*stream});
  SetAvailability(worker);
  GiveTasksToOthers(worker, in_good_order, now);
  retries_.UnparkAll();  // they may have waited for this node
  statistics_.RecordNodeEvent(TimelineEvent::Kind::kLost, worker, now, why);
}

void Coordinator::GiveTasksToOthers(WorkerId worker, bool in_good_order, Instant now) {
  const bool absent_before = membership_.At(worker).absent;
  membership_.MarkAbsent(worker);
  if (absent_before) return;
  recalls_.erase(worker);
  recalled_since_.Remove(worker);
  if (!in_good_order) isolation_.NoteUnreachable(worker, Holdings(ledger_, worker));
  isolation_.Free(worker);
  strategy_->WorkerLost(worker, now);
  ReturnLeases(worker, ReturnCause::kLost, now);
}

void Coordinator::ReturnLeases(WorkerId worker, ReturnCause cause, Instant now) {
  TakeBack(worker, ledger_.ReleaseAll(worker), cause, now);
}

void Coordinator::TakeBack(WorkerId from, const TaskLedger::Released& released, ReturnCause cause,
                           Instant now) {
  for (const IndexRange range : released.unassigned) {
    for (const IndexRange part : isolation_.Suspects().Missing(range)) {
      strategy_->Return(from, part, cause, now);
    }
    for (const IndexRange suspect : isolation_.Suspects().Within(range)) {
      ledger_.Withhold(suspect);
      isolation_.Enqueue(suspect);
    }
  }
  for (const IndexRange range : released.withheld) {
    for (const IndexRange part : isolation_.Suspects().Missing(range)) {
      for (TaskIndex i = part.begin; i < part.end; ++i) retries_.RetryNow(i);
    }
    for (const IndexRange suspect : isolation_.Suspects().Within(range)) {
      isolation_.Enqueue(suspect);
    }
  }
}

void Coordinator::ExpireLeases(Instant now, Effects& effects) {
  for (const WorkerId worker : membership_.TakeExpired(now)) {
    const bool never_came = membership_.At(worker).incarnation.empty();
    Lose(worker, never_came ? "never connected" : "silent for a whole lease", false, now, effects);
  }
  for (;;) {
    const auto overdue = membership_.OverdueToReconnect(now);
    if (overdue.empty()) return;
    for (const WorkerId worker : overdue) GiveTasksToOthers(worker, false, now);
  }
}

void Coordinator::ExpireRecalls(Instant now) {
  while (recalled_since_.Oldest() && *recalled_since_.Oldest() + kRecallTimeout <= now) {
    for (const WorkerId worker : recalled_since_.AllOldest()) {
      recalled_since_.Remove(worker);
      recalls_.erase(worker);
      statistics_.CountFailedRecall();
      strategy_->RecallEnded(worker, now);
    }
  }
}

void Coordinator::SetAvailability(WorkerId worker) {
  const Member& member = membership_.At(worker);
  const bool takes_work = member.stream && !member.draining && !isolation_.IsReserved(worker);
  ledger_.SetAvailable(worker, takes_work);
}

// ---- Results ----

void Coordinator::Apply(WorkerId worker, Report report, Instant now, Effects& effects) {
  Member& member = membership_.At(worker);
  ++member.reports_received;
  if (completion_.EndsEarly()) return;  // the job is over but for its last commit
  if (!IsValid(report)) {               // no honest worker sends this: it must not touch the job
    Lose(worker, "reported results that cannot be", true, now, effects);
    return;
  }
  if (report.draining && !member.draining) {
    member.draining = true;
    SetAvailability(worker);
  }
  Measure(worker, report);
  Persist persist;
  PendingCommit commit;
  commit.worker = worker;
  commit.stream = *member.stream;
  for (auto& done : report.completed) {
    ApplyCompleted(worker, std::move(done), now, persist, commit, effects);
  }
  for (auto& failed : report.failed) ApplyFailed(worker, std::move(failed), now, persist, commit);
  Touch(worker, now);
  const bool counts_leases =
      !config_.job.task_policy.idempotent;  // its leases run at the worker, too
  if (!persist.results.empty() || !persist.failures.empty()) {
    // A commit may take longer than a lease: the worker must learn now that it was heard.
    if (counts_leases) Send(commit.stream, Acknowledge{{}, member.reports_received}, effects);
    Commit(std::move(persist), std::move(commit), effects);
  } else if (!commit.reported.empty() || counts_leases) {
    Send(commit.stream, Acknowledge{std::move(commit.reported), member.reports_received}, effects);
  }
  EndIfOver(effects);
}

void Coordinator::Commit(Persist persist, PendingCommit commit, Effects& effects) {
  persist.batch = BatchId{next_batch_++};
  commits_.emplace(persist.batch, std::move(commit));
  effects.emplace_back(std::move(persist));
}

bool Coordinator::IsValid(const Report& report) const {
  const IndexRange all{0, ledger_.TaskCount()};
  return std::all_of(report.completed.begin(), report.completed.end(),
                     [&](const CompletedRange& done) {
                       return !done.range.Empty() && all.Contains(done.range) &&
                              done.results.Count() == done.range.Size();
                     }) &&
         std::all_of(report.failed.begin(), report.failed.end(),
                     [&](const FailedTask& failed) { return all.Contains(failed.index); });
}

// A report is one measurement. Its parts are not: where a CPU quota suspends a worker, short runs
// between two suspensions look many times faster than the board is, and there are many of them.
void Coordinator::Measure(WorkerId worker, const Report& report) {
  std::int64_t tasks = 0;
  model::Cost cost = 0;
  double busy_seconds = 0;
  double waited_seconds = 0;
  for (const auto& done : report.completed) {
    tasks += done.range.Size();
    // A report may list a range twice: the sum must not overflow.
    cost += std::min(costs_->Of(done.range), costs_->Total() - cost);
    const double busy = std::max(ToSeconds(done.busy), 0.0);
    busy_seconds += busy;
    waited_seconds += std::clamp(ToSeconds(done.waited), 0.0, busy);
  }
  estimator_.Observe(worker, tasks, cost, FromSeconds(busy_seconds));
  estimator_.NoteWaiting(worker, FromSeconds(waited_seconds));
  statistics_.AddRun(worker, cost, busy_seconds);
}

void Coordinator::ApplyCompleted(WorkerId worker, CompletedRange done, Instant now,
                                 Persist& persist, PendingCommit& commit, Effects& effects) {
  // A worker's clock may have stood still or jumped: no task started before the job or ends later.
  const Duration longest = now - statistics_.StartTime();
  done.ended_ago = std::clamp(done.ended_ago, Duration::zero(), longest);
  done.started_ago = std::clamp(done.started_ago, done.ended_ago, longest);
  done.busy = std::max(done.busy, Duration::zero());
  const double busy_seconds = ToSeconds(done.busy);
  commit.reported.push_back(done.range);
  statistics_.Node(worker).busy_seconds += busy_seconds;
  statistics_.NoteTaskStarted(now - done.started_ago);

  std::int64_t fresh = 0;
  const std::int64_t reported = done.range.Size();
  open_parts_.clear();
  ledger_.CollectOpen(done.range, open_parts_);
  const Duration ended = statistics_.JobTime(now - done.ended_ago);
  for (const IndexRange part : open_parts_) {
    model::ResultRecord record;
    record.node = membership_.At(worker).name;
    record.started = statistics_.JobTime(now - done.started_ago);
    record.ended = ended;
    AddRecords(worker, done, part, record, persist);
    fresh += part.Size();
    commit.completed.push_back(part);
    commit.batch.completed += part.Size();
    commit.batch.wanted += completion_.WantedWithin(part);
    commit.ended = std::max(commit.ended, ended);
    const model::Cost cost = costs_->Of(part);
    completed_cost_ += cost;
    statistics_.AddCompleted(worker, part.Size(), cost, ended);
    retries_.Forget(part);
    isolation_.Clear(part);
    const auto completion = ledger_.Complete(part, worker);
    CancelElsewhere(completion.others, effects);
    for (const auto& other : completion.others) Touch(other.worker, now);
    if (completion.from_strategy) strategy_->Withdraw(part);
  }
  statistics_.AddWasted(busy_seconds * Fraction(reported - fresh, reported));
  ledger_.NoteWorked(worker, now - done.ended_ago);
  statistics_.PredictShareEnd(worker, costs_->Total(), estimator_.Rate(worker), now);
}

void Coordinator::AddRecords(WorkerId worker, CompletedRange& done, IndexRange range,
                             const model::ResultRecord& prototype, Persist& persist) {
  const double busy_seconds = ToSeconds(done.busy);
  for (TaskIndex from = range.begin; from < range.end;) {
    const auto plan = strategy_->PlanOf(from);
    const IndexRange part{from, std::min(plan.until, range.end)};
    const bool stolen = plan.worker && *plan.worker != worker;
    if (stolen) {
      statistics_.Node(worker).stolen_in += part.Size();
      statistics_.Node(*plan.worker).stolen_out += part.Size();
    }
    model::ResultRecord record = prototype;
    record.range = part;
    record.kind = done.copy ? RunKind::kCopy : stolen ? RunKind::kStolen : RunKind::kPlanned;
    record.busy = FromSeconds(busy_seconds * Fraction(part.Size(), done.range.Size()));
    record.results = part == done.range ? std::move(done.results)
                                        : done.results.Slice(part.begin - done.range.begin,
                                                             part.end - done.range.begin);
    persist.results.push_back(std::move(record));
    from = part.end;
  }
}

void Coordinator::CancelElsewhere(const std::vector<TaskLedger::Holding>& others,
                                  Effects& effects) {
  std::map<StreamId, Cancel> cancels;
  for (const auto& holding : others) {
    const auto& stream = membership_.At(holding.worker).stream;
    if (stream) cancels[*stream].ranges.push_back(holding.range);
  }
  for (auto& [stream, cancel] : cancels) Send(stream, std::move(cancel), effects);
}

void Coordinator::ApplyFailed(WorkerId worker, FailedTask failed, Instant now, Persist& persist,
                              PendingCommit& commit) {
  const IndexRange one{failed.index, failed.index + 1};
  statistics_.Node(worker).busy_seconds += ToSeconds(failed.busy);
  statistics_.AddWasted(ToSeconds(failed.busy));
  switch (ledger_.FailRun(failed.index, worker, failed.grant)) {
    case TaskLedger::FailedFrom::kIgnored:
      return;
    case TaskLedger::FailedFrom::kWithheld:
      if (!retries_.Withdraw(failed.index)) return;  // it pauses, or it is a suspect
      break;
    case TaskLedger::FailedFrom::kUnassigned:
      strategy_->Withdraw(one);
      break;
    case TaskLedger::FailedFrom::kLease:
      break;
  }
  isolation_.Clear(one);  // the process lived to report the failure
  CountFailure(std::move(failed), membership_.At(worker).name, now, persist, commit);
}

void Coordinator::CountFailure(FailedTask failed, const std::string& node, Instant now,
                               Persist& persist, PendingCommit& commit) {
  const IndexRange one{failed.index, failed.index + 1};
  const auto verdict = retries_.CountFailure(failed.index, node, failed.exit_code);
  const bool final = verdict != RetryPolicy::Verdict::kRetry;
  if (verdict == RetryPolicy::Verdict::kJobFailed) {
    commit.batch.fails_job = FailJobReason(failed.index, node, failed.exit_code);
  }
  if (!final) failed.record.clear();  // results contain the record of the last attempt only
  persist.failures.push_back({failed.index, node, std::move(failed.reason),
                              retries_.Failures(failed.index), final, failed.exit_code,
                              std::move(failed.record)});
  if (final) {
    completion_.QuoteFailure(failed.index, node, persist.failures.back().reason);
    ledger_.GiveUp(one);
    retries_.Forget(one);
    isolation_.Clear(one);
    ++commit.batch.failed;
  } else if (!isolation_.Suspects().Contains(failed.index)) {
    retries_.RetryLater(failed.index, now);
  }
}

void Coordinator::Apply(WorkerId worker, const GiveBack& given, Instant now) {
  std::int64_t tasks = 0;
  for (const Grant& part : given.parts) {
    const IndexRange range = model::Intersect(part.range, {0, ledger_.TaskCount()});
    if (range.Empty()) continue;
    const auto released = ledger_.Release(worker, range, &part.id);
    for (const IndexRange free : released.unassigned) tasks += free.Size();
    for (const IndexRange free : released.withheld) tasks += free.Size();
    TakeBack(worker, released, ReturnCause::kGivenBack, now);
  }
  Touch(worker, now);
  const auto recall = recalls_.find(worker);
  if (recall == recalls_.end() || recall->second.id != given.recall) return;  // it has expired
  const auto thief = recall->second.thief;
  recalls_.erase(recall);
  recalled_since_.Remove(worker);
  if (tasks == 0) statistics_.CountFailedRecall();
  if (tasks > 0 && thief) statistics_.RecordLeasedMove(worker, thief, tasks, now);
  strategy_->RecallEnded(worker, now);
}

// ---- Tasks that kill their workers ----

void Coordinator::ExplainLoss(WorkerId worker, bool died, Instant now, Effects& effects) {
  const CrashIsolation::Loss loss = isolation_.TakeLoss(worker);
  if (!died) return;
  const TaskIndex alone = loss.isolated.begin;
  if (loss.isolated.Size() == 1 && ledger_.StateOf(alone) == TaskState::kWithheld) {
    Persist persist;
    PendingCommit commit;
    commit.worker = worker;
    CountFailure({alone, kDiedAlone, {}, {}, {}, {}}, membership_.At(worker).name, now, persist,
                 commit);
    Commit(std::move(persist), std::move(commit), effects);
  } else if (!loss.isolated.Empty()) {
    isolation_.Halve(loss.isolated);
  } else {
    for (const IndexRange suspect : isolation_.RecordDeath(loss.leased)) {
      std::vector<IndexRange> unassigned;
      ledger_.ForEachState(suspect, [&](IndexRange part, TaskState state) {
        if (state == TaskState::kUnassigned) unassigned.push_back(part);
      });
      for (const IndexRange part : unassigned) {
        ledger_.Withhold(part);
        strategy_->Withdraw(part);
        isolation_.Enqueue(part);
      }
    }
  }
}

void Coordinator::PlaceSuspects(Instant now, Effects& effects) {
  if (isolation_.Suspects().Empty() && isolation_.Reserved().empty()) return;
  ReserveForSuspects(now, effects);
  Assigns assigns;
  const std::vector<WorkerId> reserved = isolation_.Reserved();
  for (const WorkerId worker : reserved) {
    const auto& stream = membership_.At(worker).stream;
    const bool ready = stream && !membership_.At(worker).draining;
    if (!ready || ledger_.OutstandingTasks(worker) > 0) continue;
    if (const auto range = isolation_.TakeNext()) {
      const Grant grant = MakeGrant(*range, false);
      ledger_.LeaseWithheld(*range, worker, grant.id, now);
      isolation_.Run(worker, *range);
      assigns.For(*stream).grants.push_back(grant);
    } else {
      isolation_.Free(worker);
      SetAvailability(worker);
      Touch(worker, now);
    }
  }
  SendAll(assigns, effects);
}

void Coordinator::ReserveForSuspects(Instant now, Effects& effects) {
  const std::size_t most =
      std::max<std::size_t>(membership_.Streams().Size() / kWorkersPerIsolation, 1);
  while (isolation_.Reserved().size() < std::min(most, isolation_.WaitingCount())) {
    std::optional<WorkerId> best;
    Instant best_ready{};
    for (const auto& [stream, worker] : membership_.Streams()) {
      if (isolation_.IsReserved(worker) || membership_.At(worker).draining) continue;
      const Instant ready = ReadyTime(worker, now);
      if (best && best_ready <= ready) continue;
      best = worker;
      best_ready = ready;
    }
    if (!best) return;
    isolation_.Reserve(*best);
    SetAvailability(*best);
    if (ledger_.OutstandingTasks(*best) > 0) RecallAll(*membership_.At(*best).stream, effects);
    Touch(*best, now);
  }
}

// ---- Decisions ----

void Coordinator::Decide(Instant now, Effects& effects) {
  EndIfDrained(now, effects);
  const bool not_yet = leases_from_ && now < *leases_from_;
  if (ended_ || completion_.Draining() || completion_.EndsEarly() || not_yet) {
    touched_.clear();
    return;
  }
  leases_from_.reset();
  PlaceSuspects(now, effects);
  PlaceRetries(now, effects);
  for (;;) {
    const auto decisions = strategy_->Decide(now);
    if (decisions.empty()) break;
    Assigns assigns;
    for (const auto& decision : decisions) Execute(decision, now, assigns, effects);
    SendAll(assigns, effects);
  }
  for (const auto& move : strategy_->TakeMoves()) {
    statistics_.RecordReservedMove(move.from, move.to, move.tasks, move.at);
  }
  RecordPrediction(now);
}

void Coordinator::Execute(const scheduling::Decision& decision, Instant now, Assigns& assigns,
                          Effects& effects) {
  if (const auto* lease = std::get_if<scheduling::GrantDecision>(&decision)) {
    const auto& stream = membership_.At(lease->worker).stream;
    EVENKEEL_CHECK(stream, "a lease for a worker that is not connected");
    Grant grant = MakeGrant(lease->range, false);
    ledger_.Lease(lease->range, lease->worker, grant.id, now);
    assigns.For(*stream).grants.push_back(std::move(grant));
    strategy_->Touch(lease->worker, now);
  } else if (const auto* copy = std::get_if<scheduling::CopyDecision>(&decision)) {
    EVENKEEL_CHECK(config_.job.task_policy.idempotent, "a copy of a task that must not run twice");
    Grant grant = MakeGrant(copy->range, true);
    ledger_.LeaseCopy(copy->range, copy->worker, grant.id, now);
    assigns.For(*membership_.At(copy->worker).stream).grants.push_back(std::move(grant));
    statistics_.CountCopy();
    strategy_->Touch(copy->worker, now);
  } else if (const auto* recall = std::get_if<scheduling::RecallDecision>(&decision)) {
    const RecallId id{next_recall_++};
    recalls_[recall->worker] = {id, recall->thief};
    recalled_since_.Renew(recall->worker, now);
    Send(*membership_.At(recall->worker).stream, Recall{id, recall->max_tasks, false}, effects);
  }
}

void Coordinator::PlaceRetries(Instant now, Effects& effects) {
  retries_.Update(now);
  Assigns assigns;
  if (retries_.AnyDue()) {
    std::vector<WorkerId> with_room = WorkersWithRoom(now);
    for (std::size_t looks = 0; looks < kMaxDueLooks; ++looks) {
      const auto index = retries_.TakeDue();
      if (!index) break;
      const auto worker = PlaceFor(*index, with_room, now);
      if (!worker) {
        retries_.Park(*index);
        continue;
      }
      LeaseRetry(*index, *worker, now, assigns);
      if (!HasRoom(*worker, now)) std::erase(with_room, *worker);
    }
  }
  for (const WorkerId worker : touched_) {
    const bool connected = membership_.At(worker).stream.has_value();
    std::size_t looks = std::min(retries_.ParkedCount(), kMaxParkedLooks);
    for (; looks > 0 && connected && HasRoom(worker, now); --looks) {
      const auto index = retries_.TakeParked();
      if (!index) break;
      if (MayRetryAt(*index, worker)) {
        LeaseRetry(*index, worker, now, assigns);
      } else {
        retries_.Park(*index);
      }
    }
  }
  touched_.clear();
  SendAll(assigns, effects);
}

void Coordinator::LeaseRetry(TaskIndex index, WorkerId worker, Instant now, Assigns& assigns) {
  const IndexRange one{index, index + 1};
  Grant grant = MakeGrant(one, false);
  ledger_.LeaseWithheld(one, worker, grant.id, now);
  assigns.For(*membership_.At(worker).stream).grants.push_back(std::move(grant));
  strategy_->Touch(worker, now);
}

std::optional<WorkerId> Coordinator::PlaceFor(TaskIndex index,
                                              const std::vector<WorkerId>& with_room,
                                              Instant now) const {
  const auto cost = static_cast<double>(costs_->Of({index, index + 1}));
  std::optional<WorkerId> best;
  Instant best_end{};
  for (const WorkerId worker : with_room) {
    if (!MayRetryAt(index, worker)) continue;
    const Instant end =
        ReadyTime(worker, now) + scheduling::PredictedTime(cost / estimator_.ThreadRate(worker));
    if (best && best_end <= end) continue;
    best = worker;
    best_end = end;
  }
  return best;
}

bool Coordinator::MayRetryAt(TaskIndex index, WorkerId worker) const {
  const std::string& name = membership_.At(worker).name;
  if (AnyUntriedNode(index)) return !retries_.FailedOn(index, name);
  if (!retries_.FailedLastOn(index, name)) return true;
  return membership_.Streams().Size() <= 1;  // elsewhere if there is any other worker
}

// A node that has not connected yet, or is away, is waited for until its lease is over: the first
// board of a cluster to connect may be the one on which all tasks fail.
bool Coordinator::AnyUntriedNode(TaskIndex index) const {
  std::size_t tried = 0;
  for (const std::string& node : retries_.NodesOf(index)) {
    const auto worker = membership_.Find(node);
    if (worker && !membership_.At(*worker).lost) ++tried;
  }
  return membership_.Present() > tried;
}

std::vector<WorkerId> Coordinator::WorkersWithRoom(Instant now) const {
  std::vector<WorkerId> workers;
  for (const auto& [stream, worker] : membership_.Streams()) {
    if (HasRoom(worker, now)) workers.push_back(worker);
  }
  return workers;
}

bool Coordinator::HasRoom(WorkerId worker, Instant now) const {
  if (isolation_.IsReserved(worker) || membership_.At(worker).draining) return false;
  const auto threads = static_cast<std::int64_t>(estimator_.Threads(worker));
  if (ledger_.OutstandingTasks(worker) < 2 * threads) return true;
  return estimator_.Measured(worker) &&
         ReadyTime(worker, now) - now < kReportIntervalsAhead * config_.report_interval;
}

Instant Coordinator::ReadyTime(WorkerId worker, Instant now) const {
  if (ledger_.OutstandingTasks(worker) == 0) return now;
  const auto cost = static_cast<double>(ledger_.OutstandingCost(worker));
  return std::max(now, ledger_.WorkingSince(worker) +
                           scheduling::PredictedTime(cost / estimator_.Rate(worker)));
}

void Coordinator::Touch(WorkerId worker, Instant now) {
  if (retries_.ParkedCount() > 0) touched_.push_back(worker);
  strategy_->Touch(worker, now);
}

Grant Coordinator::MakeGrant(IndexRange range, bool copy) {
  Grant grant{GrantId{next_grant_++}, range, copy, retries_.Failures(range.begin), {}};
  if (!config_.input_of) return grant;
  model::PackedResults inputs;
  for (TaskIndex i = range.begin; i < range.end; ++i) inputs.Append(config_.input_of(i));
  grant.inputs = model::TaskInputs(range.begin, std::move(inputs));
  return grant;
}

Assign& Coordinator::Assigns::For(StreamId stream) {
  const auto [place, fresh] = places.emplace(stream, in_order.size());
  if (fresh) in_order.emplace_back(stream, Assign{});
  return in_order[place->second].second;
}

void Coordinator::RecallAll(StreamId stream, Effects& effects) {
  Send(stream, Recall{RecallId{next_recall_++}, ledger_.TaskCount(), true}, effects);
}

void Coordinator::Send(StreamId stream, ToWorker message, Effects& effects) {
  statistics_.CountMessage();
  effects.emplace_back(SendToWorker{stream, std::move(message)});
}

void Coordinator::SendAll(Assigns& assigns, Effects& effects) {
  for (auto& [stream, assign] : assigns.in_order) Send(stream, std::move(assign), effects);
}

// ---- Figures ----

void Coordinator::RecordPrediction(Instant now) {
  if (!statistics_.PredictionDue(now)) return;
  if (const auto end = PredictEnd(now)) statistics_.RecordPrediction(now, end->left, end->sigma);
}

std::optional<Coordinator::Prediction> Coordinator::PredictEnd(Instant now) const {
  if (!estimator_.RatesKnown()) return std::nullopt;
  double rate_sum = 0;
  double variance_sum = 0;
  double slowest = 0;
  for (const auto& [stream, worker] : membership_.Streams()) {
    const double rate = estimator_.Rate(worker);
    const double sigma = rate * estimator_.RelativeSigma(worker);
    rate_sum += rate;
    variance_sum += sigma * sigma;
    slowest = std::max(slowest, static_cast<double>(ledger_.OutstandingCost(worker)) / rate);
  }
  if (rate_sum <= 0) return std::nullopt;
  // All workers are kept busy to the end unless the strategy plans otherwise, but none ends before
  // it has run its leases.
  const double fluid = static_cast<double>(costs_->Total() - completed_cost_) / rate_sum;
  double left = std::max(fluid, slowest);
  if (const auto end = strategy_->PredictedEnd(now)) left = std::max(left, ToSeconds(*end - now));
  const double variance = variance_sum / (rate_sum * rate_sum) + statistics_.PredictionVariance();
  return Prediction{scheduling::PredictedTime(left),
                    scheduling::PredictedTime(left * std::sqrt(variance))};
}

Progress Coordinator::CurrentProgress(Instant now) const {
  Progress progress = statistics_.Snapshot(now);
  progress.tasks_total = ledger_.TaskCount();
  progress.tasks_completed = completion_.DurableTasks();
  progress.tasks_failed = ledger_.Count(TaskState::kFailed);
  progress.failed_indexes = ToIndexString(ledger_.Failed(), kMaxFailedRangesShown);
  progress.cost_total = costs_->Total();
  progress.cost_done_ratio = static_cast<double>(completed_cost_) /
                             static_cast<double>(std::max<model::Cost>(costs_->Total(), 1));
  for (std::uint32_t i = 0; i < membership_.Size(); ++i) {
    const Member& member = membership_.At({i});
    NodeProgress& node = progress.nodes[i];
    node.connected = member.stream.has_value();
    node.lost = member.lost;
    node.leased = ledger_.OutstandingTasks({i});
    if (estimator_.Measured({i})) node.rate = estimator_.Rate({i});
  }
  if (const auto end = PredictEnd(now)) {
    progress.eta = end->left;
    progress.eta_sigma = end->sigma;
  }
  return progress;
}

std::vector<TimelineEvent> Coordinator::StageEvents(Instant now) const {
  std::vector<TimelineEvent> stages;
  for (const auto& stage : strategy_->Stages(now)) {
    TimelineEvent event;
    event.kind = stage.number > 0 ? TimelineEvent::Kind::kStage : TimelineEvent::Kind::kMaster;
    event.start = statistics_.JobTime(stage.start);
    event.end = statistics_.JobTime(stage.end);
    if (stage.number > 0) {
      event.detail = std::to_string(stage.number);
    } else {
      event.node = membership_.At(stage.master).name;
    }
    stages.push_back(event);
  }
  return stages;
}

// ---- The end ----

void Coordinator::EndIfOver(Effects& effects) {
  if (ended_) return;
  const auto verdict = completion_.Judge(!commits_.empty(), ledger_.Failed());
  if (verdict) End(verdict->state, verdict->reason, effects);
}

void Coordinator::EndIfDrained(Instant now, Effects& effects) {
  if (ended_ || !completion_.Draining()) return;
  const bool quiet = ledger_.Count(TaskState::kLeased) == 0 && commits_.empty();
  if (!quiet && now < completion_.DrainDeadline()) return;
  Break({model::JobState::kInterrupted, completion_.DrainReason()}, effects);
}

void Coordinator::End(model::JobState state, const std::string& reason, Effects& effects) {
  for (const auto& [stream, worker] : membership_.Streams()) Send(stream, Finish{reason}, effects);
  effects.emplace_back(EndJob{state, reason});
  ended_ = true;
}

void Coordinator::Break(EndJob end, Effects& effects) {
  if (!config_.keep_workers) {
    for (const auto& [stream, worker] : membership_.Streams()) {
      Send(stream, Finish{end.reason}, effects);
    }
  }
  effects.emplace_back(std::move(end));
  ended_ = true;
}

void Coordinator::CheckInvariants() const {
  ledger_.CheckInvariants();
  completion_.CheckInvariants();
  EVENKEEL_CHECK(strategy_->PoolSize() == ledger_.Count(TaskState::kUnassigned),
                 "the strategy's tasks are not the unassigned ones");
  isolation_.Suspects().ForEach([this](IndexRange range) {
    ledger_.ForEachState(range, [](IndexRange, TaskState state) {
      EVENKEEL_CHECK(state == TaskState::kLeased || state == TaskState::kWithheld,
                     "a suspect that the strategy could lease");
    });
  });
}

}  // namespace evenkeel::engine
