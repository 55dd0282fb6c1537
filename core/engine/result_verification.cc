#include "core/engine/result_verification.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/printable.h"

namespace evenkeel::engine {

using model::IndexRange;
using model::TaskIndex;
using scheduling::WorkerId;

namespace {

// Checks that one call looks at; the others wait for the next call.
constexpr std::size_t kMaxLooks = 64;
constexpr std::size_t kMaxFailureBytes = 200;
// A check may be lost with its worker so often: its task may be what ends the workers' processes.
constexpr std::int32_t kMaxLosses = 32;

}  // namespace

void ResultVerification::Restore(const VerifiedSoFar& known) {
  exclusions_ = known.exclusions;
  if (!rules_) return;
  for (const auto& [node, results] : known.results) {
    const NodeNumber number = NumberOf(node);
    results_[number] = results;
  }
  for (const DrawnResult& drawn : known.drawn) {
    const Run first{NumberOf(drawn.node), drawn.digest};
    if (drawn.second.empty()) {
      Open(drawn.index, first);
    } else {
      confirmed_[drawn.index] = {first, NumberOf(drawn.second)};
    }
  }
}

ResultVerification::NodeNumber ResultVerification::NumberOf(const std::string& node) {
  const auto [known, added] = numbers_.emplace(node, static_cast<NodeNumber>(nodes_.size()));
  if (added) {
    nodes_.push_back(node);
    results_.emplace_back();
  }
  return known->second;
}

ResultVerification::Check& ResultVerification::Of(TaskIndex index) {
  const auto check = open_.find(index);
  EVENKEEL_CHECK(check != open_.end(), "a check of a result that does not wait for one");
  return check->second;
}

void ResultVerification::Open(TaskIndex index, const Run& first) {
  open_[index] = Check{first, {}, {}, 0, 0, {}};
  waiting_.push_back(index);
}

// ---- Outcomes of runs ----

void ResultVerification::NoteResults(const std::string& node, IndexRange range,
                                     const model::PackedResults& results) {
  if (!rules_) return;
  const NodeNumber number = NumberOf(node);
  results_[number].Insert(range);
  for (TaskIndex i = range.begin; i < range.end; ++i) {
    if (rules_->draws(i)) Open(i, {number, rules_->digest_of(results.At(i - range.begin))});
  }
}

std::int64_t ResultVerification::TakeChecks(WorkerId worker, const CompletedRange& done,
                                            Commit& commit) {
  std::int64_t taken = 0;
  for (const IndexRange part : parts_.ledger.Checks(worker).Within(done.range)) {
    parts_.ledger.EndChecks(worker, part);
    taken += part.Size();
    for (TaskIndex i = part.begin; i < part.end; ++i) {
      Judge(i,
            {NumberOf(parts_.membership.At(worker).name),
             rules_->digest_of(done.results.At(i - done.range.begin))},
            commit);
    }
  }
  return taken;
}

void ResultVerification::Judge(TaskIndex index, const Run& run, Commit& commit) {
  Check& check = Of(index);
  check.runs_at.reset();
  const Run first = check.first;
  const std::optional<Run> other = check.other;
  if (run.digest == first.digest) {
    Confirm(index, first, run.node, commit);
    if (other) Find(other->node, index, first.node, run.node);
  } else if (!other) {
    check.other = run;
    waiting_.push_back(index);
  } else if (run.digest == other->digest) {
    Find(first.node, index, other->node, run.node);
  } else {
    failure_ = "task " + std::to_string(index) + " gave three different results on the nodes " +
               nodes_[first.node] + ", " + nodes_[other->node] + " and " + nodes_[run.node] +
               ": spec.taskPolicy.verify needs tasks whose output is always the same";
  }
}

void ResultVerification::Confirm(TaskIndex index, const Run& first, NodeNumber second,
                                 Commit& commit) {
  open_.erase(index);
  confirmed_[index] = {first, second};
  commit.confirmations.push_back({index, nodes_[first.node], nodes_[second]});
}

void ResultVerification::Find(NodeNumber liar, TaskIndex index, NodeNumber one, NodeNumber other) {
  const bool known = std::any_of(findings_.begin(), findings_.end(), [&](const Finding& finding) {
    return finding.node == nodes_[liar];
  });
  if (known) return;
  findings_.push_back({nodes_[liar], index,
                       "its result of task " + std::to_string(index) + " is wrong: the nodes " +
                           nodes_[one] + " and " + nodes_[other] + " agree on another one"});
}

bool ResultVerification::TakeFailure(WorkerId worker, const FailedTask& failed) {
  if (!parts_.ledger.Checks(worker).Contains(failed.index)) return false;
  parts_.ledger.EndChecks(worker, {failed.index, failed.index + 1});
  Check& check = Of(failed.index);
  check.failed_on.push_back(NumberOf(parts_.membership.At(worker).name));
  check.runs_at.reset();
  waiting_.push_back(failed.index);
  if (++check.failures <= retries_) return true;
  failure_ = Describe(failed.index, check) + ", and its run failed on " +
             parts_.membership.At(worker).name + ": " +
             PrintableAscii(failed.reason, kMaxFailureBytes);
  return true;
}

std::string ResultVerification::Describe(TaskIndex index, const Check& check) const {
  std::string text = "task " + std::to_string(index);
  if (check.other) {
    return text + " gave different results on the nodes " + nodes_[check.first.node] + " and " +
           nodes_[check.other->node];
  }
  return text + " has a result of node " + nodes_[check.first.node] + " that has to be verified";
}

// ---- Decisions ----

void ResultVerification::Place(Instant now) {
  if (!rules_) return;
  for (const TaskLedger::DroppedCheck& dropped : parts_.ledger.TakeDroppedChecks()) {
    const auto check = open_.find(dropped.index);
    if (check == open_.end()) continue;
    check->second.runs_at.reset();
    waiting_.push_back(dropped.index);
    if (!dropped.lost || ++check->second.losses <= kMaxLosses) continue;
    failure_ = Describe(dropped.index, check->second) + ", and " + std::to_string(kMaxLosses) +
               " nodes were lost while they ran it";
  }
  if (waiting_.empty() || !failure_.empty()) return;
  std::vector<WorkerId> with_room = parts_.room.WorkersWithRoom(now);
  for (std::size_t looks = std::min(waiting_.size(), kMaxLooks); looks > 0; --looks) {
    const TaskIndex index = waiting_.front();
    waiting_.pop_front();
    const auto check = open_.find(index);
    if (check == open_.end() || check->second.runs_at) continue;
    if (!PlaceOne(index, check->second, with_room, now)) waiting_.push_back(index);
    if (!failure_.empty()) return;
  }
  parts_.outbox.SendGrants();
}

bool ResultVerification::PlaceOne(TaskIndex index, Check& check, std::vector<WorkerId>& with_room,
                                  Instant now) {
  const bool untried = AnyNode(check, true);
  if (check.other && !untried && !AnyNode(check, false)) {
    failure_ = Describe(index, check) + ", and there is no third node that could decide";
    return true;
  }
  const auto worker = parts_.room.EndsFirst(index, with_room, now, [&](WorkerId candidate) {
    return MayRun(check, parts_.membership.At(candidate).name, untried);
  });
  if (!worker) return false;
  // Like a speculative copy, which workers do not give back when tasks are recalled.
  (void)parts_.outbox.AddGrant(*parts_.membership.At(*worker).stream, {index, index + 1},
                               /*copy=*/true, /*attempt=*/0);
  parts_.ledger.LeaseCheck(index, *worker, now);
  check.runs_at = *worker;
  if (!parts_.room.HasRoom(*worker, now)) std::erase(with_room, *worker);
  return true;
}

bool ResultVerification::MayRun(const Check& check, const std::string& node, bool untried) const {
  if (IsOf(check.first, node) || (check.other && IsOf(*check.other, node))) return false;
  return !untried || std::none_of(check.failed_on.begin(), check.failed_on.end(),
                                  [&](NodeNumber failed) { return nodes_[failed] == node; });
}

// A node that is away is waited for until its lease is over.
bool ResultVerification::AnyNode(const Check& check, bool untried) const {
  const auto& members = parts_.membership.Members();
  return std::any_of(members.begin(), members.end(), [&](const Member& member) {
    return !member.lost && MayRun(check, member.name, untried);
  });
}

std::vector<ResultVerification::Finding> ResultVerification::TakeFindings() {
  return std::exchange(findings_, {});
}

model::RangeSet ResultVerification::Exclude(const std::string& node) {
  for (auto it = open_.begin(); it != open_.end();) {
    Check& check = it->second;
    if (IsOf(check.first, node)) {
      Stop(it->first, check);
      it = open_.erase(it);
      continue;
    }
    if (check.other && IsOf(*check.other, node)) check.other.reset();
    ++it;
  }
  for (auto it = confirmed_.begin(); it != confirmed_.end();) {
    const bool own = IsOf(it->second.first, node);
    const bool second = nodes_[it->second.second] == node;
    if (second && !own) Open(it->first, it->second.first);
    it = own || second ? confirmed_.erase(it) : std::next(it);
  }
  return std::exchange(results_[NumberOf(node)], {});
}

void ResultVerification::Stop(TaskIndex index, Check& check) {
  if (!check.runs_at) return;
  const IndexRange one{index, index + 1};
  parts_.ledger.EndChecks(*check.runs_at, one);
  const auto& stream = parts_.membership.At(*check.runs_at).stream;
  if (stream) parts_.outbox.SendCancel(*stream, {one});
}

}  // namespace evenkeel::engine
