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
              static_cast<int>(EventKind::kLost) == 4 && static_cast<int>(EventKind::kJoined) == 5);
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

RowWriter::RowWriter(Statement node, Statement find_node, Statement result, Statement failure,
                     Statement event)
    : insert_node_(std::move(node)),
      find_node_(std::move(find_node)),
      insert_result_(std::move(result)),
      insert_failure_(std::move(failure)),
      insert_event_(std::move(event)) {}

Result<RowWriter> RowWriter::Make(const Database& database) {
  auto node = database.Prepare("INSERT OR IGNORE INTO nodes(name) VALUES(?)");
  if (!node) return tl::unexpected(node.error());
  auto find = database.Prepare("SELECT id FROM nodes WHERE name = ?");
  if (!find) return tl::unexpected(find.error());
  auto result = database.Prepare("INSERT INTO results VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!result) return tl::unexpected(result.error());
  auto failure = database.Prepare("INSERT INTO failures VALUES(NULL, ?, ?, ?, ?, ?, ?, ?)");
  if (!failure) return tl::unexpected(failure.error());
  auto event = database.Prepare("INSERT INTO events VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!event) return tl::unexpected(event.error());
  return RowWriter(std::move(*node), std::move(*find), std::move(*result), std::move(*failure),
                   std::move(*event));
}

Result<std::int64_t> RowWriter::NodeId(const std::string& name) {
  if (const auto known = node_ids_.find(name); known != node_ids_.end()) return known->second;
  insert_node_.BindText(1, name);
  if (const auto inserted = insert_node_.Run(); !inserted) return tl::unexpected(inserted.error());
  find_node_.BindText(1, name);
  const Result<bool> found = find_node_.Step();
  const std::int64_t id = found && *found ? find_node_.Integer(0) : 0;
  find_node_.Reset();
  if (!found) return tl::unexpected(found.error());
  node_ids_.emplace(name, id);
  return id;
}

Result<void> RowWriter::Write(const model::ResultRecord& result) {
  const Result<std::int64_t> node = NodeId(result.node);
  if (!node) return tl::unexpected(node.error());
  const model::PackedResults& packed = result.results;
  insert_result_.Bind(1, result.range.begin);
  insert_result_.Bind(2, result.range.end);
  insert_result_.Bind(3, *node);
  insert_result_.Bind(4, result.started.count());
  insert_result_.Bind(5, result.ended.count());
  insert_result_.Bind(6, result.busy.count());
  insert_result_.Bind(7, static_cast<std::int64_t>(result.kind));
  if (packed.AllSizesEqual()) {
    insert_result_.Bind(8, packed.EqualSize());
    insert_result_.BindNull(9);
  } else {
    PackSizes(packed.Sizes(), sizes_);
    insert_result_.Bind(8, 0);
    insert_result_.BindBlob(9, sizes_);
  }
  insert_result_.BindBlob(10, packed.Bytes());
  return insert_result_.Run();
}

Result<void> RowWriter::Write(const model::FailureRecord& failure) {
  const Result<std::int64_t> node = NodeId(failure.node);
  if (!node) return tl::unexpected(node.error());
  insert_failure_.Bind(1, failure.index);
  insert_failure_.Bind(2, *node);
  insert_failure_.BindText(3, failure.reason);
  insert_failure_.Bind(4, failure.attempt);
  insert_failure_.Bind(5, failure.final ? 1 : 0);
  if (failure.exit_code) {
    insert_failure_.Bind(6, *failure.exit_code);
  } else {
    insert_failure_.BindNull(6);
  }
  insert_failure_.BindBlob(7, failure.record);
  return insert_failure_.Run();
}

Result<void> RowWriter::Write(const model::TimelineEvent& event) {
  const Result<std::int64_t> node = NodeId(event.node);
  if (!node) return tl::unexpected(node.error());
  const Result<std::int64_t> from_node = NodeId(event.from_node);
  if (!from_node) return tl::unexpected(from_node.error());
  insert_event_.Bind(1, static_cast<std::int64_t>(event.kind));
  insert_event_.Bind(2, event.start.count());
  insert_event_.Bind(3, event.end.count());
  insert_event_.Bind(4, event.sigma.count());
  insert_event_.Bind(5, *node);
  insert_event_.Bind(6, *from_node);
  insert_event_.Bind(7, event.tasks);
  insert_event_.BindText(8, event.detail);
  return insert_event_.Run();
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
  if (kind < 0 || kind > static_cast<std::int64_t>(EventKind::kJoined))
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

}  // namespace evenkeel::coordinator
