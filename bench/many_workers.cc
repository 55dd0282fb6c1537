#include "bench/many_workers.h"

#include <algorithm>
#include <string>

namespace evenkeel::bench {
namespace {

constexpr double kTaskSeconds = 0.05;  // at speed 1

bool Later(const auto& a, const auto& b) { return a.at > b.at; }

}  // namespace

ManyWorkers::ManyWorkers(std::uint32_t workers, std::int64_t tasks)
    : workers_(workers), tasks_(tasks), free_at_(workers) {
  engine::CoordinatorConfig config;
  config.job.name = config.job.workload = "bench";
  config.job.max_workers = static_cast<std::int32_t>(workers);
  config.job.balancing.lease = std::chrono::hours(10000);
  config.costs = std::make_shared<model::UnitCosts>(tasks);
  for (std::uint32_t i = 0; i < workers; ++i) {
    config.nodes.push_back({"node-" + std::to_string(i), 9.0 - Speed(i)});
  }
  coordinator_ = std::make_unique<engine::Coordinator>(std::move(config));
  Carry(coordinator_->Start(now_));
  for (std::uint32_t i = 0; i < workers; ++i) {
    engine::Hello hello;
    hello.node = "node-" + std::to_string(i);
    hello.incarnation = hello.node;
    hello.workload = "bench";
    Carry(coordinator_->OnMessage({i + 1}, hello, now_));
  }
}

void ManyWorkers::RunUntil(double done_share,
                           const std::function<void(const std::function<void()>&)>& timed) {
  const auto enough = static_cast<std::int64_t>(done_share * static_cast<double>(tasks_));
  while (done_ < enough && !coordinator_->Ended() && !heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(),
                  [](const Due& a, const Due& b) { return Later(a, b); });
    const Due due = heap_.back();
    heap_.pop_back();
    now_ = std::max(now_, due.at);
    engine::Report report;
    report.completed.push_back({due.range, due.busy, Duration::zero(), due.busy, false,
                                model::PackedResults::OfEqualSize(due.range.Size(), 0, {})});
    done_ += due.range.Size();
    engine::Effects effects;
    timed([&] { effects = coordinator_->OnMessage({due.worker + 1}, std::move(report), now_); });
    Carry(std::move(effects));
    Carry(coordinator_->OnDurable(durable_, now_));
    while (!recalls_.empty()) {  // these workers have no unstarted tasks to return
      const auto [worker, recall] = recalls_.front();
      recalls_.pop_front();
      Carry(coordinator_->OnMessage({worker + 1}, engine::GiveBack{recall.id, {}}, now_));
    }
  }
}

void ManyWorkers::Carry(engine::Effects effects) {
  for (auto& effect : effects) {
    if (const auto* persist = std::get_if<engine::Persist>(&effect)) durable_ = persist->batch;
    const auto* send = std::get_if<engine::SendToWorker>(&effect);
    if (send == nullptr) continue;
    const auto worker = static_cast<std::uint32_t>(send->stream.value - 1);
    if (const auto* assign = std::get_if<engine::Assign>(&send->message)) Assign(worker, *assign);
    if (const auto* recall = std::get_if<engine::Recall>(&send->message)) {
      recalls_.emplace_back(worker, *recall);
    }
  }
}

void ManyWorkers::Assign(std::uint32_t worker, const engine::Assign& assign) {
  for (const auto& grant : assign.grants) {
    ++decisions_;
    const Duration busy =
        FromSeconds(kTaskSeconds / Speed(worker) * static_cast<double>(grant.range.Size()));
    free_at_[worker] = std::max(free_at_[worker], now_) + busy;
    heap_.push_back({free_at_[worker], worker, grant.range, busy});
    std::push_heap(heap_.begin(), heap_.end(),
                   [](const Due& a, const Due& b) { return Later(a, b); });
  }
}

}  // namespace evenkeel::bench
