// Coordinator: who is there, who is refused, who is lost.
#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/engine/coordinator.h"

namespace evenkeel::engine {

using model::IndexRange;
using model::TimelineEvent;
using scheduling::WorkerId;

namespace {

constexpr double kLeastRatio = 1e-6;  // a weight of nothing is still a speed of something

// The threads of a worker are its own claim; a plan for billions of them would be nonsense.
constexpr std::uint32_t kMaxThreads = 4096;

// A worker whose connection broke tries again within less, unless it is gone.
constexpr Duration kReconnectPatience = std::chrono::milliseconds(1500);

// Of one node more processes than this do not come back from the dead.
constexpr std::size_t kMaxReplaced = 8;

// Each name that was ever admitted keeps a row.
constexpr std::size_t kMaxNodesEver = 20'000;

/// What a ratio of 1 is worth by the rates that are expected: the middle of what the nodes say, so
/// that one that is wrong does no harm.
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

}  // namespace

void Coordinator::AddExpectedNodes() {
  for (const auto& node : config_.nodes) {
    if (!node.left_out) AddNode(node);
  }
  if (const auto rate = UnitRate(config_.nodes)) estimator_.SetUnitRate(*rate);
}

void Coordinator::AddNode(const ExpectedNode& node) {
  const WorkerId worker{static_cast<std::uint32_t>(nodes_.size())};
  Node state;
  state.name = node.name;
  state.ratio = node.ratio;
  state.tally.name = node.name;
  state.tally.ratio = node.ratio;
  state.tally.power = node.power;
  nodes_.push_back(std::move(state));
  by_name_[node.name] = worker;
  estimator_.AddWorker(std::max(node.ratio, kLeastRatio), 1, node.sigma);
  leases_.AddWorker();
}

std::string Coordinator::WhyRefused(const Hello& hello) const {
  if (hello.protocol_version != kProtocolVersion) {
    return "protocol version " + std::to_string(hello.protocol_version) + " is not spoken here, " +
           std::to_string(kProtocolVersion) + " is";
  }
  if (!config_.token.empty() && hello.token != config_.token) return "the token is wrong";
  if (hello.workload != config_.job.workload ||
      hello.workload_version != config_.workload_version) {
    return "this job runs " + config_.job.workload + " version " +
           std::to_string(config_.workload_version) + ", not " + hello.workload + " version " +
           std::to_string(hello.workload_version);
  }
  if (hello.node.empty() || hello.threads == 0 || hello.threads > kMaxThreads) {
    return "a worker needs a node name and 1 to " + std::to_string(kMaxThreads) + " threads";
  }
  if (!(hello.ratio >= 0 && hello.ratio <= kMaxRatio)) {  // also refuses what is no number
    return "a worker's ratio must be above 0 and at most 1000000";
  }
  const bool known = by_name_.contains(hello.node);
  if (!known && !config_.admit_unexpected) return "node " + hello.node + " is not part of this job";
  if (!known && TakesNoMoreNodes()) {
    return "the job has all of its " + std::to_string(config_.job.max_workers) + " workers";
  }
  return {};
}

// A node that was lost leaves its place to another one.
bool Coordinator::TakesNoMoreNodes() const {
  const auto there =
      std::count_if(nodes_.begin(), nodes_.end(), [](const Node& node) { return !node.lost; });
  return there >= config_.job.max_workers || nodes_.size() >= kMaxNodesEver;
}

void Coordinator::Admit(StreamId stream, const Hello& hello, Instant now, Effects& effects) {
  if (const std::string reason = WhyRefused(hello); !reason.empty()) {
    Send(stream, Refusal{reason}, effects);
    effects.emplace_back(CloseStream{stream});
    return;
  }
  if (hello.epoch > config_.epoch) {  // a later start of this coordinator has spoken to it already
    Break({model::JobState::kInterrupted, "a newer coordinator of this job is running", true},
          effects);
    return;
  }
  const WorkerId worker = FindOrAddNode(hello, now);
  Node& node = At(worker);
  if (node.stream && std::find(node.replaced.begin(), node.replaced.end(), hello.incarnation) !=
                         node.replaced.end()) {
    // Its successor is there. It may try again: messages may be late, and it be the successor.
    effects.emplace_back(CloseStream{stream});
    return;
  }
  if (node.stream) {  // the newer connection is the true one
    streams_.Erase(*node.stream);
    effects.emplace_back(CloseStream{*node.stream});
  }
  away_.Remove(worker);
  node.stream = stream;
  node.heard = 0;
  node.tally.threads = hello.threads;
  streams_.Put(stream, worker);
  estimator_.SetThreads(worker, hello.threads);
  leases_.SetConnected(worker, true);
  Heard(worker, now);
  Reattach(worker, hello, now);
  Note(TimelineEvent::Kind::kJoined, node.name, now, {});
  Send(stream,
       Welcome{config_.epoch, config_.job.name, config_.job.workload_parameters,
               config_.report_interval, config_.job.balancing.lease,
               config_.job.task_policy.idempotent, config_.job.task_policy.timeout},
       effects);
  CancelStale(worker, hello, effects);
  strategy_->Touch(worker, now);
}

WorkerId Coordinator::FindOrAddNode(const Hello& hello, Instant now) {
  const auto known = by_name_.find(hello.node);
  if (known != by_name_.end()) return known->second;
  const double ratio = hello.ratio > 0 ? hello.ratio : MeanRatio();
  AddNode({hello.node, ratio});
  const WorkerId worker = by_name_[hello.node];
  strategy_->AddWorker(worker, {ratio}, now);
  return worker;
}

// A node of which nothing is known is taken for an average one until it is measured.
double Coordinator::MeanRatio() const {
  if (nodes_.empty()) return 1.0;
  double sum = 0;
  for (const auto& node : nodes_) sum += node.ratio;
  return sum / static_cast<double>(nodes_.size());
}

// The one before may still be there, in a pod that is about to end: it must not take the place
// back.
void Coordinator::Replace(Node& node, const std::string& incarnation) {
  if (node.incarnation == incarnation) return;
  std::erase(node.replaced, incarnation);
  if (!node.incarnation.empty()) node.replaced.push_back(node.incarnation);
  if (node.replaced.size() > kMaxReplaced) node.replaced.erase(node.replaced.begin());
  node.incarnation = incarnation;
}

void Coordinator::Reattach(WorkerId worker, const Hello& hello, Instant now) {
  Node& node = At(worker);
  const bool same_process = node.incarnation == hello.incarnation && hello.epoch == config_.epoch;
  Replace(node, hello.incarnation);
  if (!same_process) {
    ReturnLeases(worker, scheduling::ReturnCause::kLost, now);
  } else {
    // What it does not hold any more never reached it, or its report was lost on the way.
    model::RangeSet held;
    for (const Grant& grant : hello.held) held.Insert(grant.range);
    for (const IndexRange leased : leases_.Leased(worker).Ranges()) {
      for (const IndexRange gone : held.Missing(leased)) {
        for (const IndexRange free : leases_.Release(worker, gone, std::nullopt)) {
          TakeBack(worker, free, scheduling::ReturnCause::kLost, now);
        }
      }
    }
    for (const IndexRange copy : leases_.Copies(worker).Ranges()) {
      for (const IndexRange gone : held.Missing(copy)) leases_.DropCopy(worker, gone);
    }
  }
  if (node.given_up) strategy_->WorkerBack(worker, now);
  node.lost = node.given_up = false;
}

// While it was away, its tasks may have gone to others; what still is nobody's may go on.
void Coordinator::CancelStale(WorkerId worker, const Hello& hello, Effects& effects) {
  if (hello.epoch != config_.epoch) return;  // it drops all that by itself
  Cancel cancel;
  for (const Grant& grant : hello.held) {
    if (grant.id == GrantId{}) continue;  // a result that waits to be reported
    for (const IndexRange done : completed_.Within(grant.range)) cancel.ranges.push_back(done);
    for (const auto& piece : leases_.Owners(grant.range)) {
      if (piece.worker == worker) continue;
      for (const IndexRange part : leases_.Copies(worker).Missing(piece.range)) {
        cancel.ranges.push_back(part);
      }
    }
  }
  if (!cancel.ranges.empty()) Send(*At(worker).stream, std::move(cancel), effects);
}

Effects Coordinator::OnStreamClosed(StreamId stream, Instant now) {
  Effects effects;
  const WorkerId* const known = streams_.Find(stream);
  if (!known || ended_) return effects;
  const WorkerId worker = *known;
  streams_.Erase(stream);
  At(worker).stream.reset();
  leases_.SetConnected(worker, false);
  // Its leases stand for now: it may be back in a moment and has not stopped working. If its tasks
  // may run twice, others need not wait until the leases expire.
  if (config_.job.task_policy.idempotent) away_.Renew(worker, now);
  strategy_->Touch(worker, now);
  Decide(now, effects);
  return effects;
}

void Coordinator::Lose(WorkerId worker, const std::string& why, Instant now, Effects& effects) {
  Node& node = At(worker);
  if (node.lost) return;
  node.lost = true;
  silent_.Remove(worker);
  if (node.stream) {
    effects.emplace_back(CloseStream{*node.stream});
    streams_.Erase(*node.stream);
    node.stream.reset();
  }
  leases_.SetConnected(worker, false);
  GiveUp(worker, now);
  Note(TimelineEvent::Kind::kLost, node.name, now, why);
}

void Coordinator::GiveUp(WorkerId worker, Instant now) {
  Node& node = At(worker);
  away_.Remove(worker);
  if (std::exchange(node.given_up, true)) return;
  node.recall.reset();
  strategy_->WorkerLost(worker, now);
  ReturnLeases(worker, scheduling::ReturnCause::kLost, now);
}

void Coordinator::ReturnLeases(WorkerId worker, scheduling::ReturnCause cause, Instant now) {
  for (const IndexRange range : leases_.ReleaseAll(worker)) TakeBack(worker, range, cause, now);
}

void Coordinator::TakeBack(WorkerId from, IndexRange free, scheduling::ReturnCause cause,
                           Instant now) {
  for (const IndexRange part : retries_.Open().Missing(free)) {
    strategy_->Return(from, part, cause, now);
  }
  for (const IndexRange part : retries_.Open().Within(free)) {
    for (auto i = part.begin; i < part.end; ++i) retries_.Return(i);
  }
}

void Coordinator::Heard(WorkerId worker, Instant now) { silent_.Renew(worker, now); }

void Coordinator::OnStall(Duration stalled, Instant now) {
  silent_.Postpone(stalled, now);
  away_.Postpone(stalled, now);
}

Duration Coordinator::Patience() const {
  return std::min(kReconnectPatience, config_.job.balancing.lease);
}

Instant Coordinator::NextExpiry() const {
  Instant next = kNever;
  if (const auto silent = silent_.Oldest()) next = *silent + config_.job.balancing.lease;
  if (const auto away = away_.Oldest()) next = std::min(next, *away + Patience());
  return next;
}

void Coordinator::ExpireLeases(Instant now, Effects& effects) {
  while (silent_.Oldest() && *silent_.Oldest() + config_.job.balancing.lease <= now) {
    for (const WorkerId worker : silent_.AllOldest()) {
      Lose(worker, At(worker).incarnation.empty() ? "never came" : "silent for a whole lease", now,
           effects);
      silent_.Remove(worker);
    }
  }
  while (away_.Oldest() && *away_.Oldest() + Patience() <= now) {
    for (const WorkerId worker : away_.AllOldest()) GiveUp(worker, now);
  }
}

}  // namespace evenkeel::engine
