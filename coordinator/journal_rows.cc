#include "coordinator/journal_rows.h"

#include <limits>
#include <utility>

namespace evenkeel::coordinator {
namespace {

// Journals on disks contain these numbers.
using model::JobState;
using model::RunKind;
using EventKind = model::TimelineEvent::Kind;
static_assert(static_cast<int>(RunKind::kPlanned) == 0 && static_cast<int>(RunKind::kStolen) == 1 &&
              static_cast<int>(RunKind::kCopy) == 2);
static_assert(static_cast<int>(EventKind::kStage) == 0 &&
              static_cast<int>(EventKind::kMaster) == 1 &&
              static_cast<int>(EventKind::kMove) == 2 && static_cast<int>(EventKind::kEta) == 3 &&
              static_cast<int>(EventKind::kLost) == 4 &&
              static_cast<int>(EventKind::kJoined) == 5 &&
              static_cast<int>(EventKind::kExcluded) == 6);
static_assert(static_cast<int>(JobState::kComplete) == 0 &&
              static_cast<int>(JobState::kFailed) == 1 &&
              static_cast<int>(JobState::kInterrupted) == 2 &&
              static_cast<int>(JobState::kRunning) == 3);

constexpr std::size_t kBytesPerSize = 4;

void PackSizes(const std::vector<std::uint32_t>& sizes, std::string& packed) {
  packed.clear();
  packed.reserve(sizes.size() * kBytesPerSize);
  for (std::uint32_t size : sizes) {
    for (std::size_t n = 0; n < kBytesPerSize; ++n, size >>= 8) {
      packed += static_cast<char>(size & 0xff);
    }
  }
}

std::vector<std::uint32_t> UnpackSizes(std::string_view packed) {
  std::vector<std::uint32_t> sizes(packed.size() / kBytesPerSize);
  for (std::size_t n = 0; n < sizes.size() * kBytesPerSize; ++n) {
    const auto byte = static_cast<unsigned char>(packed[n]);
    sizes[n / kBytesPerSize] |= std::uint32_t{byte} << (8 * (n % kBytesPerSize));
  }
  return sizes;
}

tl::unexpected<Error> Damaged(const char* table, std::int64_t row) {
  return Fail(ErrorCode::kInternal, std::string("journal.db is damaged: row ") +
                                        std::to_string(row) + " of " + table + " is invalid");
}

Result<model::PackedResults> ReadPacked(const Statement& row, std::int64_t tasks) {
  const std::string_view bytes = row.Bytes(9);
  if (row.IsNull(8)) {
    const std::int64_t size = row.Integer(7);
    const bool fits = 0 <= size && size <= std::numeric_limits<std::uint32_t>::max() &&
                      (size == 0 ? bytes.empty()
                                 : bytes.size() % static_cast<std::uint64_t>(size) == 0 &&
                                       bytes.size() / static_cast<std::uint64_t>(size) ==
                                           static_cast<std::uint64_t>(tasks));
    if (!fits) return Damaged("results", row.Integer(0));
    return model::PackedResults::OfEqualSize(tasks, static_cast<std::uint32_t>(size),
                                             std::string(bytes));
  }
  const std::vector<std::uint32_t> sizes = UnpackSizes(row.Bytes(8));
  std::uint64_t sum = 0;
  for (const std::uint32_t size : sizes) sum += size;
  if (sizes.size() != static_cast<std::uint64_t>(tasks) || sum != bytes.size()) {
    return Damaged("results", row.Integer(0));
  }
  return model::PackedResults::OfSizes(sizes, std::string(bytes));
}

}  // namespace

Result<RowWriter> RowWriter::Make(const Database& database) {
  Statements statements;
  const std::pair<Statement*, const char*> all[] = {
      {&statements.insert_node, "INSERT OR IGNORE INTO nodes(name) VALUES(?)"},
      {&statements.find_node, "SELECT id FROM nodes WHERE name = ?"},
      {&statements.insert_result, "INSERT INTO results VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&statements.insert_failure, "INSERT INTO failures VALUES(NULL, ?, ?, ?, ?, ?, ?, ?)"},
      {&statements.insert_event, "INSERT INTO events VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&statements.insert_confirmation, "INSERT INTO confirmations VALUES(?, ?)"},
      {&statements.delete_confirmations,
       "DELETE FROM confirmations WHERE second = ?1 OR ?1 = (SELECT node FROM results"
       " WHERE begin <= task ORDER BY begin DESC LIMIT 1)"},
      {&statements.delete_results, "DELETE FROM results WHERE node = ?"},
      {&statements.insert_exclusion, "INSERT INTO exclusions VALUES(?, ?, ?, ?)"},
  };
  for (const auto& [statement, sql] : all) {
    auto prepared = database.Prepare(sql);
    if (!prepared) return tl::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return RowWriter(std::move(statements));
}

Result<std::int64_t> RowWriter::NodeId(const std::string& name) {
  if (const auto known = node_ids_.find(name); known != node_ids_.end()) return known->second;
  statements_.insert_node.BindText(1, name);
  if (const auto inserted = statements_.insert_node.Run(); !inserted)
    return tl::unexpected(inserted.error());
  statements_.find_node.BindText(1, name);
  const Result<bool> found = statements_.find_node.Step();
  const std::int64_t id = found && *found ? statements_.find_node.Integer(0) : 0;
  statements_.find_node.Reset();
  if (!found) return tl::unexpected(found.error());
  node_ids_.emplace(name, id);
  return id;
}

Result<void> RowWriter::Write(const model::ResultRecord& result) {
  const Result<std::int64_t> node = NodeId(result.node);
  if (!node) return tl::unexpected(node.error());
  const model::PackedResults& packed = result.results;
  statements_.insert_result.Bind(1, result.range.begin);
  statements_.insert_result.Bind(2, result.range.end);
  statements_.insert_result.Bind(3, *node);
  statements_.insert_result.Bind(4, result.started.count());
  statements_.insert_result.Bind(5, result.ended.count());
  statements_.insert_result.Bind(6, result.busy.count());
  statements_.insert_result.Bind(7, static_cast<std::int64_t>(result.kind));
  if (packed.AllSizesEqual()) {
    statements_.insert_result.Bind(8, packed.EqualSize());
    statements_.insert_result.BindNull(9);
  } else {
    PackSizes(packed.Sizes(), sizes_);
    statements_.insert_result.Bind(8, 0);
    statements_.insert_result.BindBlob(9, sizes_);
  }
  statements_.insert_result.BindBlob(10, packed.Bytes());
  return statements_.insert_result.Run();
}

Result<void> RowWriter::Write(const model::FailureRecord& failure) {
  const Result<std::int64_t> node = NodeId(failure.node);
  if (!node) return tl::unexpected(node.error());
  statements_.insert_failure.Bind(1, failure.index);
  statements_.insert_failure.Bind(2, *node);
  statements_.insert_failure.BindText(3, failure.reason);
  statements_.insert_failure.Bind(4, failure.attempt);
  statements_.insert_failure.Bind(5, failure.final ? 1 : 0);
  if (failure.exit_code) {
    statements_.insert_failure.Bind(6, *failure.exit_code);
  } else {
    statements_.insert_failure.BindNull(6);
  }
  statements_.insert_failure.BindBlob(7, failure.record);
  return statements_.insert_failure.Run();
}

Result<void> RowWriter::Write(const model::TimelineEvent& event) {
  const Result<std::int64_t> node = NodeId(event.node);
  if (!node) return tl::unexpected(node.error());
  const Result<std::int64_t> from_node = NodeId(event.from_node);
  if (!from_node) return tl::unexpected(from_node.error());
  statements_.insert_event.Bind(1, static_cast<std::int64_t>(event.kind));
  statements_.insert_event.Bind(2, event.start.count());
  statements_.insert_event.Bind(3, event.end.count());
  statements_.insert_event.Bind(4, event.sigma.count());
  statements_.insert_event.Bind(5, *node);
  statements_.insert_event.Bind(6, *from_node);
  statements_.insert_event.Bind(7, event.tasks);
  statements_.insert_event.BindText(8, event.detail);
  return statements_.insert_event.Run();
}

Result<void> RowWriter::Write(const model::ConfirmationRecord& confirmation) {
  const Result<std::int64_t> second = NodeId(confirmation.second);
  if (!second) return tl::unexpected(second.error());
  statements_.insert_confirmation.Bind(1, confirmation.index);
  statements_.insert_confirmation.Bind(2, *second);
  return statements_.insert_confirmation.Run();
}

Result<void> RowWriter::Write(const model::ExclusionRecord& exclusion) {
  const Result<std::int64_t> node = NodeId(exclusion.node);
  if (!node) return tl::unexpected(node.error());
  for (Statement* const removal :
       {&statements_.delete_confirmations, &statements_.delete_results}) {
    removal->Bind(1, *node);
    if (const auto removed = removal->Run(); !removed) return removed;
  }
  statements_.insert_exclusion.Bind(1, *node);
  statements_.insert_exclusion.Bind(2, exclusion.index);
  statements_.insert_exclusion.BindText(3, exclusion.reason);
  statements_.insert_exclusion.Bind(4, exclusion.revoked);
  return statements_.insert_exclusion.Run();
}

Result<model::ResultRecord> ReadResult(const Statement& row) {
  model::ResultRecord result;
  result.range = {row.Integer(0), row.Integer(1)};
  const std::int64_t kind = row.Integer(6);
  if (result.range.begin < 0 || result.range.Empty() || kind < 0 ||
      kind > static_cast<std::int64_t>(RunKind::kCopy)) {
    return Damaged("results", row.Integer(0));
  }
  result.node = row.Bytes(2);
  result.started = Duration{row.Integer(3)};
  result.ended = Duration{row.Integer(4)};
  result.busy = Duration{row.Integer(5)};
  result.kind = static_cast<RunKind>(kind);
  Result<model::PackedResults> packed = ReadPacked(row, result.range.Size());
  if (!packed) return tl::unexpected(packed.error());
  result.results = std::move(*packed);
  return result;
}

Result<model::FailureRecord> ReadFailure(const Statement& row) {
  model::FailureRecord failure;
  failure.index = row.Integer(0);
  failure.node = row.Bytes(1);
  failure.reason = row.Bytes(2);
  failure.attempt = static_cast<std::int32_t>(row.Integer(3));
  failure.final = row.Integer(4) != 0;
  if (!row.IsNull(5)) failure.exit_code = static_cast<std::int32_t>(row.Integer(5));
  failure.record = row.Bytes(6);
  if (failure.index < 0) return Damaged("failures", failure.index);
  return failure;
}

Result<model::TimelineEvent> ReadEvent(const Statement& row) {
  const std::int64_t kind = row.Integer(0);
  if (kind < 0 || kind > static_cast<std::int64_t>(EventKind::kExcluded))
    return Damaged("events", kind);
  model::TimelineEvent event;
  event.kind = static_cast<EventKind>(kind);
  event.start = Duration{row.Integer(1)};
  event.end = Duration{row.Integer(2)};
  event.sigma = Duration{row.Integer(3)};
  event.node = row.Bytes(4);
  event.from_node = row.Bytes(5);
  event.tasks = row.Integer(6);
  event.detail = row.Bytes(7);
  return event;
}

Result<model::ExclusionRecord> ReadExclusion(const Statement& row) {
  model::ExclusionRecord exclusion;
  exclusion.node = row.Bytes(0);
  exclusion.index = row.Integer(1);
  exclusion.reason = row.Bytes(2);
  exclusion.revoked = row.Integer(3);
  if (exclusion.index < 0 || exclusion.revoked < 0) return Damaged("exclusions", row.Integer(4));
  return exclusion;
}

}  // namespace evenkeel::coordinator
