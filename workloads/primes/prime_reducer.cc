#include "workloads/primes/prime_reducer.h"

#include <algorithm>
#include <optional>
#include <string>

#include "workloads/npy.h"
#include "workloads/primes/task_result.h"
#include "workloads/received_tasks.h"

namespace evenkeel::workloads::primes {
namespace {

class PrimeReducer final : public Reducer {
 public:
  explicit PrimeReducer(const PrimesSpec& spec)
      : tasks_(spec.end, spec.candidates_per_task),
        received_(tasks_.TaskCount()),
        read_(spec.method == Method::kSieve ? &ReadSieved : &ReadBitmap) {
    if (spec.list) listed_.emplace(static_cast<std::size_t>(tasks_.CandidateCount()), false);
    if (spec.end >= 2) {
      count_ = 1;
      largest_ = 2;
    }
  }

  Result<void> Add(model::IndexRange range, const model::PackedResults& results) override {
    return received_.TakeEach(range, results,
                              [this](model::TaskIndex task, std::string_view bytes) {
                                return read_(tasks_.Of(task), bytes, listed_ ? &*listed_ : nullptr)
                                    .map([this](const Found& found) {
                                      if (found.count == 0) return;
                                      count_ += found.count;
                                      largest_ = std::max(largest_, NumberOf(found.largest));
                                    });
                              });
  }

  Result<std::string> Finish(const std::filesystem::path& folder) override {
    if (listed_) {
      if (auto written = WriteList(folder / "primes.npy"); !written) {
        return tl::unexpected(written.error());
      }
    }
    return "{\"count\":" + std::to_string(count_) + ",\"largest\":" + std::to_string(largest_) +
           "}";
  }

 private:
  [[nodiscard]] Result<void> WriteList(const std::filesystem::path& path) const {
    auto created = NpyWriter::Create(path, NpyType::kInt64, {count_});
    if (!created) return tl::unexpected(created.error());
    NpyWriter& file = **created;
    if (tasks_.End() >= 2) {
      if (auto appended = file.Append(2); !appended) return appended;
    }
    for (CandidateIndex i = 0; i < tasks_.CandidateCount(); ++i) {
      if (!(*listed_)[static_cast<std::size_t>(i)]) continue;
      if (auto appended = file.Append(NumberOf(i)); !appended) return appended;
    }
    return file.Commit();
  }

  CandidateTasks tasks_;
  ReceivedTasks received_;
  decltype(&ReadBitmap) read_;
  std::optional<CandidateFlags> listed_;
  std::int64_t count_ = 0;
  std::uint64_t largest_ = 0;
};

}  // namespace

std::unique_ptr<Reducer> MakePrimeReducer(const PrimesSpec& spec) {
  return std::make_unique<PrimeReducer>(spec);
}

}  // namespace evenkeel::workloads::primes
