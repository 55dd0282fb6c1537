#include "workloads/matmul/matrix_blocks.h"

#include <algorithm>
#include <string>
#include <utility>

namespace evenkeel::workloads::matmul {

MatrixBlocks::MatrixBlocks(const Division& division, std::shared_ptr<const Matrix> a,
                           std::shared_ptr<const Matrix> b)
    : division_(division), a_(std::move(a)), b_(std::move(b)) {}

const Matrix* MatrixBlocks::MatrixOf(Factor factor) const {
  return factor == Factor::kA ? a_.get() : b_.get();
}

std::int64_t MatrixBlocks::SizeOf(BlockId id) const {
  return Has(id) ? division_.BytesOfBlock(id) : 0;
}

bool MatrixBlocks::Has(BlockId id) const {
  const auto place = division_.PlaceOf(id);
  return place && MatrixOf(place->factor) != nullptr;
}

bool MatrixBlocks::IsMapped(Factor factor) const {
  const Matrix* const matrix = MatrixOf(factor);
  return matrix != nullptr && matrix->IsMapped();
}

Result<MatrixView> MatrixBlocks::View(BlockId id) const {
  const auto place = division_.PlaceOf(id);
  return MatrixOf(place->factor)->View(place->window);
}

Result<void> MatrixBlocks::Read(BlockId id, std::int64_t offset, std::span<char> into) const {
  const auto place = division_.PlaceOf(id);
  const Matrix& matrix = *MatrixOf(place->factor);
  const std::int64_t row_bytes = place->window.columns * BytesOf(matrix.Type());
  std::string row;
  while (!into.empty()) {
    const std::int64_t skipped = offset % row_bytes;
    const auto left = static_cast<std::int64_t>(into.size());
    Window rows = place->window;
    rows.row += offset / row_bytes;
    std::int64_t size = 0;
    if (skipped == 0 && left >= row_bytes) {
      rows.rows = left / row_bytes;
      size = rows.rows * row_bytes;
      auto read = matrix.Read(rows, into.first(static_cast<std::size_t>(size)));
      if (!read) return read;
    } else {  // the bytes begin or end within a row: read all of it and copy the requested part
      rows.rows = 1;
      size = std::min(left, row_bytes - skipped);
      row.resize(static_cast<std::size_t>(row_bytes));
      if (auto read = matrix.Read(rows, row); !read) return read;
      std::copy_n(row.data() + skipped, size, into.data());
    }
    into = into.subspan(static_cast<std::size_t>(size));
    offset += size;
  }
  return {};
}

void LocalFirstFetcher::Fetch(BlockId id, std::span<char> into, Done done) {
  if (here_.Has(id)) {
    done(here_.Read(id, 0, into));
  } else if (remote_ != nullptr) {
    remote_->Fetch(id, into, std::move(done));
  } else {
    done(Fail(ErrorCode::kUnavailable, "there is no source for the matrices' blocks"));
  }
}

}  // namespace evenkeel::workloads::matmul
