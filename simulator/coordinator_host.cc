#include "simulator/coordinator_host.h"

#include <algorithm>
#include <utility>

#include "simulator/describe.h"
#include "simulator/simulated_tasks.h"

namespace evenkeel::simulator {

using engine::StreamId;

namespace {

std::shared_ptr<const model::CostModel> CostsOf(const SimulationConfig& config,
                                                std::int64_t tasks) {
  if (!config.costs_known) return std::make_shared<model::UnitCosts>(tasks);
  std::vector<model::Cost> costs;
  for (const double seconds : config.true_costs) costs.push_back(FromSeconds(seconds).count());
  costs.resize(static_cast<std::size_t>(tasks));
  return std::make_shared<model::PrefixCosts>(costs);
}

}  // namespace

CoordinatorHost::CoordinatorHost(SimulationContext& context, Network& network,
                                 SimulatedJournal& journal)
    : context_(context),
      network_(network),
      journal_(journal),
      costs_(CostsOf(context.config,
                     context.config.initial_tasks.value_or(
                         static_cast<std::int64_t>(context.config.true_costs.size())))) {}

void CoordinatorHost::Start() {
  ++epoch_;
  context_.monitor.OnCoordinatorStarted();
  for (const auto& failure : journal_.failures()) {
    context_.monitor.OnFailureRecorded(failure.index, failure.node);
  }
  engine_ = std::make_unique<engine::Coordinator>(EngineConfig());
  network_.Listen();
  Handle([](engine::Coordinator& engine, Instant now) { return engine.Start(now); });
}

engine::CoordinatorConfig CoordinatorHost::EngineConfig() const {
  const SimulationConfig& given = context_.config;
  engine::CoordinatorConfig config;
  config.job = given.job;
  config.costs = costs_;
  config.epoch = epoch_;
  for (const auto& node : given.nodes) {
    if (!node.expected) continue;
    config.nodes.push_back({node.name, node.ratio, node.power, false, node.rate, node.sigma});
  }
  if (given.left_out_ratio > 0) {
    config.nodes.push_back({"left-out", given.left_out_ratio, {}, true});
  }
  config.completed = journal_.completed();
  config.failures = journal_.failures();
  config.active_before = journal_.active();
  config.report_interval = given.report_interval;
  if (given.inputs) config.input_of = InputOf;
  config.placed = PlacedWithin({0, costs_->TaskCount()});
  config.links = Links();
  config.seed = given.seed;
  if (given.technique) {
    config.make_strategy = [&given](const scheduling::StrategyContext& context) {
      return scheduling::MakeTechnique(*given.technique, given.technique_options, context);
    };
  }
  config.keep_workers =
      std::any_of(given.faults.begin(), given.faults.end(),
                  [](const Fault& fault) { return fault.kind == Fault::Kind::kFailDisk; });
  config.round_trip =
      2 * (given.network.latency + given.network.jitter) + std::chrono::microseconds(200);
  return config;
}

void CoordinatorHost::Kill() {
  engine_.reset();
  timer_ = kNever;
  stalled_since_.reset();
  stalled_until_ = {};
  inbox_.clear();
  commit_failed_ = false;
  journal_.DropPending();
  network_.StopListening();
}

void CoordinatorHost::RestartAt(Instant at) {
  context_.time.At(at, [this] {
    if (!engine_) Start();
  });
}

void CoordinatorHost::Stall(Instant until) {
  if (!engine_) return;
  if (!stalled_since_) stalled_since_ = context_.time.Now();
  stalled_until_ = std::max(stalled_until_, until);
  context_.time.At(stalled_until_, [this, epoch = epoch_] {
    if (epoch == epoch_ && stalled_since_ && stalled_until_ <= context_.time.Now()) Resume();
  });
}

// The worst order: leases are checked before the messages are handled that renew them.
void CoordinatorHost::Resume() {
  const Instant now = context_.time.Now();
  engine_->OnStall(now - *stalled_since_, now);
  stalled_since_.reset();
  Apply(engine_->OnTimer(now));
  for (; !inbox_.empty(); inbox_.pop_front()) Apply(inbox_.front()(*engine_, now));
}

void CoordinatorHost::Grow(std::int64_t tasks) {
  if (context_.job_over) return;
  const Instant now = context_.time.Now();
  context_.trace.Note(now, "tasks appended: " + std::to_string(tasks) + " in all");
  const auto placed = PlacedWithin({costs_->TaskCount(), tasks});
  costs_ = CostsOf(context_.config, tasks);
  const engine::InputOf inputs = context_.config.inputs ? engine::InputOf(InputOf) : nullptr;
  Handle([costs = costs_, inputs, placed](engine::Coordinator& engine, Instant at) {
    return engine.OnGrown({costs, inputs, {}, placed}, at);
  });
}

void CoordinatorHost::OnMessage(StreamId stream, engine::ToCoordinator message) {
  const std::size_t node = *network_.NodeOf(stream);
  Handle([this, stream, node, message = std::move(message)](engine::Coordinator& engine,
                                                            Instant now) mutable {
    if (context_.trace.RecordsDeliveries()) {
      context_.trace.Delivered(now, context_.config.nodes[node].name + " -> " + Describe(message));
    }
    handles_goodbye_ = std::holds_alternative<engine::Goodbye>(message);
    return engine.OnMessage(stream, std::move(message), now);
  });
}

void CoordinatorHost::OnStreamClosed(StreamId stream) {
  Handle([stream](engine::Coordinator& engine, Instant now) {
    return engine.OnStreamClosed(stream, now);
  });
}

void CoordinatorHost::OnDurable(engine::BatchId batch) {
  Handle(
      [batch](engine::Coordinator& engine, Instant now) { return engine.OnDurable(batch, now); });
}

void CoordinatorHost::OnCommitFailed(const std::string& reason) {
  Handle([this, reason](engine::Coordinator& engine, Instant now) {
    commit_failed_ = true;
    return engine.OnJournalFailed(reason, now);
  });
}

void CoordinatorHost::Apply(engine::Effects effects) {
  for (const auto& event : engine_->TakeEvents()) Record(event);
  handles_goodbye_ = false;
  if (context_.job_over) {
    return context_.monitor.OnEffectsAfterEnd(static_cast<std::int64_t>(effects.size()));
  }
  if (context_.config.check_invariants) {
    engine_->CheckInvariants();
    context_.monitor.OnProgress(engine_->CurrentProgress(context_.time.Now()), epoch_);
  }
  Execute(std::move(effects));
  PlanTimer();
}

void CoordinatorHost::Record(const model::TimelineEvent& event) {
  if (context_.config.recorder.on_event) context_.config.recorder.on_event(event);
  if (event.kind != model::TimelineEvent::Kind::kLost) return;
  context_.trace.Note(context_.time.Now(), "lost: " + event.node + ", " + event.detail);
  if (handles_goodbye_) return;  // the node's next process may have connected already
  for (std::size_t node = 0; node < context_.config.nodes.size(); ++node) {
    if (context_.config.nodes[node].name != event.node) continue;
    const auto received = network_.LastReceived(node);
    const Duration lease = context_.config.job.balancing.lease;
    if (received && context_.time.Now() - *received < lease) context_.monitor.OnLostThoughHeard();
  }
}

void CoordinatorHost::Execute(engine::Effects effects) {
  for (auto& effect : effects) {
    if (auto* send = std::get_if<engine::SendToWorker>(&effect)) {
      Send(send->stream, std::move(send->message));
    } else if (const auto* close = std::get_if<engine::CloseStream>(&effect)) {
      network_.CloseCoordinatorEnd(close->stream);
    } else if (auto* persist = std::get_if<engine::Persist>(&effect)) {
      Commit(std::move(*persist));
    } else if (const auto* end = std::get_if<engine::EndJob>(&effect)) {
      End(*end);
    }
  }
}

void CoordinatorHost::Send(StreamId stream, engine::ToWorker message) {
  const auto node = network_.NodeOf(stream);
  if (!node) return;
  if (const auto* assign = std::get_if<engine::Assign>(&message)) CheckLeases(*node, *assign);
  network_.Send(stream, std::move(message));
}

void CoordinatorHost::CheckLeases(std::size_t node, const engine::Assign& assign) {
  for (const auto& grant : assign.grants) {
    for (const auto part : journal_.completed().Within(grant.range)) {
      context_.monitor.OnLeasedThoughDurable(part.Size());
    }
    if (grant.attempt > 0 && context_.config.check_invariants) {
      context_.monitor.OnRetryLeased(grant.range.begin, context_.config.nodes[node].name,
                                     engine_->CurrentProgress(context_.time.Now()));
    }
  }
}

void CoordinatorHost::Commit(engine::Persist batch) {
  for (const auto& failure : batch.failures) {
    context_.monitor.OnFailureRecorded(failure.index, failure.node);
  }
  journal_.Commit(std::move(batch));
}

void CoordinatorHost::End(const engine::EndJob& end) {
  if (commit_failed_) return Exit(end.reason);
  end_ = end;
  ended_at_ = context_.time.Now();
  context_.job_over = true;
  context_.time.StopAt(context_.time.After(context_.config.linger));
  context_.trace.Note(ended_at_, "the job ends: " + end.reason);
}

// The engine is in use until the current event has been handled.
void CoordinatorHost::Exit(const std::string& reason) {
  context_.trace.Note(context_.time.Now(), "the coordinator exits: " + reason);
  context_.time.At(context_.time.Now(), [this, epoch = epoch_] {
    if (epoch != epoch_ || !engine_) return;
    Kill();
    RestartAt(context_.time.After(restart_delay_));
  });
}

void CoordinatorHost::PlanTimer() {
  const Instant next = engine_->NextTimer();
  if (next == kNever || next >= timer_) return;
  timer_ = next;
  Event event;
  event.target = this;
  event.detail = static_cast<std::uint64_t>(next.time_since_epoch().count());
  context_.time.At(next, event);
}

void CoordinatorHost::OnEvent(const Event& event) {
  const Instant due{Duration{static_cast<std::int64_t>(event.detail)}};
  if (timer_ != due) return;
  timer_ = kNever;
  Handle([](engine::Coordinator& engine, Instant now) { return engine.OnTimer(now); });
}

std::vector<engine::PlacedTasks> CoordinatorHost::PlacedWithin(model::IndexRange tasks) const {
  std::vector<engine::PlacedTasks> placed;
  for (const auto& load : context_.config.transfers.placed) {
    const model::IndexRange part = Intersect(load.range, tasks);
    if (!part.Empty()) placed.push_back({part, context_.config.nodes[load.node].name});
  }
  return placed;
}

std::vector<engine::NodeLink> CoordinatorHost::Links() const {
  std::vector<engine::NodeLink> links;
  for (const auto& link : context_.config.transfers.links) {
    links.push_back({context_.config.nodes[link.one].name, context_.config.nodes[link.other].name,
                     link.tasks_per_second});
  }
  return links;
}

}  // namespace evenkeel::simulator
