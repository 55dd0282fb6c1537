#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/coordinator.h"

namespace evenkeel::engine {

/// A coordinator of `tasks` equal tasks for nodes a, b, c ...; collects what it wants done.
/// The default strategy is MasterSlave without a master: one task a thread, in order.
class CoordinatorFixture : public testing::Test {
 protected:
  CoordinatorConfig config;
  Effects effects;  ///< of the latest call
  Instant now{std::chrono::seconds(100)};

  CoordinatorFixture() {
    config.job.workload = "w";
    config.job.balancing.strategy = model::StrategyName::kMasterSlave;
    config.job.balancing.master_slave.dedicated_coordinator = true;
    config.job.balancing.lease = std::chrono::seconds(10);
  }

  void Start(std::int64_t tasks, std::size_t nodes) {
    config.costs = std::make_shared<model::UnitCosts>(tasks);
    for (std::size_t i = 0; i < nodes; ++i) config.nodes.push_back({Name(i), 1.0});
    coordinator_ = std::make_unique<Coordinator>(config);
    Note(coordinator_->Start(now));
  }
  static std::string Name(std::size_t node) {
    return std::string(1, static_cast<char>('a' + node));
  }

  [[nodiscard]] static Hello HelloOf(std::size_t node) {
    Hello hello;
    hello.node = Name(node);
    hello.incarnation = Name(node) + "/1";
    hello.workload = "w";
    return hello;
  }
  void Deliver(std::uint64_t stream, ToCoordinator message) {
    Note(coordinator_->OnMessage(StreamId{stream}, std::move(message), now));
  }
  void Connect(std::uint64_t stream, std::size_t node) { Deliver(stream, HelloOf(node)); }
  void Done(std::uint64_t stream, model::IndexRange range, bool copy = false) {
    Deliver(stream, DoneReport(range, copy));
  }
  [[nodiscard]] static Report DoneReport(model::IndexRange range, bool copy = false) {
    CompletedRange done;
    done.range = range;
    done.busy = std::chrono::milliseconds(range.Size());
    done.copy = copy;
    for (auto i = range.begin; i < range.end; ++i) done.results.Append(std::to_string(i));
    return {{done}, {}};
  }
  /// Under the grant by which the task was assigned last.
  void Fails(std::uint64_t stream, model::TaskIndex task) { Fails(stream, task, grants_[task]); }
  void Fails(std::uint64_t stream, model::TaskIndex task, GrantId grant) {
    Report report;
    report.failed.push_back({task, "no", std::chrono::milliseconds(1), grant});
    Deliver(stream, report);
  }
  [[nodiscard]] GrantId GrantOf(model::TaskIndex task) { return grants_[task]; }
  void AllDurable() { Note(coordinator_->OnDurable(BatchId{1'000'000}, now)); }
  void Wait(Duration time) {
    now += time;
    Note(coordinator_->OnTimer(now));
  }
  [[nodiscard]] Coordinator& coordinator() { return *coordinator_; }

  template <typename Message>
  [[nodiscard]] std::vector<Message> Sent(std::uint64_t stream) const {
    std::vector<Message> found;
    for (const Effect& effect : effects) {
      const auto* send = std::get_if<SendToWorker>(&effect);
      if (send == nullptr || send->stream != StreamId{stream}) continue;
      if (const auto* message = std::get_if<Message>(&send->message)) found.push_back(*message);
    }
    return found;
  }
  /// The ranges assigned on the stream by the latest call.
  [[nodiscard]] std::vector<model::IndexRange> Assigned(std::uint64_t stream) const {
    std::vector<model::IndexRange> ranges;
    for (const Assign& assign : Sent<Assign>(stream)) {
      for (const Grant& grant : assign.grants) ranges.push_back(grant.range);
    }
    return ranges;
  }
  template <typename Kind>
  [[nodiscard]] std::vector<Kind> Wanted() const {
    std::vector<Kind> found;
    for (const Effect& effect : effects) {
      if (const auto* kind = std::get_if<Kind>(&effect)) found.push_back(*kind);
    }
    return found;
  }

  void Note(Effects done) {
    effects = std::move(done);
    for (const Effect& effect : effects) {
      const auto* send = std::get_if<SendToWorker>(&effect);
      const auto* assign = send == nullptr ? nullptr : std::get_if<Assign>(&send->message);
      if (assign == nullptr) continue;
      for (const Grant& grant : assign->grants) {
        for (auto i = grant.range.begin; i < grant.range.end; ++i) grants_[i] = grant.id;
      }
    }
    coordinator_->CheckInvariants();
  }

 private:
  std::unique_ptr<Coordinator> coordinator_;
  std::map<model::TaskIndex, GrantId> grants_;
};

using Ranges = std::vector<model::IndexRange>;

}  // namespace evenkeel::engine
