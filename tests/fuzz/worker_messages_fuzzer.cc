#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <array>

#include "core/base/check.h"
#include "core/engine/worker.h"
#include "core/protocol/translation.h"

namespace evenkeel::engine {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kThreads = 2;
constexpr int kMaxSteps = 300;

WorkerConfig MakeConfig() {
  WorkerConfig config;
  config.node = "a";
  config.incarnation = "a-1";
  config.threads = kThreads;
  config.workload = "w";
  config.max_unacknowledged_bytes = 4096;
  return config;
}

/// A worker whose coordinator sends whatever it likes. What it sends passes the wire.
class Session {
 public:
  explicit Session(FuzzedDataProvider& input) : input_(input), worker_(MakeConfig()) { Connect(); }

  void Run() {
    for (int n = 0; n < kMaxSteps && input_.remaining_bytes() > 0; ++n) Step();
  }

 private:
  void Step() {
    switch (input_.ConsumeIntegralInRange(0, 15)) {
      case 0: {
        v1::CoordinatorMessage message;
        if (message.ParseFromString(input_.ConsumeRandomLengthString(2048))) {
          Deliver(std::move(message));
        }
        return;
      }
      case 1:
        return Reconnect();
      case 2:
        now_ += milliseconds(input_.PickValueInArray({0, 1, 30, 1000, 11'000, 4'000'000}));
        return Execute(worker_.OnTimer(now_));
      case 3:
        if (worker_.NextTimer() < kNever) now_ = std::max(now_, worker_.NextTimer());
        return Execute(worker_.OnTimer(now_));
      case 4:
        if (input_.ConsumeIntegralInRange(0, 7) == 0) Execute(worker_.OnDrain(now_));
        return;
      case 5:
      case 6:
        return Take(input_.ConsumeIntegralInRange<std::uint32_t>(0, kThreads - 1));
      case 7:
      case 8:
        return EndBatch(input_.ConsumeIntegralInRange<std::uint32_t>(0, kThreads - 1));
      default:
        return Deliver(DrawMessage());
    }
  }

  void Connect() { Read(worker_.OnConnected(now_)); }

  void Reconnect() {
    worker_.OnDisconnected(now_);
    if (input_.ConsumeBool()) Execute(worker_.OnTimer(now_));
    Connect();
  }

  void Deliver(v1::CoordinatorMessage batch) {
    auto messages = protocol::FromProto(std::move(batch));
    if (!messages) return Reconnect();
    for (ToWorker& message : *messages) Execute(worker_.OnMessage(std::move(message), now_));
  }

  // ---- Messages near the truth, so that they get far ----

  template <typename Message>
  void FillRange(Message& message) {
    message.set_begin(input_.ConsumeIntegralInRange<std::uint64_t>(0, 200));
    message.set_size(input_.PickValueInArray<std::uint64_t>(
        {1, 1, 2, 7, 60, 1'000'000, std::uint64_t{1} << 62}));
  }

  v1::CoordinatorMessage DrawMessage() {
    v1::CoordinatorMessage message;
    v1::CoordinatorItem& item = *message.add_items();
    switch (input_.ConsumeIntegralInRange(0, 9)) {
      case 0:
        Fill(*item.mutable_welcome());
        break;
      case 1:
        item.mutable_finish()->set_reason("over");
        break;
      case 2:
        item.mutable_recall()->set_id(input_.ConsumeIntegralInRange<std::uint64_t>(0, 9));
        item.mutable_recall()->set_max_tasks(
            input_.PickValueInArray<std::uint64_t>({0, 1, 5, 1000}));
        item.mutable_recall()->set_failed_before(input_.ConsumeBool());
        break;
      case 3:
      case 4:
        FillRange(*item.mutable_acknowledge()->add_ranges());
        item.mutable_acknowledge()->set_heard(input_.ConsumeIntegral<std::uint8_t>());
        break;
      case 5:
        FillRange(*item.mutable_cancel()->add_ranges());
        item.mutable_cancel()->set_last_grant(input_.ConsumeIntegralInRange<std::uint64_t>(0, 9));
        break;
      default:
        for (int n = input_.ConsumeIntegralInRange(1, 3); n > 0; --n) {
          v1::Grant& grant = *item.mutable_assign()->add_grants();
          grant.set_id(input_.ConsumeIntegralInRange<std::uint64_t>(0, 9));
          FillRange(grant);
          grant.set_copy(input_.ConsumeBool());
          grant.set_attempt(input_.ConsumeIntegralInRange<std::uint32_t>(0, 2));
        }
    }
    return message;
  }

  void Fill(v1::Welcome& welcome) {
    welcome.set_epoch(input_.ConsumeIntegralInRange<std::uint64_t>(0, 3));
    welcome.set_job("job");
    welcome.set_workload_parameters("{}");
    welcome.set_report_interval_ns(
        input_.PickValueInArray<std::uint64_t>({0, 1, 100'000'000, ~std::uint64_t{0} >> 1}));
    welcome.set_lease_ns(
        input_.PickValueInArray<std::uint64_t>({0, 1, 4'000'000'000, ~std::uint64_t{0} >> 1}));
    welcome.set_idempotent(input_.ConsumeBool());
    welcome.set_task_timeout_ns(input_.PickValueInArray<std::uint64_t>({0, 1, 60'000'000'000}));
  }

  // ---- Threads ----

  void Take(std::uint32_t thread) {
    std::optional<Batch>& batch = batches_[thread];
    if (batch) return;
    batch = worker_.Take(thread, now_);
    EVENKEEL_CHECK(!batch || !batch->range.Empty(), "a batch has tasks");
  }

  void EndBatch(std::uint32_t thread) {
    if (!batches_[thread]) return;
    const Batch batch = *std::exchange(batches_[thread], std::nullopt);
    BatchOutcome outcome;
    const std::int64_t most = std::min<std::int64_t>(batch.range.Size(), 16);
    const auto done = input_.ConsumeIntegralInRange<std::int64_t>(0, most);
    for (std::int64_t n = 0; n < done; ++n) outcome.results.Append("result");
    outcome.started = now_;
    now_ += milliseconds(input_.ConsumeIntegralInRange(0, 50));
    outcome.ended = now_;
    outcome.busy = outcome.ended - outcome.started;
    if (done < batch.range.Size() && input_.ConsumeBool()) {
      outcome.failure.emplace();
      outcome.failure->reason = "no";
    }
    Execute(worker_.OnBatchDone(thread, std::move(outcome), now_));
  }

  // ---- Effects ----

  void Execute(Worker::Effects effects) {
    for (Worker::Effect& effect : effects) {
      if (auto* send = std::get_if<Worker::SendToCoordinator>(&effect)) {
        Read(std::move(send->message));
      } else if (const auto* cut = std::get_if<Worker::CutBatch>(&effect)) {
        Cut(cut->thread);
      }
    }
  }

  void Cut(std::uint32_t thread) {
    EVENKEEL_CHECK(batches_[thread].has_value(), "there is a batch to cut");
    model::IndexRange& range = batches_[thread]->range;
    const std::int64_t kept = std::min<std::int64_t>(range.Size(), 1 + input_.ConsumeBool());
    const model::IndexRange unstarted{range.begin + kept, range.end};
    range.end = unstarted.begin;
    Execute(worker_.OnBatchCut(thread, unstarted, now_));
  }

  void Read(ToCoordinator message) {
    v1::WorkerMessage wire;
    for (v1::WorkerItem& item : protocol::ToProto(std::move(message))) {
      *wire.add_items() = std::move(item);
    }
    EVENKEEL_CHECK(protocol::FromProto(std::move(wire)).has_value(),
                   "a coordinator can read what a worker sends");
  }

  FuzzedDataProvider& input_;
  Worker worker_;
  Instant now_{std::chrono::seconds(50)};
  std::array<std::optional<Batch>, kThreads> batches_;
};

}  // namespace
}  // namespace evenkeel::engine

/// A hostile coordinator against a worker: any messages in any order, while its threads run tasks.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  evenkeel::engine::Session(input).Run();
  return 0;
}
