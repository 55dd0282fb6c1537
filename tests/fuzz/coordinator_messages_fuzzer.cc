#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "core/base/check.h"
#include "core/engine/coordinator.h"
#include "core/protocol/translation.h"

namespace evenkeel::engine {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxStreams = 16;
constexpr int kMaxSteps = 300;

CoordinatorConfig DrawConfig(FuzzedDataProvider& input) {
  static const std::vector<model::StrategyName> strategies = model::AllStrategies();
  CoordinatorConfig config;
  config.job.name = "job";
  config.job.workload = "w";
  config.job.balancing.strategy =
      strategies[input.ConsumeIntegralInRange<std::size_t>(0, strategies.size() - 1)];
  config.job.balancing.tail_stealing.stealing = input.ConsumeBool();
  config.job.balancing.tail_stealing.speculation = input.PickValueInArray(
      {model::Speculation::kDisabled, model::Speculation::kBounded, model::Speculation::kWhenIdle});
  config.job.balancing.master_slave.dedicated_coordinator = input.ConsumeBool();
  config.job.max_workers = input.ConsumeIntegralInRange(1, 6);
  model::TaskPolicy& policy = config.job.task_policy;
  policy.idempotent = input.ConsumeBool();
  policy.backoff_limit_per_task = input.ConsumeIntegralInRange(0, 3);
  policy.max_failed_tasks = input.ConsumeIntegralInRange(0, 3);
  const auto tasks = input.ConsumeIntegralInRange<std::int64_t>(1, 2000);
  if (input.ConsumeBool()) policy.success.succeeded_count = 1 + tasks / 2;
  config.costs = std::make_shared<model::UnitCosts>(tasks);
  config.epoch = input.ConsumeIntegralInRange<std::uint64_t>(1, 2);
  config.admit_unexpected = input.ConsumeBool();
  config.keep_workers = input.ConsumeBool();
  const int nodes = input.ConsumeIntegralInRange(1, 3);
  for (int n = 0; n < nodes; ++n) {
    config.nodes.push_back(
        {std::string(1, static_cast<char>('a' + n)), input.PickValueInArray({0.0, 1.0, 4.0})});
  }
  if (config.epoch > 1) config.completed.Insert({0, tasks / 3});
  return config;
}

/// A coordinator between peers that send whatever they like. What they send passes the wire.
class Session {
 public:
  explicit Session(FuzzedDataProvider& input)
      : input_(input), config_(DrawConfig(input)), coordinator_(config_) {
    Execute(coordinator_.Start(now_));
  }

  void Run() {
    for (int n = 0; n < kMaxSteps && input_.remaining_bytes() > 0; ++n) Step();
  }

 private:
  struct Stream {
    StreamId id;
    bool greeted = false;
  };

  void Step() {
    switch (input_.ConsumeIntegralInRange(0, 15)) {
      case 0:
        return SendBytes(input_.ConsumeRandomLengthString(2048));
      case 1:
        return Connect();
      case 2:
        return CloseStream();
      case 3:
        return Execute(coordinator_.OnDurable(last_batch_, now_));
      case 4:
        now_ += milliseconds(input_.PickValueInArray({0, 1, 30, 1000, 1600, 11'000, 4'000'000}));
        return Execute(coordinator_.OnTimer(now_));
      case 5:
        if (coordinator_.NextTimer() < kNever) now_ = std::max(now_, coordinator_.NextTimer());
        return Execute(coordinator_.OnTimer(now_));
      case 6:
        return Grow();
      case 7:
        return Rarely();
      case 8:
        return Send([this](v1::WorkerItem& item) { Fill(*item.mutable_give_back()); });
      case 9:
        return Send([](v1::WorkerItem& item) { item.mutable_goodbye(); });
      default:
        return Send([this](v1::WorkerItem& item) { Fill(*item.mutable_report()); });
    }
  }

  void Rarely() {
    switch (input_.ConsumeIntegralInRange(0, 7)) {
      case 0:
        return Execute(coordinator_.OnInterrupt("interrupt", std::chrono::seconds(5), now_));
      case 1:
        return Execute(coordinator_.OnJournalFailed("disk full", now_));
      case 2:
        return Execute(coordinator_.OnDeadline("too late"));
      case 3:
        coordinator_.OnStall(milliseconds(3000), now_);
        return;
      default:
        (void)coordinator_.CurrentProgress(now_);
        (void)coordinator_.StageEvents(now_);
        (void)coordinator_.TakeEvents();
    }
  }

  void Grow() {
    tasks_appended_ += input_.ConsumeIntegralInRange<std::int64_t>(0, 100);
    Execute(coordinator_.OnGrown(
        {std::make_shared<model::UnitCosts>(config_.costs->TaskCount() + tasks_appended_),
         {},
         "{}"},
        now_));
  }

  // ---- Streams ----

  void Connect() {
    if (streams_.size() < kMaxStreams) streams_.push_back({StreamId{++last_stream_}, false});
    Deliver(streams_.back(), [this] {
      v1::WorkerMessage message;
      Fill(*message.add_items()->mutable_hello());
      return message;
    }());
  }

  void CloseStream() {
    if (streams_.empty()) return;
    const std::size_t index = StreamIndex();
    Execute(coordinator_.OnStreamClosed(streams_[index].id, now_));
    streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  std::size_t StreamIndex() {
    return input_.ConsumeIntegralInRange<std::size_t>(0, streams_.size() - 1);
  }

  template <typename FillItem>
  void Send(const FillItem& fill) {
    if (streams_.empty()) return;
    v1::WorkerMessage message;
    fill(*message.add_items());
    Deliver(streams_[StreamIndex()], std::move(message));
  }

  void SendBytes(const std::string& bytes) {
    if (streams_.empty()) return Connect();
    v1::WorkerMessage message;
    if (message.ParseFromString(bytes)) Deliver(streams_[StreamIndex()], std::move(message));
  }

  /// As coordinator::WorkerStream does it.
  void Deliver(Stream& stream, v1::WorkerMessage batch) {
    auto messages = protocol::FromProto(std::move(batch));
    if (!messages) return Execute(coordinator_.OnStreamClosed(stream.id, now_));
    for (ToCoordinator& message : *messages) {
      if (std::holds_alternative<Hello>(message)) {
        if (stream.greeted) return Execute(coordinator_.OnStreamClosed(stream.id, now_));
        stream.greeted = true;
      }
      coordinator_.OnHeard(stream.id, now_);
      Execute(coordinator_.OnMessage(stream.id, std::move(message), now_));
    }
  }

  // ---- Messages: near the truth, so that they get far ----

  /// Of a grant that was made, or of nothing.
  Grant DrawGrant() {
    Grant grant;
    if (!grants_.empty() && input_.ConsumeIntegralInRange(0, 7) > 0) {
      const auto back = input_.ConsumeIntegralInRange<std::size_t>(
          0, std::min<std::size_t>(grants_.size() - 1, 15));
      grant = grants_[grants_.size() - 1 - back];
    } else {
      grant.id = GrantId{input_.ConsumeIntegralInRange<std::uint64_t>(0, 40)};
      const auto begin = input_.ConsumeIntegralInRange<std::int64_t>(0, config_.costs->TaskCount());
      grant.range = {begin, begin + input_.ConsumeIntegralInRange<std::int64_t>(0, 50)};
    }
    if (input_.ConsumeBool()) {
      grant.range.begin += input_.ConsumeIntegralInRange<std::int64_t>(0, 3);
      grant.range.end = std::max(
          grant.range.begin, grant.range.end - input_.ConsumeIntegralInRange<std::int64_t>(0, 3));
    }
    return grant;
  }

  void Fill(v1::Grant& wire) {
    const Grant grant = DrawGrant();
    wire.set_id(grant.id.value);
    wire.set_begin(static_cast<std::uint64_t>(grant.range.begin));
    wire.set_size(static_cast<std::uint64_t>(grant.range.Size()));
    wire.set_copy(input_.ConsumeBool());
  }

  void Fill(v1::Hello& hello) {
    hello.set_protocol_version(kProtocolVersion);
    hello.set_node(std::string(1, input_.PickValueInArray({'a', 'b', 'c', 'd', 'e'})));
    hello.set_incarnation(input_.PickValueInArray({"1", "2", "3"}));
    hello.set_threads(input_.PickValueInArray<std::uint32_t>({1, 2, 4, 64}));
    hello.set_workload("w");
    hello.set_workload_version(1);
    hello.set_epoch(input_.ConsumeIntegralInRange<std::uint64_t>(0, 2));
    hello.set_boot_id(input_.PickValueInArray({"", "x", "y"}));
    hello.set_ratio(input_.PickValueInArray({0.0, 1.0, 1e6, 1e-300}));
    for (int n = input_.ConsumeIntegralInRange(0, 3); n > 0; --n) Fill(*hello.add_held());
  }

  void Fill(v1::GiveBack& given) {
    given.set_recall(input_.ConsumeIntegralInRange<std::uint64_t>(0, last_recall_));
    for (int n = input_.ConsumeIntegralInRange(0, 3); n > 0; --n) Fill(*given.add_parts());
  }

  void Fill(v1::Report& report) {
    for (int n = input_.ConsumeIntegralInRange(0, 3); n > 0; --n) Fill(*report.add_completed());
    if (input_.ConsumeBool()) {
      const Grant grant = DrawGrant();
      v1::FailedTask& failed = *report.add_failed();
      failed.set_index(static_cast<std::uint64_t>(grant.range.begin));
      failed.set_grant(grant.id.value);
      failed.set_reason("no");
    }
    if (input_.ConsumeBool()) {
      v1::RunningTask& running = *report.add_running();
      running.set_index(static_cast<std::uint64_t>(DrawGrant().range.begin));
      running.set_elapsed_ns(DrawTime());
    }
    report.set_draining(input_.ConsumeIntegralInRange(0, 15) == 0);
  }

  void Fill(v1::CompletedRange& done) {
    const Grant grant = DrawGrant();
    done.set_begin(static_cast<std::uint64_t>(grant.range.begin));
    done.set_size(static_cast<std::uint64_t>(grant.range.Size()));
    done.set_busy_ns(DrawTime());
    done.set_started_ago_ns(DrawTime());
    done.set_ended_ago_ns(input_.ConsumeBool() ? 0 : done.started_ago_ns());
    done.set_copy(input_.ConsumeBool());
    done.set_fetched_bytes(DrawTime());
    done.set_fetch_ns(DrawTime());
    done.mutable_results()->set_equal_size(1);
    done.mutable_results()->set_bytes(
        std::string(static_cast<std::size_t>(grant.range.Size()), 'r'));
  }

  std::uint64_t DrawTime() {
    return input_.PickValueInArray<std::uint64_t>(
        {0, 1, 1'000, 1'000'000, 3'000'000'000, 4'000'000'000'000, 3'000'000'000'000'000'000});
  }

  // ---- Effects ----

  void Execute(Effects effects) {
    for (Effect& effect : effects) {
      if (auto* send = std::get_if<SendToWorker>(&effect)) {
        Note(send->message);
        v1::CoordinatorMessage wire;
        for (v1::CoordinatorItem& item : protocol::ToProto(std::move(send->message))) {
          *wire.add_items() = std::move(item);
        }
        EVENKEEL_CHECK(protocol::FromProto(std::move(wire)).has_value(),
                       "workers can read what a coordinator sends");
      } else if (const auto* persist = std::get_if<Persist>(&effect)) {
        EVENKEEL_CHECK(last_batch_ < persist->batch, "numbers of batches rise");
        last_batch_ = persist->batch;
        for (const auto& result : persist->results) {
          EVENKEEL_CHECK(!persisted_.Overlaps(result.range), "a result is stored once");
          persisted_.Insert(result.range);
        }
      }
    }
    coordinator_.CheckInvariants();
  }

  void Note(const ToWorker& message) {
    if (const auto* assign = std::get_if<Assign>(&message)) {
      for (const Grant& grant : assign->grants) grants_.push_back(grant);
      EVENKEEL_CHECK(!assign->grants.empty(), "an Assign has grants");
    } else if (const auto* recall = std::get_if<Recall>(&message)) {
      last_recall_ = recall->id.value;
    }
  }

  FuzzedDataProvider& input_;
  const CoordinatorConfig config_;
  Coordinator coordinator_;
  Instant now_{std::chrono::seconds(100)};
  std::vector<Stream> streams_;
  std::uint64_t last_stream_ = 0;
  std::vector<Grant> grants_;
  std::uint64_t last_recall_ = 1;
  BatchId last_batch_{};
  model::RangeSet persisted_;
  std::int64_t tasks_appended_ = 0;
};

}  // namespace
}  // namespace evenkeel::engine

/// Hostile workers against a coordinator: any messages in any order, with streams that end, time
/// that passes, and the events of the coordinator's own process.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  evenkeel::engine::Session(input).Run();
  return 0;
}
