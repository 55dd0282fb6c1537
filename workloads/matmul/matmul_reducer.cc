#include "workloads/matmul/matmul_reducer.h"

#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/random_bytes.h"
#include "workloads/matmul/freivalds.h"
#include "workloads/matmul/product_file.h"
#include "workloads/received_tasks.h"

namespace evenkeel::workloads::matmul {
namespace {

constexpr std::int64_t kBytesAtOnce = 4 << 20;

class MatmulReducer final : public Reducer {
 public:
  MatmulReducer(const MatmulSpec& spec, const Division& division, DrawWords draw_words)
      : spec_(spec),
        division_(division),
        draw_words_(std::move(draw_words)),
        received_(division.TaskCount()) {}

  Result<void> Begin(const std::filesystem::path& folder) override {
    auto file = ProductFile::Create(folder / "c.npy", division_);
    if (!file) return tl::unexpected(file.error());
    file_ = std::move(*file);
    if (!spec_.verify) return {};
    std::vector<std::uint64_t> words(static_cast<std::size_t>(spec_.shape.columns));
    if (auto drawn = draw_words_(words); !drawn) return drawn;
    // It reads both factors, which need not wait for the product to be put together.
    check_ = std::async(std::launch::async, [this, words = std::move(words)]() mutable {
      return FreivaldsCheck::Make(*spec_.a, *spec_.b, std::move(words));
    });
    return {};
  }

  Result<void> Add(model::IndexRange range, const model::PackedResults& results) override {
    return received_.TakeEach(
        range, results, [this](model::TaskIndex task, std::string_view bytes) {
          const Tile tile = division_.TileOf(task);
          const std::int64_t wanted = tile.c.Elements() * BytesOf(spec_.shape.type);
          if (static_cast<std::int64_t>(bytes.size()) != wanted) {
            return Result<void>(
                Fail(ErrorCode::kInternal, "its result has " + std::to_string(bytes.size()) +
                                               " bytes instead of " + std::to_string(wanted)));
          }
          return file_->Put(tile, bytes);
        });
  }

  Result<std::string> Finish(const std::filesystem::path& /*folder*/) override {
    const std::int64_t missing = division_.TaskCount() - received_.Tasks().Size();
    if (missing > 0) {  // spec.taskPolicy let the job go on without them
      return Fail(ErrorCode::kInternal,
                  "the product is not whole: " + std::to_string(missing) + " tasks failed");
    }
    std::uint32_t checksum = 0;
    const Result<void> finished =
        file_->AddParts().and_then([&] { return LookAtAll(checksum); }).and_then([&] {
          return file_->Commit();
        });
    if (!finished) return tl::unexpected<Error>(finished.error());
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(checksum));
    const TileSizes& sizes = division_.Sizes();
    return nlohmann::json{
        {"rows", spec_.shape.rows},
        {"columns", spec_.shape.columns},
        {"depth", spec_.shape.depth},
        {"type", NameOf(spec_.shape.type)},
        {"tile", {{"rows", sizes.rows}, {"columns", sizes.columns}, {"depth", sizes.depth}}},
        {"checksum", digits},
        {"freivalds", spec_.verify ? "passed" : "skipped"}}
        .dump();
  }

 private:
  /// The CRC-32 of all elements, and Freivalds' check.
  Result<void> LookAtAll(std::uint32_t& checksum) {
    std::optional<FreivaldsCheck> check;
    if (spec_.verify) {
      auto made = check_.get();
      if (!made) return tl::unexpected<Error>(made.error());
      check = std::move(*made);
    }
    const std::int64_t row_bytes = spec_.shape.columns * BytesOf(spec_.shape.type);
    const std::int64_t most =
        std::clamp<std::int64_t>(kBytesAtOnce / row_bytes, 1, spec_.shape.rows);
    std::vector<char> rows(static_cast<std::size_t>(most * row_bytes));
    uLong crc = ::crc32(0, nullptr, 0);
    for (std::int64_t row = 0; row < spec_.shape.rows; row += most) {
      const std::int64_t count = std::min(most, spec_.shape.rows - row);
      const std::span<char> part(rows.data(), static_cast<std::size_t>(count * row_bytes));
      if (auto read = file_->ReadRows(row, part); !read) return read;
      crc = ::crc32_z(crc, static_cast<const Bytef*>(static_cast<const void*>(part.data())),
                      part.size());
      if (check && !check->RowsPass(row, part)) {
        return Fail(ErrorCode::kInternal, "the product is wrong: rows " + std::to_string(row) +
                                              " to " + std::to_string(row + count - 1) +
                                              " fail Freivalds' check");
      }
    }
    checksum = static_cast<std::uint32_t>(crc);
    return {};
  }

  const MatmulSpec& spec_;
  const Division& division_;
  const DrawWords draw_words_;
  ReceivedTasks received_;
  std::unique_ptr<ProductFile> file_;
  std::future<Result<FreivaldsCheck>> check_;
};

}  // namespace

Result<void> DrawFromKernel(std::span<std::uint64_t> words) {
  return FillWithRandomBytes(
      {static_cast<char*>(static_cast<void*>(words.data())), words.size_bytes()});
}

std::unique_ptr<Reducer> MakeMatmulReducer(const MatmulSpec& spec, const Division& division,
                                           DrawWords draw_words) {
  return std::make_unique<MatmulReducer>(spec, division, std::move(draw_words));
}

}  // namespace evenkeel::workloads::matmul
