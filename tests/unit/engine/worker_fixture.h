#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/engine/worker.h"

namespace evenkeel::engine {

/// A worker of two threads on node a; the test acts as its coordinator.
class WorkerFixture : public testing::Test {
 protected:
  using Effects = Worker::Effects;

  template <typename Message>
  [[nodiscard]] static std::vector<Message> Sent(const Effects& effects) {
    std::vector<Message> found;
    for (const auto& effect : effects) {
      const auto* send = std::get_if<Worker::SendToCoordinator>(&effect);
      if (send == nullptr) continue;
      if (const auto* message = std::get_if<Message>(&send->message)) found.push_back(*message);
    }
    return found;
  }

  template <typename Kind>
  [[nodiscard]] static std::vector<Kind> Of(const Effects& effects) {
    std::vector<Kind> found;
    for (const auto& effect : effects) {
      if (const auto* kind = std::get_if<Kind>(&effect)) found.push_back(*kind);
    }
    return found;
  }

  Worker worker{Config()};
  Welcome welcome;
  Instant now{std::chrono::seconds(50)};
  std::uint64_t grants = 0;

  static WorkerConfig Config() {
    WorkerConfig config;
    config.node = "a";
    config.incarnation = "a/1";
    config.threads = 2;
    config.ratio = 2.5;
    return config;
  }
  void Open(bool idempotent = true) {
    welcome.epoch = 1;
    welcome.report_interval = std::chrono::milliseconds(100);
    welcome.lease = std::chrono::seconds(4);
    welcome.idempotent = idempotent;
    welcome.task_timeout = std::chrono::seconds(60);
    (void)worker.OnConnected(now);
    (void)worker.OnMessage(welcome, now);
  }
  Effects Receive(ToWorker message) { return worker.OnMessage(std::move(message), now); }
  GrantId Give(model::IndexRange range, bool copy = false) {
    const GrantId id{++grants};
    (void)Receive(Assign{{{id, range, copy}}});
    return id;
  }
  model::IndexRange Take(std::uint32_t thread) {
    const auto batch = worker.Take(thread, now);
    return batch ? batch->range : model::IndexRange{};
  }
  /// Runs a task of 1 us, after which the next batch has about 4,000 tasks.
  void LearnThatTasksAreShort(std::uint32_t thread) {
    (void)Take(thread);
    BatchOutcome outcome;
    outcome.results.Append("r");
    outcome.started = outcome.ended = now;
    outcome.busy = std::chrono::microseconds(1);
    (void)worker.OnBatchDone(thread, std::move(outcome), now);
  }
  /// The thread ran `count` tasks of its batch, each in one second.
  Effects End(std::uint32_t thread, std::int64_t count) {
    BatchOutcome outcome;
    for (std::int64_t i = 0; i < count; ++i) outcome.results.Append("r");
    outcome.started = now - std::chrono::seconds(count);
    outcome.ended = now;
    outcome.busy = std::chrono::seconds(count);
    return worker.OnBatchDone(thread, std::move(outcome), now);
  }
};

}  // namespace evenkeel::engine
