#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/time.h"
#include "core/engine/messages.h"
#include "core/model/names.h"
#include "core/protocol/evenkeel.pb.h"
#include "core/protocol/limits.h"
#include "core/protocol/translation.h"

namespace evenkeel::protocol {
namespace {

constexpr auto kMaxIndex = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

/// True if count * size == bytes, without overflow.
bool Fits(std::uint64_t count, std::uint64_t size, std::uint64_t bytes) {
  if (size == 0) return bytes == 0;
  return bytes % size == 0 && bytes / size == count;
}

/// 1 to `max_bytes` letters, digits, '-', '_' and '.'.
bool IsIdentifier(std::string_view text, std::size_t max_bytes) {
  return !text.empty() && text.size() <= max_bytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

bool IsWorkload(std::string_view name) {
  if (name.starts_with(model::kCustomPrefix)) name.remove_prefix(model::kCustomPrefix.size());
  return model::IsWorkloadName(name);
}

/// Reads and checks the fields of one received batch. Keeps the first broken rule; values read
/// afterwards are meaningless. Check Problem() at the end, and before work whose size depends on a
/// received number. Not thread-safe.
class WireChecks {
 public:
  /// Counts entries towards the limit of the batch; false if there is a problem.
  [[nodiscard]] bool Admit(int entries);

  [[nodiscard]] model::IndexRange Range(std::uint64_t begin, std::uint64_t size);
  [[nodiscard]] engine::Grant Grant(const v1::Grant& wire);
  /// A task index or a number of tasks.
  [[nodiscard]] std::int64_t Number(std::uint64_t wire);
  [[nodiscard]] Duration Time(std::uint64_t nanoseconds);
  [[nodiscard]] std::int64_t Bytes(std::uint64_t wire);
  [[nodiscard]] std::string Text(std::string* wire);
  [[nodiscard]] model::PackedResults Results(v1::PackedResults* wire, std::int64_t tasks);
  void Require(bool holds, const char* otherwise);

  /// One line, or nullptr if no rule was broken so far.
  [[nodiscard]] const char* Problem() const { return problem_; }

 private:
  const char* problem_ = nullptr;
  std::int64_t entries_ = 0;
};

void WireChecks::Require(bool holds, const char* otherwise) {
  if (!holds && problem_ == nullptr) problem_ = otherwise;
}

bool WireChecks::Admit(int entries) {
  entries_ += entries;
  Require(entries_ <= kMaxRanges, "more than 1000000 ranges in one message");
  return problem_ == nullptr;
}

model::IndexRange WireChecks::Range(std::uint64_t begin, std::uint64_t size) {
  Require(size > 0, "empty range");
  const bool fits = begin <= kMaxIndex && size <= kMaxIndex - begin;
  Require(fits, "range beyond the largest task index");
  if (!fits) return {};
  return {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(begin + size)};
}

engine::Grant WireChecks::Grant(const v1::Grant& wire) {
  return {engine::GrantId{wire.id()}, Range(wire.begin(), wire.size()), wire.copy()};
}

std::int64_t WireChecks::Number(std::uint64_t wire) {
  Require(wire <= kMaxIndex, "number beyond the largest task index");
  return static_cast<std::int64_t>(wire);
}

Duration WireChecks::Time(std::uint64_t nanoseconds) {
  const bool fits = nanoseconds <= static_cast<std::uint64_t>(kMaxDuration.count());
  Require(fits, "duration of more than 100 years");
  return fits ? Duration{static_cast<std::int64_t>(nanoseconds)} : Duration::zero();
}

std::int64_t WireChecks::Bytes(std::uint64_t wire) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60;
  Require(wire <= kMost, "more than 2^60 bytes of data");
  return static_cast<std::int64_t>(std::min(wire, kMost));
}

std::string WireChecks::Text(std::string* wire) {
  Require(wire->size() <= static_cast<std::size_t>(kMaxTextBytes),
          "name or reason of more than 64 KiB");
  return std::move(*wire);
}

model::PackedResults WireChecks::Results(v1::PackedResults* wire, std::int64_t tasks) {
  const auto count = static_cast<std::uint64_t>(tasks);
  if (wire->sizes().empty()) {
    const bool fits = Fits(count, wire->equal_size(), wire->bytes().size());
    Require(fits, "size of the results does not match the number of tasks");
    if (!fits || problem_ != nullptr) return {};
    return model::PackedResults::OfEqualSize(tasks, wire->equal_size(),
                                             std::move(*wire->mutable_bytes()));
  }
  const std::vector<std::uint32_t> sizes(wire->sizes().begin(), wire->sizes().end());
  Require(sizes.size() == count, "number of results does not match the number of tasks");
  const std::uint64_t sum = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  Require(sum == wire->bytes().size(), "size of the results does not match their sizes");
  if (!Admit(wire->sizes_size())) return {};
  return model::PackedResults::OfSizes(sizes, std::move(*wire->mutable_bytes()));
}

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
  checks.Require(wire->held_size() <= static_cast<int>(engine::kMaxHeldGrants),
                 "Hello with more than 100000 held ranges");
  hello.held = Grants(wire->held(), checks);
  hello.ratio = wire->ratio();
  hello.boot_id = checks.Text(wire->mutable_boot_id());
  hello.epoch_tag = checks.Text(wire->mutable_epoch_tag());
  hello.task_memory_bytes = checks.Number(wire->task_memory_bytes());
  checks.Require(model::IsDnsSubdomain(hello.node),
                 "the node name in Hello must be 1 to 253 lower-case letters, digits, '-' or '.', "
                 "with a letter or digit at both ends");
  checks.Require(IsIdentifier(hello.incarnation, kMaxIncarnationBytes),
                 "the incarnation in Hello must be 1 to 64 letters, digits, '-', '_' or '.'");
  checks.Require(IsWorkload(hello.workload), "the workload in Hello is not a name of a workload");
  checks.Require(hello.threads > 0, "Hello with 0 threads");
  checks.Require(hello.token.size() <= kMaxTokenBytes, "token of more than 4 KiB in Hello");
  checks.Require(hello.boot_id.empty() || IsIdentifier(hello.boot_id, engine::kMaxBootIdBytes),
                 "the boot ID in Hello must be at most 64 letters, digits, '-', '_' or '.'");
  checks.Require(hello.epoch_tag.size() <= engine::kMaxEpochTagBytes,
                 "Hello with an epoch tag of more than 64 bytes");
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
  completed.transfer.bytes = checks.Bytes(wire->fetched_bytes());
  completed.transfer.time = checks.Time(wire->fetch_ns());
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
  checks.Require(v1::FailureCause_IsValid(wire->cause()), "a failure of an unknown cause");
  failed.cause = static_cast<model::FailureCause>(wire->cause());
  if (wire->has_ran()) failed.ran = {wire->ran().began(), wire->ran().ended()};
  return failed;
}

engine::Report Read(v1::Report* wire, WireChecks& checks) {
  engine::Report report;
  report.draining = wire->draining();
  report.echo = Read(wire->echo(), checks);
  if (!checks.Admit(wire->completed_size()) || !checks.Admit(wire->failed_size()) ||
      !checks.Admit(wire->running_size())) {
    return report;
  }
  report.running.reserve(static_cast<std::size_t>(wire->running_size()));
  for (const v1::RunningTask& task : wire->running()) {
    report.running.push_back({checks.Number(task.index()), checks.Time(task.elapsed_ns())});
  }
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
  welcome.epoch_tag = checks.Text(wire->mutable_epoch_tag());
  checks.Require(welcome.epoch_tag.size() <= engine::kMaxEpochTagBytes,
                 "Welcome with an epoch tag of more than 64 bytes");
  welcome.runs_whole_grants = wire->runs_whole_grants();
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
