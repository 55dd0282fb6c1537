#include "core/engine/task_ledger.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::engine {
namespace {

// The times of leases are noted of workers that have at most so many tasks.
constexpr std::int64_t kMostTasksWithTimes = 64;
constexpr std::size_t kLeastReceived = 4;

}  // namespace

using model::IndexRange;
using model::TaskIndex;
using scheduling::WorkerId;

auto TaskLedger::From(TaskState state, const char* rule) {
  return [state, rule](const Segment& segment) { EVENKEEL_CHECK(segment.state == state, rule); };
}

auto TaskLedger::FromFree(const char* rule) {
  return [rule](const Segment& segment) { EVENKEEL_CHECK(IsFree(segment.state), rule); };
}

template <typename Check>
void TaskLedger::Assign(IndexRange range, const Segment& to, const Check& check) {
  EVENKEEL_CHECK(range.begin >= 0 && range.end <= end_, "a task that does not exist");
  if (range.Empty()) return;
  auto it = std::prev(segments_.upper_bound(range.begin));
  Segment from = it->second;  // of the tasks from `begin` to `end`
  TaskIndex begin = range.begin;
  TaskIndex end = begin;
  const auto leave = [&] {  // takes them out of the sums
    end = std::next(it) == segments_.end() ? end_ : std::next(it)->first;
    check(from);
    Count({begin, std::min(end, range.end)}, from, -1);
  };
  leave();
  const bool splits = it->first < range.begin;
  const bool joins =
      splits ? from.SameAs(to) : it != segments_.begin() && std::prev(it)->second.SameAs(to);
  if (splits) {
    ++it;
  } else if (joins) {
    it = segments_.erase(it);
  } else {
    it->second = to;
    ++it;
  }
  while (end < range.end) {
    from = it->second;
    begin = end;
    leave();
    it = segments_.erase(it);
  }
  Count(range, to, 1);
  if (range.end < end) {
    if (!from.SameAs(to)) it = segments_.emplace_hint(it, range.end, from);
  } else if (it != segments_.end() && it->second.SameAs(to)) {
    it = segments_.erase(it);
  }
  if (splits && !joins) segments_.emplace_hint(it, range.begin, to);
}

TaskLedger::TaskLedger(const model::CostModel& costs) : costs_(costs) { Append(); }

void TaskLedger::AddWorker() { workers_.emplace_back(); }

void TaskLedger::Append() {
  const TaskIndex tasks = costs_.TaskCount();
  EVENKEEL_CHECK(tasks >= end_, "a job never loses tasks");
  const IndexRange appended{end_, tasks};
  end_ = tasks;
  if (appended.Empty()) return;
  unplanned_.Insert(appended);
  counts_[static_cast<std::size_t>(TaskState::kUnassigned)] += appended.Size();
  if (!segments_.empty() && segments_.rbegin()->second.SameAs(Segment{})) return;
  segments_.emplace_hint(segments_.end(), appended.begin, Segment{});
}

void TaskLedger::RestoreDurable(IndexRange range) {
  Assign(range, {.state = TaskState::kDurable},
         From(TaskState::kUnassigned, "a restored result of a task that is in use"));
}

void TaskLedger::Reserve(IndexRange range, WorkerId worker) {
  Assign(range, {.state = TaskState::kReserved, .worker = worker},
         FromFree("a reservation of a task that is in use"));
  NotePlan(range, worker);
}

void TaskLedger::Unreserve(IndexRange range) {
  Assign(range, {.state = TaskState::kUnassigned},
         From(TaskState::kReserved, "the end of a reservation that does not exist"));
}

void TaskLedger::Lease(IndexRange range, WorkerId worker, GrantId grant, Instant now) {
  Lease(range, {.state = TaskState::kLeased, .worker = worker, .grant = grant}, now,
        [worker](const Segment& from) {
          const bool is_others = from.state == TaskState::kReserved && from.worker != worker;
          EVENKEEL_CHECK(IsFree(from.state) && !is_others,
                         "a lease of a task that is in use or reserved for another worker");
        });
  NoteOrder(worker, range, grant);
}

void TaskLedger::LeaseWithheld(IndexRange range, WorkerId worker, GrantId grant, Instant now) {
  Lease(range, {.state = TaskState::kLeased, .withheld = true, .worker = worker, .grant = grant},
        now, From(TaskState::kWithheld, "a retry of a task that is not withheld"));
  not_to_be_copied_.Insert(range);
}

void TaskLedger::ForbidCopies(IndexRange range) {
  ForEachLease(range, [&](const Holding& lease) { not_to_be_copied_.Insert(lease.range); });
}

template <typename Check>
void TaskLedger::Lease(IndexRange range, const Segment& to, Instant now, const Check& check) {
  Assign(range, to, check);
  AddHolding(range, to.worker, Held::kLease, now);
}

void TaskLedger::LeaseCopy(IndexRange range, WorkerId worker, GrantId grant, Instant now) {
  ForEach(range, [&](IndexRange, const Segment& segment) {
    EVENKEEL_CHECK(segment.state == TaskState::kLeased, "a copy of a task that is not leased");
    EVENKEEL_CHECK(segment.worker != worker, "a copy at the worker that has the lease");
  });
  EVENKEEL_CHECK(!workers_[worker.value].copies.Overlaps(range), "a second copy at one worker");
  SplitCopies(range.begin);
  SplitCopies(range.end);
  auto it = copies_.lower_bound(range.begin);
  for (TaskIndex from = range.begin; from < range.end; ++it) {
    if (it == copies_.end() || it->first > from) {  // tasks without a copy
      const TaskIndex end = it == copies_.end() ? range.end : std::min(it->first, range.end);
      it = copies_.emplace_hint(it, from, CopiedTasks{end, {}});
    }
    it->second.holders.push_back({worker, grant});
    from = it->second.end;
  }
  copied_.Insert(range);
  AddHolding(range, worker, Held::kCopy, now);
}

TaskLedger::Completion TaskLedger::Complete(IndexRange range, WorkerId by) {
  Completion completion;
  ForEach(range, [&](IndexRange part, const Segment& segment) {
    if (IsFree(segment.state)) completion.from_strategy = true;
    if (segment.state != TaskState::kLeased) return;
    RemoveHolding(part, segment.worker, Held::kLease);
    if (segment.worker != by) completion.others.push_back({part, segment.worker, segment.grant});
  });
  for (const Holding& copy : RemoveCopies(range)) {
    if (copy.worker != by) completion.others.push_back(copy);
  }
  Assign(range, {.state = TaskState::kCompleted}, [](const Segment& from) {
    EVENKEEL_CHECK(IsOpen(from.state), "a second result of a task");
  });
  return completion;
}

void TaskLedger::MarkDurable(IndexRange range) {
  Assign(range, {.state = TaskState::kDurable},
         From(TaskState::kCompleted, "a durable task without a result"));
}

void TaskLedger::Withhold(IndexRange range) {
  Assign(range, {.state = TaskState::kWithheld}, FromFree("only free tasks can be withheld"));
}

void TaskLedger::EndWithholding(IndexRange range) {
  Assign(range, {.state = TaskState::kUnassigned},
         From(TaskState::kWithheld, "only withheld tasks can cease to be withheld"));
}

void TaskLedger::GiveUp(IndexRange range) {
  Assign(range, {.state = TaskState::kFailed},
         From(TaskState::kWithheld, "only withheld tasks can be given up"));
  failed_.Insert(range);
}

TaskLedger::Released TaskLedger::Release(WorkerId worker, IndexRange range, const GrantId* grant) {
  std::vector<std::pair<Holding, bool>> ended;
  ForEach(range, [&](IndexRange part, const Segment& segment) {
    const bool matches = segment.state == TaskState::kLeased && segment.worker == worker &&
                         (grant == nullptr || segment.grant == *grant);
    if (matches) ended.push_back({{part, worker, segment.grant}, segment.withheld});
  });
  Released released;
  for (const auto& [lease, withheld] : ended) EndLease(lease, withheld, released);
  return released;
}

void TaskLedger::EndLease(const Holding& lease, bool withheld, Released& released) {
  const std::vector<IndexRange> banned = not_to_be_copied_.Within(lease.range);
  RemoveHolding(lease.range, lease.worker, Held::kLease);
  const auto from_lease = From(TaskState::kLeased, "the end of a lease that does not exist");
  TaskIndex from = lease.range.begin;
  const auto end_until = [&](TaskIndex until) {
    const IndexRange part{from, until};
    if (part.Empty()) return;
    Assign(part, {.state = withheld ? TaskState::kWithheld : TaskState::kUnassigned}, from_lease);
    (withheld ? released.withheld : released.unassigned).push_back(part);
  };
  SplitCopies(lease.range.begin);
  SplitCopies(lease.range.end);
  auto it = copies_.lower_bound(lease.range.begin);
  while (it != copies_.end() && it->first < lease.range.end) {
    const IndexRange part{it->first, it->second.end};
    const CopyHolder heir = it->second.holders.front();  // has the lease from now on
    it->second.holders.erase(it->second.holders.begin());
    if (it->second.holders.empty()) {
      it = copies_.erase(it);
      copied_.Erase(part);
    } else {
      ++it;
    }
    end_until(part.begin);
    from = part.end;
    WorkerTasks& worker = workers_[heir.worker.value];
    const Instant working_since = worker.working_since;
    RemoveHolding(part, heir.worker, Held::kCopy);
    Lease(part, {.state = TaskState::kLeased, .worker = heir.worker, .grant = heir.grant},
          working_since, from_lease);
    for (const IndexRange ban : banned) not_to_be_copied_.Insert(model::Intersect(ban, part));
    NoteOrder(heir.worker, part, heir.grant);
    worker.working_since = working_since;
  }
  end_until(lease.range.end);
}

TaskLedger::Released TaskLedger::ReleaseAll(WorkerId worker) {
  for (const IndexRange range : workers_[worker.value].copies.Ranges()) DropCopies(worker, range);
  Released released;
  for (const IndexRange range : workers_[worker.value].leased.Ranges()) {
    Released part = Release(worker, range, nullptr);
    released.unassigned.insert(released.unassigned.end(), part.unassigned.begin(),
                               part.unassigned.end());
    released.withheld.insert(released.withheld.end(), part.withheld.begin(), part.withheld.end());
  }
  DropChecks(worker, {0, end_}, /*lost=*/true);
  workers_[worker.value].order.clear();
  workers_[worker.value].running.clear();
  workers_[worker.value].received.clear();
  workers_[worker.value].ends.clear();
  return released;
}

void TaskLedger::DropCopies(WorkerId worker, IndexRange range) {
  for (const IndexRange held : workers_[worker.value].copies.Within(range)) {
    SplitCopies(held.begin);
    SplitCopies(held.end);
    auto it = copies_.lower_bound(held.begin);
    while (it != copies_.end() && it->first < held.end) {
      const IndexRange part{it->first, it->second.end};
      std::erase_if(it->second.holders,
                    [&](const CopyHolder& holder) { return holder.worker == worker; });
      RemoveHolding(part, worker, Held::kCopy);
      if (!it->second.holders.empty()) {
        ++it;
        continue;
      }
      it = copies_.erase(it);
      copied_.Erase(part);
    }
  }
}

void TaskLedger::LeaseCheck(TaskIndex index, WorkerId worker, Instant now) {
  const TaskState state = StateOf(index);
  EVENKEEL_CHECK(state == TaskState::kCompleted || state == TaskState::kDurable,
                 "a check of a task without a result");
  EVENKEEL_CHECK(!workers_[worker.value].checks.Contains(index), "a second check at one worker");
  AddHolding({index, index + 1}, worker, Held::kCheck, now);
}

void TaskLedger::EndChecks(WorkerId worker, IndexRange range) {
  for (const IndexRange part : workers_[worker.value].checks.Within(range)) {
    RemoveHolding(part, worker, Held::kCheck);
  }
}

void TaskLedger::DropChecks(WorkerId worker, IndexRange range, bool lost) {
  for (const IndexRange part : workers_[worker.value].checks.Within(range)) {
    for (TaskIndex i = part.begin; i < part.end; ++i) dropped_checks_.push_back({i, lost});
    RemoveHolding(part, worker, Held::kCheck);
  }
}

void TaskLedger::Revoke(IndexRange range) {
  for (const WorkerTasks& worker : workers_) {
    EVENKEEL_CHECK(!worker.checks.Overlaps(range), "a check of a revoked result");
  }
  Assign(range, {.state = TaskState::kUnassigned}, [](const Segment& from) {
    EVENKEEL_CHECK(from.state == TaskState::kCompleted || from.state == TaskState::kDurable,
                   "the revocation of a result that does not exist");
  });
}

TaskLedger::FailedFrom TaskLedger::FailRun(TaskIndex index, WorkerId worker, GrantId grant) {
  const IndexRange one{index, index + 1};
  DropCopies(worker, one);
  switch (StateOf(index)) {
    case TaskState::kWithheld:
      return FailedFrom::kWithheld;
    case TaskState::kUnassigned:
    case TaskState::kReserved:
      Withhold(one);
      return FailedFrom::kFree;
    case TaskState::kLeased: {
      const Released released = Release(worker, one, &grant);
      if (!released.withheld.empty()) return FailedFrom::kLease;
      if (!released.unassigned.empty()) {
        Withhold(one);
        return FailedFrom::kLease;
      }
      not_to_be_copied_.Insert(one);
      return FailedFrom::kIgnored;
    }
    default:
      return FailedFrom::kIgnored;
  }
}

void TaskLedger::NoteWorked(WorkerId worker, Instant ended) {
  WorkerTasks& state = workers_[worker.value];
  state.working_since = std::max(state.working_since, ended);
  state.AddEnd(ended);
}

scheduling::RunningTasks TaskLedger::Running(WorkerId worker, std::int64_t threads) const {
  const WorkerTasks& state = workers_[worker.value];
  scheduling::RunningTasks running;
  for (const scheduling::RunningTask& task : state.running) {
    if (state.Holds(task.index)) running.push_back(task);
  }
  const std::int64_t outstanding = OutstandingTasks(worker);
  const auto reported = static_cast<std::int64_t>(running.size());
  if (outstanding > threads || reported == outstanding) return running;
  const auto add = [&](IndexRange range) {
    for (TaskIndex index = range.begin; index < range.end; ++index) {
      const auto end = running.begin() + reported;
      const bool known = std::any_of(running.begin(), end,
                                     [&](const auto& other) { return other.index == index; });
      const auto at = known ? std::nullopt : state.ReceivedAt(index);
      if (at) running.push_back({index, *at, false});
    }
  };
  state.leased.ForEach(add);
  state.copies.ForEach(add);
  state.checks.ForEach(add);
  std::sort(running.begin() + reported, running.end(), [](const auto& a, const auto& b) {
    return a.since != b.since ? a.since < b.since : a.index < b.index;
  });
  std::int64_t place = 0;
  for (scheduling::RunningTask& task : running) {
    if (++place > reported) task = state.AfterWaiting(task, place, threads);
  }
  return running;
}

void TaskLedger::WorkerTasks::AddEnd(Instant end) {
  if (ends.size() == kMostEnds) {
    if (end <= ends.front()) return;
    ends.erase(ends.begin());
  }
  ends.insert(std::upper_bound(ends.begin(), ends.end(), end), end);
}

std::optional<Instant> TaskLedger::WorkerTasks::EndBefore(std::int64_t place,
                                                          std::int64_t threads) const {
  // The threads that are idle now ended their tasks after this one started. A worker that names a
  // task twice seems to run more tasks than it has threads.
  const std::int64_t later = std::max<std::int64_t>(threads - place, 0);
  const auto known = static_cast<std::int64_t>(ends.size());
  if (later < known) return ends[static_cast<std::size_t>(known - 1 - later)];
  if (ends.size() < kMostEnds) return std::nullopt;
  return ends.front();  // or earlier
}

scheduling::RunningTask TaskLedger::WorkerTasks::AfterWaiting(const scheduling::RunningTask& task,
                                                              std::int64_t place,
                                                              std::int64_t threads) const {
  const auto end = EndBefore(place, threads);
  if (!end || *end <= task.since) return task;
  return {task.index, *end, true};
}

std::optional<Instant> TaskLedger::StartOf(WorkerId worker, TaskIndex index,
                                           std::int64_t threads) const {
  const WorkerTasks& state = workers_[worker.value];
  for (const scheduling::RunningTask& task : state.running) {
    if (task.index == index) return task.since;
  }
  const bool held = state.Holds(index);
  const std::int64_t place = OutstandingTasks(worker) + (held ? 0 : 1);
  if (place > threads) return std::nullopt;
  if (held && place > 1) {
    const auto running = Running(worker, threads);
    const auto same = std::find_if(running.begin(), running.end(),
                                   [&](const auto& task) { return task.index == index; });
    return same == running.end() ? std::nullopt : std::optional(same->since);
  }
  const auto received = state.ReceivedAt(index);
  if (!received) return std::nullopt;
  return state.AfterWaiting({index, *received, false}, place, threads).since;
}

TaskState TaskLedger::StateOf(TaskIndex index) const {
  return std::prev(segments_.upper_bound(index))->second.state;
}

void TaskLedger::CollectOpen(IndexRange range, std::vector<IndexRange>& parts) const {
  ForEach(range, [&parts](IndexRange part, const Segment& segment) {
    if (!IsOpen(segment.state)) return;
    if (!parts.empty() && parts.back().end == part.begin) {
      parts.back().end = part.end;
    } else {
      parts.push_back(part);
    }
  });
}

IndexRange TaskLedger::NewestUncopied(WorkerId worker, const model::RangeSet& besides) const {
  const WorkerTasks& state = workers_[worker.value];
  while (!state.order.empty() && !state.leased.Overlaps(state.order.back().range)) {
    state.order.pop_back();
  }
  for (auto lease = state.order.rbegin(); lease != state.order.rend(); ++lease) {
    model::RangeSet open;
    state.leased.ForEachWithin(lease->range, [&open](IndexRange part) { open.Insert(part); });
    for (const model::RangeSet* set : {&not_to_be_copied_, &copied_, &besides}) {
      set->ForEachWithin(lease->range, [&open](IndexRange part) { open.Erase(part); });
    }
    if (!open.Empty()) return open.Back();
  }
  return {};
}

IndexRange TaskLedger::OldestLeased(WorkerId worker) const {
  const WorkerTasks& state = workers_[worker.value];
  const auto has_ended = [&](const WorkerTasks::Lease& lease) {
    return !state.leased.Overlaps(lease.range);
  };
  auto lease = std::find_if_not(state.order.begin(), state.order.end(), has_ended);
  // Removing a quarter at a time costs no more than adding the leases did.
  if (4 * (lease - state.order.begin()) > std::ssize(state.order)) {
    lease = state.order.erase(state.order.begin(), lease);
  }
  std::optional<TaskIndex> oldest;
  for (; lease != state.order.end() && !oldest; ++lease) {
    state.leased.ForEachWithin(lease->range, [&](IndexRange leased) {
      if (!oldest) oldest = not_to_be_copied_.FirstMissing(leased);
    });
  }
  return oldest ? IndexRange{*oldest, *oldest + 1} : IndexRange{};
}

void TaskLedger::Count(IndexRange range, const Segment& segment, int sign) {
  counts_[static_cast<std::size_t>(segment.state)] += sign * range.Size();
  if (segment.state != TaskState::kReserved) return;
  WorkerTasks& worker = workers_[segment.worker.value];
  worker.reserved_tasks += sign * range.Size();
  worker.reserved_cost += sign * costs_.Of(range);
}

void TaskLedger::NotePlan(IndexRange range, WorkerId worker) {
  if (!unplanned_.Overlaps(range)) return;
  for (const IndexRange part : unplanned_.Within(range)) {
    workers_[worker.value].planned_cost += costs_.Of(part);
    const auto next = plans_.lower_bound(part.begin);
    if (next != plans_.begin()) {
      Plan& before = std::prev(next)->second;
      if (before.end == part.begin && before.worker == worker) {
        before.end = part.end;
        continue;
      }
    }
    plans_.emplace_hint(next, part.begin, Plan{part.end, worker});
  }
  unplanned_.Erase(range);
}

TaskLedger::PlannedRun TaskLedger::PlanOf(TaskIndex index) const {
  const auto after = plans_.upper_bound(index);
  if (after != plans_.begin()) {
    const Plan& plan = std::prev(after)->second;
    if (index < plan.end) return {plan.worker, plan.end};
  }
  return {std::nullopt, after == plans_.end() ? end_ : after->first};
}

model::RangeSet& TaskLedger::TasksOf(WorkerTasks& worker, Held held) {
  if (held == Held::kLease) return worker.leased;
  return held == Held::kCopy ? worker.copies : worker.checks;
}

void TaskLedger::AddHolding(IndexRange range, WorkerId worker, Held held, Instant now) {
  WorkerTasks& state = workers_[worker.value];
  if (OutstandingTasks(worker) == 0) state.working_since = std::max(state.working_since, now);
  TasksOf(state, held).Insert(range);
  state.cost += costs_.Of(range);
  if (OutstandingTasks(worker) > kMostTasksWithTimes) return;
  if (state.received.size() >= state.compact_received_at) {
    std::erase_if(state.received, [&](const WorkerTasks::Received& old) {
      return !state.leased.Overlaps(old.range) && !state.copies.Overlaps(old.range) &&
             !state.checks.Overlaps(old.range);
    });
    state.compact_received_at = std::max(2 * state.received.size(), kLeastReceived);
  }
  state.received.push_back({range, now});
}

void TaskLedger::RemoveHolding(IndexRange range, WorkerId worker, Held held) {
  WorkerTasks& state = workers_[worker.value];
  TasksOf(state, held).Erase(range);
  state.cost -= costs_.Of(range);
  if (held == Held::kLease) not_to_be_copied_.Erase(range);
}

void TaskLedger::NoteOrder(WorkerId worker, IndexRange range, GrantId grant) {
  WorkerTasks& state = workers_[worker.value];
  if (state.order.size() >= state.compact_at) {
    std::erase_if(state.order,
                  [&](const WorkerTasks::Lease& old) { return !state.leased.Overlaps(old.range); });
    state.compact_at = std::max<std::size_t>(2 * state.order.size(), 16);
  }
  state.order.push_back({grant, range});
}

void TaskLedger::SplitCopies(TaskIndex at) {
  const auto next = copies_.upper_bound(at);
  if (next == copies_.begin()) return;
  const auto it = std::prev(next);
  if (it->first == at || it->second.end <= at) return;
  CopiedTasks behind = it->second;
  it->second.end = at;
  copies_.emplace_hint(next, at, std::move(behind));
}

std::vector<TaskLedger::Holding> TaskLedger::RemoveCopies(IndexRange range) {
  std::vector<Holding> removed;
  if (!copied_.Overlaps(range)) return removed;
  SplitCopies(range.begin);
  SplitCopies(range.end);
  auto it = copies_.lower_bound(range.begin);
  while (it != copies_.end() && it->first < range.end) {
    const IndexRange part{it->first, it->second.end};
    for (const CopyHolder& holder : it->second.holders) {
      removed.push_back({part, holder.worker, holder.grant});
      RemoveHolding(part, holder.worker, Held::kCopy);
    }
    it = copies_.erase(it);
  }
  copied_.Erase(range);
  return removed;
}

std::vector<WorkerId> TaskLedger::CopyHolders(TaskIndex index) const {
  std::vector<WorkerId> workers;
  if (!copied_.Contains(index)) return workers;
  for (const CopyHolder& holder : std::prev(copies_.upper_bound(index))->second.holders) {
    workers.push_back(holder.worker);
  }
  return workers;
}

void TaskLedger::CheckInvariants() const {
  EVENKEEL_CHECK(end_ == 0 ? segments_.empty()
                           : !segments_.empty() && segments_.begin()->first == 0 &&
                                 segments_.rbegin()->first < end_,
                 "a task without a state");
  std::array<std::int64_t, kTaskStates> counts{};
  std::vector<model::RangeSet> leased(workers_.size());
  std::vector<model::RangeSet> reserved(workers_.size());
  model::RangeSet all_leased;
  const Segment* before = nullptr;
  ForEach({0, end_}, [&](IndexRange range, const Segment& segment) {
    EVENKEEL_CHECK(before == nullptr || !before->SameAs(segment), "segments that are not joined");
    counts[static_cast<std::size_t>(segment.state)] += range.Size();
    if (segment.state == TaskState::kLeased) {
      leased[segment.worker.value].Insert(range);
      all_leased.Insert(range);
    }
    if (segment.state == TaskState::kReserved) reserved[segment.worker.value].Insert(range);
    before = &segment;
  });
  EVENKEEL_CHECK(counts == counts_, "sums that disagree with the states");
  std::vector<model::RangeSet> copies(workers_.size());
  model::RangeSet all_copied;
  TaskIndex last_copied = 0;
  for (const auto& [begin, copied] : copies_) {
    const IndexRange range{begin, copied.end};
    EVENKEEL_CHECK(begin >= last_copied && !range.Empty(), "copies that overlap in their index");
    last_copied = copied.end;
    EVENKEEL_CHECK(!copied.holders.empty(), "copies at no worker");
    for (const CopyHolder& holder : copied.holders) {
      const std::uint32_t worker = holder.worker.value;
      EVENKEEL_CHECK(!copies[worker].Overlaps(range) && !leased[worker].Overlaps(range),
                     "a copy beside another one or beside its original");
      copies[worker].Insert(range);
    }
    all_copied.Insert(range);
    EVENKEEL_CHECK(all_leased.Contains(range), "a copy of a task that is not leased");
  }
  EVENKEEL_CHECK(all_copied == copied_, "copies that disagree with their index");
  not_to_be_copied_.ForEach([&](IndexRange range) {
    EVENKEEL_CHECK(all_leased.Contains(range), "a ban on copies of a task that is not leased");
  });
  EVENKEEL_CHECK(failed_.Size() == Count(TaskState::kFailed), "failed tasks that are not listed");
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    EVENKEEL_CHECK(workers_[i].leased == leased[i] && workers_[i].copies == copies[i],
                   "leases of a worker that disagree with the states");
    model::Cost cost = 0;
    leased[i].ForEach([&](IndexRange range) { cost += costs_.Of(range); });
    copies[i].ForEach([&](IndexRange range) { cost += costs_.Of(range); });
    workers_[i].checks.ForEach([&](IndexRange range) {
      cost += costs_.Of(range);
      ForEach(range, [](IndexRange, const Segment& segment) {
        EVENKEEL_CHECK(
            segment.state == TaskState::kCompleted || segment.state == TaskState::kDurable,
            "a check of a task without a result");
      });
    });
    EVENKEEL_CHECK(workers_[i].cost == cost, "a sum of cost that disagrees with the leases");
    model::Cost reserved_cost = 0;
    reserved[i].ForEach([&](IndexRange range) { reserved_cost += costs_.Of(range); });
    EVENKEEL_CHECK(workers_[i].reserved_tasks == reserved[i].Size() &&
                       workers_[i].reserved_cost == reserved_cost,
                   "sums of reserved tasks that disagree with the states");
  }
}

}  // namespace evenkeel::engine
