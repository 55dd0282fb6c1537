// Balances a made-up list of tasks over three made-up nodes, in virtual time: the coordinator and
// the workers of Evenkeel are state machines, and their caller provides clock, messages and
// tasks. Prints each node's share and when it ended.
#include <evenkeel/core/base/rng.h>
#include <evenkeel/core/engine/coordinator.h>
#include <evenkeel/core/engine/worker.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace evenkeel;

/// Its true speed, and what it is thought to be before anything is measured.
struct Node {
  std::string name;
  double speed;
  double ratio;
};

class VirtualCluster {
 public:
  VirtualCluster(std::vector<Node> nodes, std::vector<double> task_seconds)
      : nodes_(std::move(nodes)),
        task_seconds_(std::move(task_seconds)),
        costs_(std::make_shared<model::UnitCosts>(static_cast<std::int64_t>(task_seconds_.size()))),
        coordinator_(Configuration()) {
    for (const Node& node : nodes_) {
      engine::WorkerConfig config;
      config.node = config.incarnation = node.name;
      config.workload = "madeUp";
      workers_.emplace_back(config);
    }
    running_.resize(nodes_.size());
  }

  engine::Progress Run() {
    Carry(coordinator_.Start(now_));
    for (std::size_t n = 0; n < nodes_.size(); ++n) ToCoordinator(n, workers_[n].OnConnected(now_));
    Settle();
    while (!over_) {
      Advance();
      Settle();
    }
    return coordinator_.CurrentProgress(now_);
  }

 private:
  engine::CoordinatorConfig Configuration() const {
    engine::CoordinatorConfig config;
    config.job.name = config.job.workload = "madeUp";
    config.costs = costs_;  // the durations of tasks are unknown
    for (const Node& node : nodes_) config.nodes.push_back({node.name, node.ratio});
    return config;
  }

  // A worker's stream is its number.
  void ToCoordinator(std::size_t node, engine::ToCoordinator message) {
    messages_.push_back([this, node, message = std::move(message)]() mutable {
      Carry(coordinator_.OnMessage({node}, std::move(message), now_));
    });
  }

  void Carry(engine::Effects effects) {
    for (auto& effect : effects) {
      if (auto* send = std::get_if<engine::SendToWorker>(&effect)) {
        messages_.push_back([this, send = std::move(*send)]() mutable {
          const auto node = static_cast<std::size_t>(send.stream.value);
          Carry(node, workers_[node].OnMessage(std::move(send.message), now_));
        });
      } else if (const auto* persist = std::get_if<engine::Persist>(&effect)) {
        messages_.push_back(  // memory is durable enough here
            [this, batch = persist->batch] { Carry(coordinator_.OnDurable(batch, now_)); });
      } else if (std::holds_alternative<engine::EndJob>(effect)) {
        over_ = true;
      }
    }
  }

  void Carry(std::size_t node, engine::Worker::Effects effects) {
    for (auto& effect : effects) {
      if (auto* send = std::get_if<engine::Worker::SendToCoordinator>(&effect)) {
        ToCoordinator(node, std::move(send->message));
      }
    }
  }

  /// Delivers messages, which take no time, and gives idle nodes their next tasks.
  void Settle() {
    while (!messages_.empty()) {
      const auto deliver = std::move(messages_.front());
      messages_.pop_front();
      deliver();
    }
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (running_[n].batch) continue;
      running_[n].batch = workers_[n].Take(0, now_);
      if (running_[n].batch) running_[n].ends = now_ + Length(n, running_[n].batch->range);
      running_[n].began = now_;
    }
  }

  Duration Length(std::size_t node, model::IndexRange range) const {
    double seconds = 0;
    for (auto i = range.begin; i < range.end; ++i) {
      seconds += task_seconds_[static_cast<std::size_t>(i)];
    }
    return FromSeconds(seconds / nodes_[node].speed);
  }

  /// To the next moment at which something happens, and lets it happen.
  void Advance() {
    Instant next = coordinator_.NextTimer();
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      next = std::min(next, workers_[n].NextTimer());
      if (running_[n].batch) next = std::min(next, running_[n].ends);
    }
    now_ = std::max(now_, next);
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (running_[n].batch && running_[n].ends <= now_) EndBatch(n);
      if (workers_[n].NextTimer() <= now_) Carry(n, workers_[n].OnTimer(now_));
    }
    if (coordinator_.NextTimer() <= now_) Carry(coordinator_.OnTimer(now_));
  }

  void EndBatch(std::size_t node) {
    const engine::Batch batch = *std::exchange(running_[node].batch, std::nullopt);
    engine::BatchOutcome outcome;
    outcome.results = model::PackedResults::OfEqualSize(batch.range.Size(), 0, "");
    outcome.started = running_[node].began;
    outcome.ended = now_;
    outcome.busy = now_ - running_[node].began;
    Carry(node, workers_[node].OnBatchDone(0, std::move(outcome), now_));
  }

  struct Running {
    std::optional<engine::Batch> batch;
    Instant began{};
    Instant ends{};
  };

  const std::vector<Node> nodes_;
  const std::vector<double> task_seconds_;
  const std::shared_ptr<const model::CostModel> costs_;
  engine::Coordinator coordinator_;
  std::vector<engine::Worker> workers_;
  std::vector<Running> running_;
  std::deque<std::function<void()>> messages_;
  Instant now_{};
  bool over_ = false;
};

}  // namespace

int main() {
  Rng rng(1);
  std::vector<double> task_seconds(2000);
  for (double& seconds : task_seconds) seconds = rng.Uniform(0.01, 0.05);
  // The first two are thought to be alike, but the second is half as fast.
  VirtualCluster simulation({{"fast", 2.0, 4.0}, {"tired", 1.0, 4.0}, {"slow", 0.5, 1.0}},
                            task_seconds);
  const engine::Progress progress = simulation.Run();
  for (const engine::NodeProgress& node : progress.nodes) {
    std::printf("%-6s planned %5.1f %%  done %4lld tasks  ended after %.2f s\n", node.name.c_str(),
                100 * node.share, static_cast<long long>(node.completed), ToSeconds(node.last_end));
  }
  return progress.tasks_completed == progress.tasks_total ? 0 : 1;
}
