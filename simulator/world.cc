#include "simulator/world.h"

#include <algorithm>

#include "core/base/check.h"
#include "simulator/task_input.h"

namespace evenkeel::simulator {

using engine::StreamId;

namespace {

// A worker that lost its coordinator tries again after so long.
constexpr Duration kReconnectAfter = std::chrono::milliseconds(200);

std::shared_ptr<const model::CostModel> CostsOf(const WorldConfig& config, std::int64_t tasks) {
  if (!config.costs_known) return std::make_shared<model::UnitCosts>(tasks);
  std::vector<model::Cost> costs;
  for (const double seconds : config.true_costs) costs.push_back(FromSeconds(seconds).count());
  costs.resize(static_cast<std::size_t>(tasks));
  return std::make_shared<model::PrefixCosts>(costs);
}

}  // namespace

World::World(WorldConfig config)
    : config_(std::move(config)),
      rng_(config_.seed),
      transfers_(config_.transfers),
      witness_(config_.check_invariants ? config_.true_costs.size() : 0, config_.nodes.size(),
               config_.trace) {
  const auto tasks = static_cast<std::int64_t>(config_.true_costs.size());
  costs_ = CostsOf(config_, config_.tasks_at_first.value_or(tasks));
  processes_.resize(config_.nodes.size());
  if (config_.account_tasks) {
    outcome_.times_run.resize(config_.true_costs.size());
    outcome_.times_durable.resize(config_.true_costs.size());
  }
  outcome_.busy_seconds.resize(config_.nodes.size());
  failures_left_ = config_.failing;
}

World::~World() = default;

Outcome World::Run() {
  StartCoordinator();
  for (std::size_t i = 0; i < config_.nodes.size(); ++i) {
    At(Instant{config_.nodes[i].joins_at}, [this, i] { StartWorker(i); });
  }
  PlanFaults();
  for (const Growth& growth : config_.growths) {
    At(Instant{growth.at}, [this, growth] { Grow(growth.tasks); });
  }
  stop_at_ = Instant{config_.give_up_after};
  while (!events_.Empty() && events_.Front().at <= stop_at_ && !(over_ && stop_at_ <= now_)) {
    const Event event = events_.Take();
    EVENKEEL_CHECK(event.at >= now_, "time goes backwards");
    now_ = event.at;
    if (!events_.Empty()) FetchAhead();
    Dispatch(event);
  }
  if (coordinator_) {
    outcome_.progress = coordinator_->CurrentProgress(now_);
    outcome_.stages = coordinator_->StageEvents(Instant{} + outcome_.makespan);
    for (const auto& stage : outcome_.stages) {
      if (config_.recorder.on_event) config_.recorder.on_event(stage);
    }
  }
  outcome_.coordinator_starts = epoch_;
  outcome_.findings = witness_.Found();
  return outcome_;
}

Instant World::Later(Duration from_now) const {
  return from_now >= kNever - now_ ? kNever : now_ + from_now;
}

bool World::PutOff(std::size_t node, std::function<void()> happen) {
  const Instant until = processes_[node].still_until;
  if (until <= now_) return false;
  At(until, std::move(happen));
  return true;
}

void World::StartCoordinator() {
  ++epoch_;
  engine::CoordinatorConfig config;
  config.job = config_.job;
  config.costs = costs_;
  config.epoch = epoch_;
  for (const auto& node : config_.nodes) {
    if (!node.expected) continue;
    config.nodes.push_back({node.name, node.ratio, node.power, false, node.rate, node.sigma});
  }
  if (config_.left_out_ratio > 0) {
    config.nodes.push_back({"left-out", config_.left_out_ratio, {}, true});
  }
  config.completed = durable_;
  config.failures = durable_failures_;
  config.active_before = durable_active_;
  config.report_interval = config_.report_interval;
  if (config_.inputs) config.input_of = InputOf;
  config.placed = PlacedWithin({0, costs_->TaskCount()});
  config.links = Links();
  failed_on_.clear();
  for (const auto& failure : durable_failures_) failed_on_[failure.index].insert(failure.node);
  config.seed = config_.seed;
  config.round_trip =
      2 * (config_.network.latency + config_.network.jitter) + std::chrono::microseconds(200);
  coordinator_ = std::make_unique<engine::Coordinator>(std::move(config));
  StepCoordinator([this](engine::Coordinator& c) { return c.Start(now_); });
}

void World::KillCoordinator() {
  coordinator_.reset();
  coordinator_timer_ = kNever;
  for (; open_from_ < streams_.size(); ++open_from_) streams_[open_from_].open = false;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    Disconnect(i, Duration::zero(), kReconnectAfter);
  }
}

// Durable at once; a coordinator that is down learns of it when it starts.
void World::Grow(std::int64_t tasks) {
  if (over_) return;
  witness_.Note(now_, "tasks appended: " + std::to_string(tasks) + " in all");
  const auto placed = PlacedWithin({costs_->TaskCount(), tasks});
  costs_ = CostsOf(config_, tasks);
  StepCoordinator([&](engine::Coordinator& c) {
    return c.OnGrown({costs_, config_.inputs ? engine::InputOf(InputOf) : nullptr, {}, placed},
                     now_);
  });
}

void World::StartWorker(std::size_t node) {
  Process& process = processes_[node];
  if (process.worker || over_) return;
  if (PutOff(node, [this, node] { StartWorker(node); })) return;
  engine::WorkerConfig config;
  config.node = config_.nodes[node].name;
  config.threads = config_.nodes[node].threads;
  config.workload = config_.job.workload;
  config.incarnation = config.node + "/" + std::to_string(++process.incarnation);
  process.threads.assign(config.threads, {});
  process.timer = kNever;
  process.worker = std::make_unique<engine::Worker>(config);
  Connect(node);
}

void World::KillWorker(std::size_t node) {
  DropBatches(node);
  Process& process = processes_[node];
  process.worker.reset();
  if (!process.stream) return;
  // What was sent before still arrives, then the end of the stream.
  Stream* const stream = OpenStream(*process.stream);
  const Instant closed = stream ? Arrival(stream->up) : now_;
  Disconnect(node, closed - now_, kForEver);
}

void World::Connect(std::size_t node) {
  Process& process = processes_[node];
  if (!process.worker || process.stream || process.worker->Ended()) return;
  if (PutOff(node, [this, node] { Connect(node); })) return;
  if (now_ < process.cut_until) return At(process.cut_until, [this, node] { Connect(node); });
  if (!coordinator_) {  // nobody listens: try again
    return At(now_ + kReconnectAfter, [this, node] { Connect(node); });
  }
  Stream stream;
  stream.node = node;
  stream.up.latency = stream.down.latency =
      config_.network.latency + config_.nodes[node].link_latency;
  streams_.push_back(stream);
  process.stream = StreamId{streams_.size()};
  ToCoordinator(node, process.worker->OnConnected(now_));
  PlanWorkerTimer(node);
}

void World::Disconnect(std::size_t node, Duration noticed_after, Duration back_after) {
  Process& process = processes_[node];
  if (!process.stream) return;
  const StreamId stream = *process.stream;
  process.stream.reset();
  if (process.worker) process.worker->OnDisconnected(now_);
  At(Later(noticed_after), [this, stream] { CloseAtCoordinator(stream); });
  At(Later(back_after), [this, node] { Connect(node); });
}

void World::CloseAtCoordinator(StreamId stream) {
  Stream* const known = OpenStream(stream);
  if (!known) return;
  known->open = false;
  StepCoordinator([&](engine::Coordinator& c) { return c.OnStreamClosed(stream, now_); });
}

void World::Carry(engine::Effects effects) {
  for (auto& effect : effects) {
    if (auto* send = std::get_if<engine::SendToWorker>(&effect)) {
      ToWorker(send->stream, std::move(send->message));
    } else if (const auto* close = std::get_if<engine::CloseStream>(&effect)) {
      Stream* const known = OpenStream(close->stream);
      if (!known) continue;
      const std::size_t node = known->node;
      At(Arrival(known->down), [this, node, stream = close->stream] {
        if (processes_[node].stream == stream) Disconnect(node, Duration::zero(), kReconnectAfter);
      });
    } else if (auto* persist = std::get_if<engine::Persist>(&effect)) {
      for (const auto& failure : persist->failures) failed_on_[failure.index].insert(failure.node);
      Event event;
      event.kind = Event::Kind::kCommit;
      event.detail = commits_.Put({epoch_, std::move(*persist)});
      At(now_ + config_.durable_after, event, EventQueue::Lane::kCommits);
    } else if (const auto* end = std::get_if<engine::EndJob>(&effect)) {
      outcome_.state = end->state;
      outcome_.reason = end->reason;
      outcome_.makespan = now_ - Instant{};
      over_ = true;
      stop_at_ = std::min(stop_at_, Later(config_.linger));
      witness_.Note(now_, "the job ends: " + end->reason);
    }
  }
}

void World::Committed(Commit commit) {
  if (commit.epoch != epoch_ || !coordinator_) return;  // the process died before the commit
  MakeDurable(commit.batch);
  StepCoordinator([&](engine::Coordinator& c) { return c.OnDurable(commit.batch.batch, now_); });
}

void World::MakeDurable(const engine::Persist& persist) {
  for (const auto& record : persist.results) {
    for (model::TaskIndex i = record.range.begin; i < record.range.end && config_.account_tasks;
         ++i) {
      ++outcome_.times_durable[static_cast<std::size_t>(i)];
      const auto result = record.results.At(i - record.range.begin);
      EVENKEEL_CHECK(result == std::to_string(i), "a result that belongs to another task");
    }
    if (config_.recorder.on_result) config_.recorder.on_result(record);
    durable_.Insert(record.range);
    durable_active_ = std::max(durable_active_, record.ended);
  }
  for (const auto& failure : persist.failures) durable_failures_.push_back(failure);
}

void World::Stepped(engine::Effects effects) {
  for (const auto& event : coordinator_->TakeEvents()) {
    if (config_.recorder.on_event) config_.recorder.on_event(event);
  }
  if (over_) {
    witness_.Found().sent_after_end += static_cast<std::int64_t>(effects.size());
    return;
  }
  if (config_.check_invariants) {
    coordinator_->CheckInvariants();
    witness_.Saw(coordinator_->CurrentProgress(now_), epoch_);
  }
  Carry(std::move(effects));
  PlanCoordinatorTimer();
}

void World::PlanCoordinatorTimer() {
  const Instant next = coordinator_->NextTimer();
  if (next == kNever || next >= coordinator_timer_) return;
  coordinator_timer_ = next;
  At(next, [this, next] {
    if (coordinator_timer_ != next) return;
    coordinator_timer_ = kNever;
    StepCoordinator([this](engine::Coordinator& c) { return c.OnTimer(now_); });
    if (coordinator_ && !over_) PlanCoordinatorTimer();
  });
}

}  // namespace evenkeel::simulator
