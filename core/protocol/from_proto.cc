#include <algorithm>
#include <string>
#include <utility>

#include "core/protocol/limits.h"
#include "core/protocol/translation.h"
#include "core/protocol/wire_checks.h"

namespace evenkeel::protocol {
namespace {

template <typename Wire>
std::vector<engine::Grant> Grants(const Wire& wire, WireChecks& checks) {
  std::vector<engine::Grant> grants;
  if (!checks.Admit(wire.size())) return grants;
  grants.reserve(static_cast<std::size_t>(wire.size()));
  for (const v1::Grant& grant : wire) grants.push_back(checks.Grant(grant));
  return grants;
}

template <typename Wire>
std::vector<model::IndexRange> Ranges(const Wire& wire, WireChecks& checks) {
  std::vector<model::IndexRange> ranges;
  if (!checks.Admit(wire.size())) return ranges;
  ranges.reserve(static_cast<std::size_t>(wire.size()));
  for (const v1::Range& range : wire) ranges.push_back(checks.Range(range.begin(), range.size()));
  return ranges;
}

engine::StampEcho Read(const v1::StampEcho& wire, WireChecks& checks) {
  return {engine::ClockStamp{wire.stamp()}, checks.Time(wire.held_ns())};
}

engine::Hello Read(v1::Hello* wire, WireChecks& checks) {
  engine::Hello hello;
  hello.protocol_version = wire->protocol_version();
  hello.node = checks.Text(wire->mutable_node());
  hello.incarnation = checks.Text(wire->mutable_incarnation());
  hello.threads = wire->threads();
  hello.workload = checks.Text(wire->mutable_workload());
  hello.workload_version = wire->workload_version();
  hello.epoch = wire->epoch();
  hello.token = checks.Text(wire->mutable_token());
  hello.held = Grants(wire->held(), checks);
  hello.ratio = wire->ratio();
  hello.boot_id = checks.Text(wire->mutable_boot_id());
  checks.Require(!hello.node.empty(), "Hello without a node name");
  checks.Require(hello.threads > 0, "Hello with 0 threads");
  checks.Require(hello.boot_id.size() <= engine::kMaxBootIdBytes,
                 "Hello with a boot ID of more than 64 bytes");
  const bool sane = hello.ratio >= 0 && hello.ratio <= engine::kMaxRatio;  // false for NaN
  checks.Require(sane, "Hello with a ratio outside of 0 to 1000000");
  return hello;
}

engine::CompletedRange Read(v1::CompletedRange* wire, WireChecks& checks) {
  engine::CompletedRange completed;
  completed.range = checks.Range(wire->begin(), wire->size());
  completed.started_ago = checks.Time(wire->started_ago_ns());
  completed.ended_ago = checks.Time(wire->ended_ago_ns());
  completed.busy = checks.Time(wire->busy_ns());
  completed.copy = wire->copy();
  completed.waited = checks.Time(wire->waited_ns());
  completed.results = checks.Results(wire->mutable_results(), completed.range.Size());
  checks.Require(completed.started_ago >= completed.ended_ago, "tasks end before they start");
  return completed;
}

engine::FailedTask Read(v1::FailedTask* wire, WireChecks& checks) {
  engine::FailedTask failed;
  failed.index = checks.Number(wire->index());
  failed.reason = checks.Text(wire->mutable_reason());
  failed.busy = checks.Time(wire->busy_ns());
  failed.grant = engine::GrantId{wire->grant()};
  if (wire->has_exit_code()) failed.exit_code = wire->exit_code();
  failed.record = std::move(*wire->mutable_record());
  return failed;
}

engine::Report Read(v1::Report* wire, WireChecks& checks) {
  engine::Report report;
  report.draining = wire->draining();
  report.echo = Read(wire->echo(), checks);
  if (!checks.Admit(wire->completed_size()) || !checks.Admit(wire->failed_size())) return report;
  report.completed.reserve(static_cast<std::size_t>(wire->completed_size()));
  for (v1::CompletedRange& range : *wire->mutable_completed()) {
    report.completed.push_back(Read(&range, checks));
  }
  report.failed.reserve(static_cast<std::size_t>(wire->failed_size()));
  for (v1::FailedTask& task : *wire->mutable_failed()) report.failed.push_back(Read(&task, checks));
  return report;
}

engine::Assign Read(v1::Assign* wire, WireChecks& checks) {
  engine::Assign assign{Grants(wire->grants(), checks)};
  for (std::size_t n = 0; n < assign.grants.size() && checks.Problem() == nullptr; ++n) {
    v1::Grant& sent = *wire->mutable_grants(static_cast<int>(n));
    engine::Grant& grant = assign.grants[n];
    checks.Require(sent.attempt() <= kMaxAttempts, "more than 1000000 attempts of a task");
    grant.attempt = static_cast<std::int32_t>(std::min(sent.attempt(), kMaxAttempts));
    if (!sent.has_inputs()) continue;
    auto inputs = checks.Results(sent.mutable_inputs(), grant.range.Size());
    if (checks.Problem() == nullptr) {
      grant.inputs = model::TaskInputs(grant.range.begin, std::move(inputs));
    }
  }
  return assign;
}

engine::Welcome Read(v1::Welcome* wire, WireChecks& checks) {
  engine::Welcome welcome;
  welcome.epoch = wire->epoch();
  welcome.job = checks.Text(wire->mutable_job());
  welcome.workload_parameters = std::move(*wire->mutable_workload_parameters());
  welcome.report_interval = checks.Time(wire->report_interval_ns());
  welcome.lease = checks.Time(wire->lease_ns());
  welcome.idempotent = wire->idempotent();
  welcome.task_timeout = checks.Time(wire->task_timeout_ns());
  welcome.stamp = engine::ClockStamp{wire->stamp()};
  return welcome;
}

constexpr const char* kUnknownKind = "unknown kind of message";

engine::ToCoordinator Read(v1::WorkerItem* item, WireChecks& checks) {
  switch (item->kind_case()) {
    case v1::WorkerItem::kHello:
      return Read(item->mutable_hello(), checks);
    case v1::WorkerItem::kReport:
      return Read(item->mutable_report(), checks);
    case v1::WorkerItem::kGiveBack:
      return engine::GiveBack{engine::RecallId{item->give_back().recall()},
                              Grants(item->give_back().parts(), checks),
                              Read(item->give_back().echo(), checks)};
    case v1::WorkerItem::kGoodbye:
      return engine::Goodbye{};
    case v1::WorkerItem::KIND_NOT_SET:
      break;
  }
  checks.Require(false, kUnknownKind);
  return engine::Goodbye{};
}

engine::ToWorker Read(v1::CoordinatorItem* item, WireChecks& checks) {
  switch (item->kind_case()) {
    case v1::CoordinatorItem::kWelcome:
      return Read(item->mutable_welcome(), checks);
    case v1::CoordinatorItem::kRefusal:
      return engine::Refusal{checks.Text(item->mutable_refusal()->mutable_reason())};
    case v1::CoordinatorItem::kAssign:
      return Read(item->mutable_assign(), checks);
    case v1::CoordinatorItem::kRecall:
      return engine::Recall{
          engine::RecallId{item->recall().id()}, checks.Number(item->recall().max_tasks()),
          item->recall().failed_before(), engine::ClockStamp{item->recall().stamp()}};
    case v1::CoordinatorItem::kAcknowledge:
      return engine::Acknowledge{Ranges(item->acknowledge().ranges(), checks),
                                 item->acknowledge().heard(),
                                 engine::ClockStamp{item->acknowledge().stamp()}};
    case v1::CoordinatorItem::kCancel:
      return engine::Cancel{Ranges(item->cancel().ranges(), checks),
                            engine::GrantId{item->cancel().last_grant()}};
    case v1::CoordinatorItem::kFinish:
      return engine::Finish{checks.Text(item->mutable_finish()->mutable_reason())};
    case v1::CoordinatorItem::KIND_NOT_SET:
      break;
  }
  checks.Require(false, kUnknownKind);
  return engine::Finish{};
}

template <typename Message, typename Batch>
Result<std::vector<Message>> ReadAll(Batch batch) {
  WireChecks checks;
  std::vector<Message> messages;
  checks.Require(batch.items_size() <= kMaxItems, "more than 4096 items in one message");
  if (checks.Problem() == nullptr) {
    messages.reserve(static_cast<std::size_t>(batch.items_size()));
    for (auto& item : *batch.mutable_items()) {
      messages.push_back(Read(&item, checks));
      if (checks.Problem() != nullptr) break;
    }
  }
  if (checks.Problem() == nullptr) return messages;
  return InvalidInput(std::string("protocol error of the peer: ") + checks.Problem());
}

}  // namespace

Result<std::vector<engine::ToCoordinator>> FromProto(v1::WorkerMessage batch) {
  return ReadAll<engine::ToCoordinator>(std::move(batch));
}

Result<std::vector<engine::ToWorker>> FromProto(v1::CoordinatorMessage batch) {
  return ReadAll<engine::ToWorker>(std::move(batch));
}

}  // namespace evenkeel::protocol
