// World: the workers' side, messages and the running of tasks.
#include <algorithm>
#include <string>

#include "core/base/check.h"
#include "simulator/describe.h"
#include "simulator/task_input.h"
#include "simulator/world.h"

namespace evenkeel::simulator {

using engine::StreamId;

void World::ToCoordinator(std::size_t node, engine::ToCoordinator message) {
  Process& process = processes_[node];
  if (!process.stream) return;
  const StreamId stream = *process.stream;
  Stream* const known = OpenStream(stream);
  if (!known) return;
  ++outcome_.messages_sent;
  Direction& up = known->up;
  const double bytes = CargoOf(message).bytes;
  const Instant sent =
      Through(OnLinkOf(node, up, bytes), OnLinkOfCoordinator(machine_.received_until, bytes), now_);
  Event event;
  event.kind = Event::Kind::kReport;
  event.detail = ups_.Put({stream, std::move(message)});
  At(Arrival(up, sent), event, EventQueue::Lane::kMessages);
}

void World::Received(Up up) {
  const Stream* const open = OpenStream(up.stream);
  if (!open || !open->carries_up) return;  // lost with the connection
  const Instant read =
      Worked(CargoOf(up.message), config_.coordinator.seconds_a_byte_received, now_);
  if (read <= now_) return Deliver(std::move(up));
  At(read, [this, up = std::move(up)]() mutable { Deliver(std::move(up)); });
}

void World::Deliver(Up up) {
  const Stream* const open = OpenStream(up.stream);
  if (!open) return;
  if (Watched()) {
    witness_.Delivered(now_, config_.nodes[open->node].name + " -> " + Describe(up.message));
  }
  StepCoordinator(
      [&](engine::Coordinator& c) { return c.OnMessage(up.stream, std::move(up.message), now_); });
}

void World::ToWorker(StreamId stream, engine::ToWorker message) {
  Stream* const known = OpenStream(stream);
  if (!known) return;
  if (auto* assign = std::get_if<engine::Assign>(&message)) {
    for (const auto& grant : assign->grants) {
      for (const auto part : durable_.Within(grant.range)) {
        witness_.Found().leased_though_durable += part.Size();
      }
      if (grant.attempt > 0 && config_.check_invariants) WatchRetry(known->node, grant);
    }
    FetchRemote(known->node, stream, *assign);
    if (assign->grants.empty()) return;
  }
  ++outcome_.messages_sent;
  const std::size_t node = known->node;
  const Instant left = Left(node, known->down, CargoOf(message));
  const Instant arrival = Arrival(known->down, left);
  Event event;
  event.kind = Event::Kind::kDelivery;
  event.node = static_cast<std::uint32_t>(node);
  event.detail = downs_.Put({stream, std::move(message)});
  At(arrival, event, EventQueue::Lane::kMessages);
}

void World::WatchRetry(std::size_t node, const engine::Grant& grant) {
  const auto& failed_on = failed_on_[grant.range.begin];
  if (!failed_on.contains(config_.nodes[node].name)) return;
  const auto progress = coordinator_->CurrentProgress(now_);
  const bool others = std::any_of(
      progress.nodes.begin(), progress.nodes.end(),
      [&](const auto& other) { return other.connected && !failed_on.contains(other.name); });
  if (others) ++witness_.Found().retried_in_place;
}

void World::Arrived(std::size_t node, StreamId stream, engine::ToWorker message) {
  Process& process = processes_[node];
  if (!process.worker || process.stream != stream) return;
  if (process.still_until > now_) {
    return At(process.still_until, [this, node, stream, message = std::move(message)]() mutable {
      Arrived(node, stream, std::move(message));
    });
  }
  if (const auto* assign = std::get_if<engine::Assign>(&message)) {
    for (const auto& grant : assign->grants) BlocksOf(node, grant.range);
  }
  const auto* const ack = std::get_if<engine::Acknowledge>(&message);
  if (ack && config_.account_tasks) {
    for (const auto range : ack->ranges) acknowledged_.Insert(range);
  }
  if (Watched()) {
    witness_.Delivered(now_, config_.nodes[node].name + " <- " + Describe(message));
  }
  Carry(node, process.worker->OnMessage(std::move(message), now_));
}

void World::Carry(std::size_t node, engine::Worker::Effects effects) {
  Process& process = processes_[node];
  bool ended = false;
  for (auto& effect : effects) {
    if (auto* send = std::get_if<engine::Worker::SendToCoordinator>(&effect)) {
      ToCoordinator(node, std::move(send->message));
    } else if (const auto* stop = std::get_if<engine::Worker::StopBatch>(&effect)) {
      const std::uint64_t generation = process.threads[stop->thread].generation;
      At(now_, [this, node, thread = stop->thread, generation] {
        BatchEnded(node, thread, generation, true);
      });
    } else if (const auto* cut = std::get_if<engine::Worker::CutBatch>(&effect)) {
      CutBatch(node, cut->thread);
    } else if (std::holds_alternative<engine::Worker::End>(effect)) {
      ended = true;
    }
  }
  if (ended) return KillWorker(node);
  FeedThreads(node);
  PlanWorkerTimer(node);
}

void World::FeedThreads(std::size_t node) {
  Process& process = processes_[node];
  for (std::uint32_t t = 0; t < process.threads.size(); ++t) {
    ThreadState& thread = process.threads[t];
    if (thread.batch || !process.worker) continue;
    thread.batch = process.worker->Take(t, now_);
    if (!thread.batch) continue;
    thread.started = now_;
    thread.ready = BlocksOf(node, thread.batch->range);
    if (config_.check_invariants) witness_.Began(node, thread.batch->range);
    if (witness_.Traces()) {
      witness_.Note(now_, config_.nodes[node].name + " runs [" +
                              std::to_string(thread.batch->range.begin) + "," +
                              std::to_string(thread.batch->range.end) + ")");
    }
    const std::uint64_t generation = ++thread.generation;
    double seconds = 0;
    for (model::TaskIndex i = thread.batch->range.begin; i < thread.batch->range.end; ++i) {
      seconds += config_.true_costs[static_cast<std::size_t>(i)];
      if (config_.account_tasks && acknowledged_.Contains(i)) ++outcome_.run_after_acknowledged;
    }
    Event event;
    event.kind = Event::Kind::kBatchEnd;
    event.node = static_cast<std::uint32_t>(node);
    event.thread = static_cast<std::uint16_t>(t);
    event.detail = generation;
    At(config_.nodes[node].speed.DoneAt(thread.ready, seconds), event);
  }
}

void World::CutBatch(std::size_t node, std::uint32_t thread_number) {
  Process& process = processes_[node];
  ThreadState& thread = process.threads[thread_number];
  if (!process.worker || !thread.batch) return;
  model::IndexRange& range = thread.batch->range;
  model::IndexRange unstarted = range;
  Instant end = thread.ready;
  do {
    end = EndOf(unstarted.begin++, node, end);
  } while (!unstarted.Empty() && end <= now_);
  range.end = unstarted.begin;
  if (!unstarted.Empty()) {
    if (config_.check_invariants) witness_.Ended(node, unstarted);
    Event event;
    event.kind = Event::Kind::kBatchEnd;
    event.node = static_cast<std::uint32_t>(node);
    event.thread = static_cast<std::uint16_t>(thread_number);
    event.detail = ++thread.generation;
    At(end, event);
  }
  Carry(node, process.worker->OnBatchCut(thread_number, unstarted, now_));
}

void World::BatchEnded(std::size_t node, std::uint32_t thread_number, std::uint64_t generation,
                       bool stopped) {
  Process& process = processes_[node];
  ThreadState& thread = process.threads[thread_number];
  if (!process.worker || thread.generation != generation || !thread.batch) return;
  const engine::Batch batch = std::move(*thread.batch);
  thread.batch.reset();
  ++thread.generation;
  if (config_.check_invariants) witness_.Ended(node, batch.range);
  engine::BatchOutcome outcome;
  outcome.started = outcome.ended = thread.started;
  outcome.waited = std::min(thread.ready, now_) - thread.started;
  Instant begins = thread.ready;
  const bool alone = batch.range.Size() == 1 && !stopped;  // this is its end
  for (model::TaskIndex i = batch.range.begin; i < batch.range.end; ++i) {
    EVENKEEL_CHECK(batch.inputs.Of(i) == (config_.inputs ? InputOf(i) : ""),
                   "an input that belongs to another task");
    const Instant end = alone ? now_ : EndOf(i, node, begins);
    if (stopped && end > now_) break;
    const auto failing = failures_left_.find(i);
    if (failing != failures_left_.end() && failing->second > 0) {
      --failing->second;
      const auto code = config_.exit_codes.find(i);
      outcome.failure = model::TaskFailure{"told to fail", {}, std::to_string(i)};
      if (code != config_.exit_codes.end()) outcome.failure->exit_code = code->second;
      outcome.failure_busy = end - begins;
      break;
    }
    outcome.ended = begins = end;
    if (config_.account_tasks) {
      outcome.results.Append(std::to_string(i));
      ++outcome_.times_run[static_cast<std::size_t>(i)];
    } else {
      outcome.results.Append(std::string_view());
    }
  }
  outcome.busy = outcome.ended - outcome.started;
  outcome_.busy_seconds[node] += ToSeconds(now_ - outcome.started);
  Carry(node, process.worker->OnBatchDone(thread_number, std::move(outcome), now_));
}

Instant World::EndOf(model::TaskIndex task, std::size_t node, Instant start) const {
  const double cost = config_.true_costs[static_cast<std::size_t>(task)];
  return config_.nodes[node].speed.DoneAt(start, cost);
}

void World::DropBatches(std::size_t node) {
  for (auto& thread : processes_[node].threads) {
    if (thread.batch && config_.check_invariants) witness_.Ended(node, thread.batch->range);
    ++thread.generation;
    thread.batch.reset();
  }
}

void World::PlanWorkerTimer(std::size_t node) {
  Process& process = processes_[node];
  if (!process.worker) return;
  const Instant next = process.worker->NextTimer();
  if (next == kNever || next >= process.timer) return;
  process.timer = next;
  Event event;
  event.kind = Event::Kind::kWorkerTimer;
  event.node = static_cast<std::uint32_t>(node);
  event.detail = static_cast<std::uint64_t>(next.time_since_epoch().count());
  At(next, event);
}

void World::WorkerTimer(std::size_t node, Instant due) {
  Process& process = processes_[node];
  if (process.timer != due) return;
  if (PutOff(node, [this, node, due] { WorkerTimer(node, due); })) return;
  process.timer = kNever;
  if (process.worker) Carry(node, process.worker->OnTimer(now_));
}

}  // namespace evenkeel::simulator
