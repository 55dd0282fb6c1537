#include "workloads/command/command_reducer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/log.h"
#include "platform/files.h"
#include "workloads/command/learned_costs.h"
#include "workloads/command/task_record.h"
#include "workloads/received_tasks.h"

namespace evenkeel::workloads::command {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

tl::unexpected<Error> SystemFailure(const std::filesystem::path& folder) {
  const int error = errno;
  const bool full = error == ENOSPC || error == EDQUOT;
  return Fail(full ? ErrorCode::kStorageFull : ErrorCode::kUnavailable,
              folder.string() +
                  ": results cannot be sorted there: " + std::generic_category().message(error));
}

}  // namespace

RowSpool::~RowSpool() {
  if (file_ >= 0) ::close(file_);
}

Result<void> RowSpool::Open(const std::filesystem::path& folder) {
  folder_ = folder;
  std::string name = (folder / ".results.jsonl.XXXXXX").native();
  file_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) return SystemFailure(folder_);
  ::unlink(name.c_str());
  return {};
}

Result<void> RowSpool::Append(model::IndexRange range, std::string_view rows) {
  const std::uint64_t offset = written_ + unwritten_.size();
  if (!pieces_.empty() && pieces_.back().range.end == range.begin) {
    pieces_.back().range.end = range.end;  // its rows are contiguous with those before
    pieces_.back().bytes += rows.size();
  } else {
    pieces_.push_back({range, offset, rows.size()});
  }
  unwritten_ += rows;
  return unwritten_.size() < kBufferBytes ? Result<void>() : Flush();
}

Result<void> RowSpool::CopyTo(platform::AtomicFile& file) {
  if (auto flushed = Flush(); !flushed) return flushed;
  std::sort(pieces_.begin(), pieces_.end(), [](const Piece& one, const Piece& other) {
    return one.range.begin < other.range.begin;
  });
  for (const Piece& piece : pieces_) {
    if (auto copied = CopyPiece(piece, file); !copied) return copied;
  }
  return {};
}

Result<void> RowSpool::Flush() {
  EVENKEEL_CHECK(file_ >= 0, "rows for a spool that is not open");
  std::string_view rest = unwritten_;
  while (!rest.empty()) {
    const ssize_t count = ::write(file_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemFailure(folder_);
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  written_ += unwritten_.size();
  unwritten_.clear();
  return {};
}

Result<void> RowSpool::CopyPiece(const Piece& piece, platform::AtomicFile& file) const {
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(piece.bytes, kBufferBytes)),
                    '\0');
  for (std::uint64_t done = 0; done < piece.bytes;) {
    const auto wanted = std::min<std::uint64_t>(bytes.size(), piece.bytes - done);
    const ssize_t count = ::pread(file_, bytes.data(), static_cast<std::size_t>(wanted),
                                  static_cast<off_t>(piece.offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return SystemFailure(folder_);
    auto added = file.Append({bytes.data(), static_cast<std::size_t>(count)});
    if (!added) return added;
    done += static_cast<std::uint64_t>(count);
  }
  return {};
}

namespace {

class CommandReducer final : public Reducer {
 public:
  explicit CommandReducer(const CommandSpec& spec) : spec_(spec), received_(spec.tasks) {}

  Result<void> Begin(const std::filesystem::path& folder) override { return spool_.Open(folder); }

  Result<void> Add(model::IndexRange range, const model::PackedResults& results) override {
    rows_.clear();
    if (spec_.ranges) return AddRuns(range, results);
    auto added = received_.TakeEach(
        range, results, [&](model::TaskIndex task, std::string_view bytes) -> Result<void> {
          auto record = ReadRecord(bytes);
          if (!record) return Fail(ErrorCode::kInternal, "its result is not a record of a command");
          ++succeeded_;
          if (Learns()) times_.Add(task, record->node, SecondsOf(record->ended));
          AppendRowOf(task, std::move(record), std::nullopt);
          return {};
        });
    if (!added) return added;
    return spool_.Append(range, rows_);
  }

  /// Results of runs that did ranges. Where the first task of a run is missing, because others were
  /// faster with it, the rest has no record.
  Result<void> AddRuns(model::IndexRange range, const model::PackedResults& results) {
    received_.Take(range, results);
    succeeded_ += range.Size();
    for (model::TaskIndex first = range.begin; first < range.end;) {
      const std::string_view bytes = results.At(first - range.begin);
      auto record = ReadRecord(bytes);
      if (!record && !bytes.empty()) {
        return Fail(ErrorCode::kInternal,
                    "task " + std::to_string(first) + ": its result is not a record of a command");
      }
      const model::TaskIndex most = record ? std::min(range.end, first + record->tasks) : range.end;
      model::TaskIndex next = first + 1;
      while (next < most && results.At(next - range.begin).empty()) ++next;
      AppendRowOf(first, std::move(record), std::nullopt, next - 1);
      first = next;
    }
    return spool_.Append(range, rows_);
  }

  Result<void> AddFailed(model::TaskIndex index, const TaskFailure& failure) override {
    rows_.clear();
    ++failed_;
    AppendRowOf(index, ReadRecord(failure.record), failure.reason,
                spec_.ranges ? std::optional(index) : std::nullopt);
    return spool_.Append({index, index + 1}, rows_);
  }

  Result<std::string> Finish(const std::filesystem::path& folder) override {
    auto file = platform::AtomicFile::Create(folder / kResultsFile);
    if (!file) return tl::unexpected(file.error());
    auto written = spool_.CopyTo(*file).and_then([&] { return file->Commit(); });
    if (!written) return tl::unexpected(written.error());
    if (Learns()) Learn();
    return Summary();
  }

 private:
  [[nodiscard]] bool Learns() const { return !spec_.learned_file.empty(); }

  /// Keeps the costs of this run's tasks for later runs. Costs are hints: if they cannot be kept,
  /// the results are no worse.
  void Learn() const {
    const double unit = spec_.costs->Known() ? model::kUnitsPerDeclaredCost : 1;
    std::vector<std::pair<std::string, double>> named;
    for (const auto& [task, cost] : times_.Costs(*spec_.costs)) {
      named.emplace_back(LearnedNameOf(spec_, task), cost / unit);
    }
    if (const auto kept = LearnedCosts::AddTo(spec_.learned_file, named); !kept) {
      Log(LogLevel::kWarning, "the costs of the tasks are not kept: " + kept.error().message);
    }
  }

  void AppendRowOf(model::TaskIndex index, std::optional<TaskRecord> record,
                   std::optional<std::string> failure,
                   std::optional<model::TaskIndex> last = std::nullopt) {
    ResultRow row{index, std::nullopt, std::move(record), std::move(failure), last};
    if (row.record) ++exit_codes_[ExitCodeOf(row.record->ended)];
    if (spec_.has_arguments) row.argument = std::string(spec_.arguments.At(index));
    AppendRow(row, rows_);
  }

  [[nodiscard]] std::string Summary() const {
    std::string codes;
    for (const auto& [code, tasks] : exit_codes_) {
      codes +=
          (codes.empty() ? "\"" : ",\"") + std::to_string(code) + "\":" + std::to_string(tasks);
    }
    return "{\"succeeded\":" + std::to_string(succeeded_) +
           ",\"failed\":" + std::to_string(failed_) + ",\"exitCodes\":{" + codes + "}}";
  }

  const CommandSpec& spec_;
  ReceivedTasks received_;
  ObservedTimes times_;
  RowSpool spool_;
  std::string rows_;  // of what is being added; kept for its memory
  std::int64_t succeeded_ = 0;
  std::int64_t failed_ = 0;
  std::map<std::int32_t, std::int64_t> exit_codes_;
};

}  // namespace

std::unique_ptr<Reducer> MakeCommandReducer(const CommandSpec& spec) {
  return std::make_unique<CommandReducer>(spec);
}

}  // namespace evenkeel::workloads::command
