#include "workloads/command/command_reducer.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "workloads/command/result_row.h"
#include "workloads/command/row_spool.h"
#include "workloads/command/task_record.h"
#include "workloads/received_tasks.h"
#include "workloads/result_file.h"

namespace evenkeel::workloads::command {
namespace {

class CommandReducer final : public Reducer {
 public:
  explicit CommandReducer(const CommandSpec& spec) : spec_(spec), received_(spec.tasks) {}

  Result<void> Begin(const std::filesystem::path& folder) override { return spool_.Open(folder); }

  Result<void> Add(model::IndexRange range, const model::PackedResults& results) override {
    rows_.clear();
    auto added = received_.TakeEach(
        range, results, [&](model::TaskIndex task, std::string_view bytes) -> Result<void> {
          auto record = ReadRecord(bytes);
          if (!record) return Fail(ErrorCode::kInternal, "its result is no record of a command");
          ++succeeded_;
          AppendRowOf(task, std::move(record), std::nullopt);
          return {};
        });
    if (!added) return added;
    return spool_.Append(range, rows_);
  }

  Result<void> AddFailed(model::TaskIndex index, const TaskFailure& failure) override {
    rows_.clear();
    ++failed_;
    AppendRowOf(index, ReadRecord(failure.record), failure.reason);
    return spool_.Append({index, index + 1}, rows_);
  }

  Result<std::string> Finish(const std::filesystem::path& folder) override {
    auto file = ResultFile::Create(folder / "results.jsonl");
    if (!file) return tl::unexpected(file.error());
    auto written = spool_.CopyTo(**file).and_then([&] { return (*file)->Commit(); });
    if (!written) return tl::unexpected(written.error());
    return Summary();
  }

 private:
  void AppendRowOf(model::TaskIndex index, std::optional<TaskRecord> record,
                   std::optional<std::string> failure) {
    ResultRow row{index, std::nullopt, std::move(record), std::move(failure)};
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
