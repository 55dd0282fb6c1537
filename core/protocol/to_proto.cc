#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/protocol/limits.h"
#include "core/protocol/translation.h"

namespace evenkeel::protocol {
namespace {

std::uint64_t Nanoseconds(Duration duration) {
  return static_cast<std::uint64_t>(std::clamp(duration, Duration::zero(), kMaxDuration).count());
}

std::string Cut(std::string reason) {
  constexpr auto kLimit = static_cast<std::size_t>(kMaxTextBytes);
  if (reason.size() > kLimit) reason.resize(kLimit);
  return reason;
}

/// Range, Grant and CompletedRange all have begin and size.
template <typename Wire>
void SetRange(model::IndexRange range, Wire& wire) {
  EVENKEEL_CHECK(range.begin >= 0 && !range.Empty(), "a range to send is empty or negative");
  wire.set_begin(static_cast<std::uint64_t>(range.begin));
  wire.set_size(static_cast<std::uint64_t>(range.Size()));
}

void SetGrant(const engine::Grant& grant, v1::Grant& wire) {
  wire.set_id(grant.id.value);
  SetRange(grant.range, wire);
  wire.set_copy(grant.copy);
}

void SetResults(model::PackedResults results, v1::PackedResults& wire) {
  if (results.AllSizesEqual()) {
    wire.set_equal_size(results.EqualSize());
  } else {
    const std::vector<std::uint32_t> sizes = results.Sizes();
    wire.mutable_sizes()->Add(sizes.begin(), sizes.end());
  }
  wire.set_bytes(std::move(results).TakeBytes());
}

void SetCompleted(engine::CompletedRange completed, v1::CompletedRange& wire) {
  EVENKEEL_CHECK(completed.results.Count() == completed.range.Size(),
                 "the number of results differs from the number of tasks");
  SetRange(completed.range, wire);
  wire.set_started_ago_ns(Nanoseconds(completed.started_ago));
  wire.set_ended_ago_ns(Nanoseconds(completed.ended_ago));
  wire.set_busy_ns(Nanoseconds(completed.busy));
  wire.set_copy(completed.copy);
  wire.set_waited_ns(Nanoseconds(completed.waited));
  wire.set_fetched_bytes(static_cast<std::uint64_t>(completed.transfer.bytes));
  wire.set_fetch_ns(Nanoseconds(completed.transfer.time));
  SetResults(std::move(completed.results), *wire.mutable_results());
}

/// GiveBack and Report have an echo.
template <typename Wire>
void SetEcho(const engine::StampEcho& echo, Wire& wire) {
  if (echo.stamp == engine::ClockStamp{}) return;
  wire.mutable_echo()->set_stamp(echo.stamp.value);
  wire.mutable_echo()->set_held_ns(Nanoseconds(echo.held));
}

// ---- worker to coordinator: one Append per kind of message ----

void Append(engine::Hello hello, std::vector<v1::WorkerItem>& items) {
  v1::Hello& wire = *items.emplace_back().mutable_hello();
  wire.set_protocol_version(hello.protocol_version);
  wire.set_node(std::move(hello.node));
  wire.set_incarnation(std::move(hello.incarnation));
  wire.set_threads(hello.threads);
  wire.set_workload(std::move(hello.workload));
  wire.set_workload_version(hello.workload_version);
  wire.set_epoch(hello.epoch);
  wire.set_token(std::move(hello.token));
  for (const engine::Grant& grant : hello.held) SetGrant(grant, *wire.add_held());
  wire.set_ratio(hello.ratio);
  wire.set_boot_id(std::move(hello.boot_id));
  wire.set_epoch_tag(std::move(hello.epoch_tag));
  wire.set_task_memory_bytes(static_cast<std::uint64_t>(hello.task_memory_bytes));
}

/// Splits the entries of one message into items of about kBatchBytes.
template <typename Item>
class ItemsOf {
 public:
  explicit ItemsOf(std::vector<Item>& items) : items_(items) { items_.emplace_back(); }

  /// The item for the next entry, which has about `bytes` bytes.
  Item& For(std::size_t bytes) {
    const auto entry_bytes = static_cast<std::int64_t>(bytes) + kEntryBytes;
    if (bytes_ > 0 && bytes_ + entry_bytes > kBatchBytes) {
      items_.emplace_back();
      bytes_ = 0;
    }
    bytes_ += entry_bytes;
    return items_.back();
  }

 private:
  static constexpr std::int64_t kEntryBytes = 64;  // without results, inputs and texts

  std::vector<Item>& items_;
  std::int64_t bytes_ = 0;
};

void Append(engine::Report report, std::vector<v1::WorkerItem>& items) {
  ItemsOf out(items);
  items.back().mutable_report()->set_draining(report.draining);
  SetEcho(report.echo, *items.back().mutable_report());
  for (const engine::RunningTask& running : report.running) {
    EVENKEEL_CHECK(running.index >= 0, "a task index to send is negative");
    v1::RunningTask& wire = *out.For(0).mutable_report()->add_running();
    wire.set_index(static_cast<std::uint64_t>(running.index));
    wire.set_elapsed_ns(Nanoseconds(running.elapsed));
  }
  for (engine::CompletedRange& completed : report.completed) {
    v1::Report& wire = *out.For(completed.results.Bytes().size()).mutable_report();
    SetCompleted(std::move(completed), *wire.add_completed());
  }
  for (engine::FailedTask& failed : report.failed) {
    EVENKEEL_CHECK(failed.index >= 0, "a task index to send is negative");
    std::string reason = Cut(std::move(failed.reason));
    v1::FailedTask& wire =
        *out.For(reason.size() + failed.record.size()).mutable_report()->add_failed();
    wire.set_index(static_cast<std::uint64_t>(failed.index));
    wire.set_reason(std::move(reason));
    wire.set_busy_ns(Nanoseconds(failed.busy));
    wire.set_grant(failed.grant.value);
    if (failed.exit_code) wire.set_exit_code(*failed.exit_code);
    wire.set_record(std::move(failed.record));
    wire.set_cause(static_cast<v1::FailureCause>(failed.cause));
    if (failed.ran) {
      wire.mutable_ran()->set_began(failed.ran->began);
      wire.mutable_ran()->set_ended(failed.ran->ended);
    }
  }
}

void Append(const engine::GiveBack& give_back, std::vector<v1::WorkerItem>& items) {
  v1::GiveBack& wire = *items.emplace_back().mutable_give_back();
  wire.set_recall(give_back.recall.value);
  for (const engine::Grant& part : give_back.parts) SetGrant(part, *wire.add_parts());
  SetEcho(give_back.echo, wire);
}

void Append(engine::Goodbye, std::vector<v1::WorkerItem>& items) {
  items.emplace_back().mutable_goodbye();
}

// ---- coordinator to worker ----

void Append(engine::Welcome welcome, std::vector<v1::CoordinatorItem>& items) {
  v1::Welcome& wire = *items.emplace_back().mutable_welcome();
  wire.set_epoch(welcome.epoch);
  wire.set_job(Cut(std::move(welcome.job)));
  wire.set_workload_parameters(std::move(welcome.workload_parameters));
  wire.set_report_interval_ns(Nanoseconds(welcome.report_interval));
  wire.set_lease_ns(Nanoseconds(welcome.lease));
  wire.set_idempotent(welcome.idempotent);
  wire.set_task_timeout_ns(Nanoseconds(welcome.task_timeout));
  wire.set_stamp(welcome.stamp.value);
  wire.set_epoch_tag(std::move(welcome.epoch_tag));
  wire.set_runs_whole_grants(welcome.runs_whole_grants);
}

void Append(engine::Refusal refusal, std::vector<v1::CoordinatorItem>& items) {
  items.emplace_back().mutable_refusal()->set_reason(Cut(std::move(refusal.reason)));
}

void AddGrant(const engine::Grant& grant, model::PackedResults inputs,
              ItemsOf<v1::CoordinatorItem>& out) {
  v1::Grant& wire = *out.For(inputs.Bytes().size()).mutable_assign()->add_grants();
  SetGrant(grant, wire);
  wire.set_attempt(static_cast<std::uint32_t>(grant.attempt));
  if (!grant.inputs.Empty()) SetResults(std::move(inputs), *wire.mutable_inputs());
}

/// The number of tasks from `begin` whose inputs have kBatchBytes together; at least one.
model::IndexRange FittingPart(const engine::Grant& grant, model::TaskIndex begin) {
  model::IndexRange part{begin, begin + 1};
  std::size_t bytes = grant.inputs.Of(begin).size();
  while (part.end < grant.range.end) {
    bytes += grant.inputs.Of(part.end).size();
    if (bytes > static_cast<std::size_t>(kBatchBytes)) break;
    ++part.end;
  }
  return part;
}

void Append(const engine::Assign& assign, std::vector<v1::CoordinatorItem>& items) {
  ItemsOf out(items);
  items.back().mutable_assign();
  for (const engine::Grant& grant : assign.grants) {
    if (grant.inputs.Empty()) {
      AddGrant(grant, {}, out);
      continue;
    }
    // A grant may be split: reports name the range and the grant.
    for (engine::Grant part = grant; part.range.begin < grant.range.end;) {
      part.range = FittingPart(grant, part.range.begin);
      AddGrant(part, grant.inputs.Packed(part.range), out);
      part.range.begin = part.range.end;
    }
  }
}

void Append(const engine::Recall& recall, std::vector<v1::CoordinatorItem>& items) {
  EVENKEEL_CHECK(recall.max_tasks >= 0, "a number of tasks to send is negative");
  v1::Recall& wire = *items.emplace_back().mutable_recall();
  wire.set_id(recall.id.value);
  wire.set_max_tasks(static_cast<std::uint64_t>(recall.max_tasks));
  wire.set_failed_before(recall.failed_before);
  wire.set_stamp(recall.stamp.value);
}

void Append(const engine::Acknowledge& acknowledge, std::vector<v1::CoordinatorItem>& items) {
  v1::Acknowledge& wire = *items.emplace_back().mutable_acknowledge();
  for (const model::IndexRange range : acknowledge.ranges) SetRange(range, *wire.add_ranges());
  wire.set_heard(acknowledge.heard);
  wire.set_stamp(acknowledge.stamp.value);
}

void Append(const engine::Cancel& cancel, std::vector<v1::CoordinatorItem>& items) {
  v1::Cancel& wire = *items.emplace_back().mutable_cancel();
  for (const model::IndexRange range : cancel.ranges) SetRange(range, *wire.add_ranges());
  wire.set_last_grant(cancel.last.value);
}

void Append(engine::Finish finish, std::vector<v1::CoordinatorItem>& items) {
  items.emplace_back().mutable_finish()->set_reason(Cut(std::move(finish.reason)));
}

template <typename Item, typename Message>
std::vector<Item> Translate(Message message) {
  std::vector<Item> items;
  std::visit([&items](auto& kind) { Append(std::move(kind), items); }, message);
  return items;
}

}  // namespace

std::vector<v1::WorkerItem> ToProto(engine::ToCoordinator message) {
  return Translate<v1::WorkerItem>(std::move(message));
}

std::vector<v1::CoordinatorItem> ToProto(engine::ToWorker message) {
  return Translate<v1::CoordinatorItem>(std::move(message));
}

}  // namespace evenkeel::protocol
