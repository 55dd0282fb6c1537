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
  const auto size = static_cast<std::int64_t>(into.size());
  if (offset % row_bytes == 0 && size % row_bytes == 0) {
    Window rows = place->window;
    rows.row += offset / row_bytes;
    rows.rows = size / row_bytes;
    return matrix.Read(rows, into);
  }
  // The bytes begin or end within a row: read whole rows and copy the requested part.
  const std::int64_t first = offset / row_bytes;
  const std::int64_t end = (offset + size - 1) / row_bytes + 1;
  Window rows = place->window;
  rows.row += first;
  rows.rows = end - first;
  std::string whole(static_cast<std::size_t>(rows.rows * row_bytes), '\0');
  if (auto read = matrix.Read(rows, whole); !read) return read;
  const auto begin = static_cast<std::size_t>(offset - first * row_bytes);
  std::copy_n(whole.data() + begin, into.size(), into.data());
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
