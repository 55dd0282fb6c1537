#include "workloads/synthetic/synthetic_reducer.h"

#include <cinttypes>
#include <cstdio>
#include <string>

#include "workloads/little_endian.h"
#include "workloads/npy.h"
#include "workloads/received_tasks.h"
#include "workloads/synthetic/synthetic_runner.h"

namespace evenkeel::workloads::synthetic {
namespace {

class SyntheticReducer final : public Reducer {
 public:
  SyntheticReducer(std::int64_t task_count, std::uint64_t seed)
      : task_count_(task_count), seed_(seed), received_(task_count) {}

  Result<void> Add(model::IndexRange range, const model::PackedResults& results) override {
    return received_.TakeEach(
        range, results, [this](model::TaskIndex task, std::string_view bytes) -> Result<void> {
          const std::uint64_t hash = TaskHash(seed_, task);
          if (bytes.size() != kResultBytes ||
              ReadLittleEndian(bytes, 0) != static_cast<std::uint64_t>(task) ||
              ReadLittleEndian(bytes, 8) != hash) {
            return Fail(ErrorCode::kInternal, "its result is not the one it must have");
          }
          checksum_ ^= hash;
          return {};
        });
  }

  Result<std::string> Finish(const std::filesystem::path& folder) override {
    if (task_count_ <= kMaxTasksInTables) {
      if (auto written = WriteRows(folder / "results.npy"); !written) {
        return tl::unexpected(written.error());
      }
    }
    char checksum[17];
    std::snprintf(checksum, sizeof checksum, "%016" PRIx64, checksum_);
    return "{\"tasks\":" + std::to_string(received_.Tasks().Size()) + ",\"checksum\":\"" +
           checksum + "\"}";
  }

 private:
  /// Results were verified on arrival, so the rows are recomputed instead of stored.
  [[nodiscard]] Result<void> WriteRows(const std::filesystem::path& path) const {
    auto created = NpyWriter::Create(path, NpyType::kUint64, {received_.Tasks().Size(), 2});
    if (!created) return tl::unexpected(created.error());
    NpyWriter& file = **created;
    for (const model::IndexRange range : received_.Tasks().Ranges()) {
      for (model::TaskIndex task = range.begin; task < range.end; ++task) {
        if (auto added = file.Append(static_cast<std::uint64_t>(task)); !added) return added;
        if (auto added = file.Append(TaskHash(seed_, task)); !added) return added;
      }
    }
    return file.Commit();
  }

  std::int64_t task_count_;
  std::uint64_t seed_;
  ReceivedTasks received_;
  std::uint64_t checksum_ = 0;
};

}  // namespace

std::unique_ptr<Reducer> MakeSyntheticReducer(std::int64_t task_count, std::uint64_t seed) {
  return std::make_unique<SyntheticReducer>(task_count, seed);
}

}  // namespace evenkeel::workloads::synthetic
