#include "workloads/matmul/product_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "workloads/npy.h"

namespace evenkeel::workloads::matmul {
namespace {

tl::unexpected<Error> Failed(const std::filesystem::path& path, int error_number) {
  return tl::unexpected(platform::WriteError(path, error_number));
}

/// Moves all of `size` bytes with pread or pwrite; false with errno.
template <typename Call, typename Byte>
bool MoveAll(const Call& call, int file, Byte* bytes, std::size_t size, std::int64_t offset) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t now = call(file, bytes + done, size - done,
                             static_cast<off_t>(offset) + static_cast<off_t>(done));
    if (now < 0 && errno == EINTR) continue;
    if (now == 0) errno = EIO;
    if (now <= 0) return false;
    done += static_cast<std::size_t>(now);
  }
  return true;
}

NpyType FileTypeOf(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return NpyType::kFloat32;
    case ElementType::kInt32:
      return NpyType::kInt32;
    case ElementType::kInt64:
      return NpyType::kInt64;
    case ElementType::kFloat64:
      break;
  }
  return NpyType::kFloat64;
}

template <typename Number>
void AddTo(std::vector<char>& sum, const std::vector<char>& next, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += sizeof(Number)) {
    Number left = 0;
    Number right = 0;
    std::memcpy(&left, sum.data() + at, sizeof left);
    std::memcpy(&right, next.data() + at, sizeof right);
    left += right;
    std::memcpy(sum.data() + at, &left, sizeof left);
  }
}

}  // namespace

Result<std::unique_ptr<ProductFile>> ProductFile::Create(const std::filesystem::path& path,
                                                         const Division& division) {
  std::unique_ptr<ProductFile> made(new ProductFile(path, division));
  if (auto opened = made->Open(); !opened) return tl::unexpected(opened.error());
  return made;
}

ProductFile::ProductFile(std::filesystem::path path, const Division& division)
    : path_(std::move(path)), parts_path_(path_.string() + ".parts.partial"), division_(division) {}

ProductFile::~ProductFile() {
  if (parts_.IsOpen()) ::unlink(parts_path_.c_str());
}

Result<void> ProductFile::Open() {
  const ProductShape& shape = division_.Shape();
  auto file = platform::AtomicFile::Create(path_);
  if (!file) return tl::unexpected(file.error());
  file_.emplace(std::move(*file));
  const std::string header = NpyHeader(FileTypeOf(shape.type), {shape.rows, shape.columns});
  data_offset_ = static_cast<std::int64_t>(header.size());
  if (!MoveAll(::pwrite, file_->Descriptor().Get(), header.data(), header.size(), 0)) {
    return Failed(path_, errno);
  }
  const std::int64_t bytes = data_offset_ + shape.rows * shape.columns * BytesOf(shape.type);
  const int error = ::posix_fallocate(file_->Descriptor().Get(), 0, static_cast<off_t>(bytes));
  // Some file systems cannot preallocate; then the file grows as tiles are written.
  if (error != 0 && error != EOPNOTSUPP && error != EINVAL) return Failed(path_, error);
  if (division_.Parts() == 1) return {};
  parts_.Reset(::open(parts_path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!parts_.IsOpen()) return Failed(parts_path_, errno);
  return {};
}

std::int64_t ProductFile::PlaceOfPart(std::int64_t tile_row, std::int64_t tile_column,
                                      std::int64_t part) const {
  const TileSizes& sizes = division_.Sizes();
  const std::int64_t tile = tile_row * division_.TileColumns() + tile_column;
  return (tile * division_.Parts() + part) * sizes.rows * sizes.columns *
         BytesOf(division_.Shape().type);
}

Result<void> ProductFile::Put(const Tile& tile, std::span<const char> elements) {
  if (!parts_.IsOpen()) return WriteWindow(tile.c, elements);
  const std::int64_t place = PlaceOfPart(tile.tile_row, tile.tile_column, tile.part);
  if (MoveAll(::pwrite, parts_.Get(), elements.data(), elements.size(), place)) return {};
  return Failed(parts_path_, errno);
}

Result<void> ProductFile::WriteWindow(const Window& window, std::span<const char> elements) {
  const std::int64_t columns = division_.Shape().columns;
  const std::int64_t element = BytesOf(division_.Shape().type);
  const std::int64_t writes = window.columns == columns ? 1 : window.rows;
  const std::size_t size = elements.size() / static_cast<std::size_t>(writes);
  for (std::int64_t n = 0; n < writes; ++n) {
    const std::int64_t first = (window.row + n) * columns + window.column;
    if (!MoveAll(::pwrite, file_->Descriptor().Get(),
                 elements.data() + static_cast<std::size_t>(n) * size, size,
                 data_offset_ + first * element)) {
      return Failed(path_, errno);
    }
  }
  return {};
}

Result<void> ProductFile::AddPartsOf(std::int64_t tile_row, std::int64_t tile_column,
                                     std::vector<char>& sum, std::vector<char>& next) {
  const Window window = division_.WindowOf(tile_row, tile_column);
  const ElementType type = division_.Shape().type;
  const auto bytes = static_cast<std::size_t>(window.Elements() * BytesOf(type));
  for (std::int64_t part = 0; part < division_.Parts(); ++part) {
    std::vector<char>& into = part == 0 ? sum : next;
    if (!MoveAll(::pread, parts_.Get(), into.data(), bytes,
                 PlaceOfPart(tile_row, tile_column, part))) {
      return Failed(parts_path_, errno);
    }
    if (part == 0) continue;
    WithNumbersOf(type, [&]<typename Number>(Number) { AddTo<Number>(sum, next, bytes); });
  }
  return WriteWindow(window, {sum.data(), bytes});
}

Result<void> ProductFile::AddParts() {
  if (!parts_.IsOpen()) return {};
  const TileSizes& sizes = division_.Sizes();
  const auto most =
      static_cast<std::size_t>(sizes.rows * sizes.columns * BytesOf(division_.Shape().type));
  std::vector<char> sum(most);
  std::vector<char> next(most);
  for (std::int64_t row = 0; row < division_.TileRows(); ++row) {
    for (std::int64_t column = 0; column < division_.TileColumns(); ++column) {
      if (auto added = AddPartsOf(row, column, sum, next); !added) return added;
    }
  }
  return {};
}

Result<void> ProductFile::ReadRows(std::int64_t row, std::span<char> into) const {
  const ProductShape& shape = division_.Shape();
  const std::int64_t offset = data_offset_ + row * shape.columns * BytesOf(shape.type);
  if (MoveAll(::pread, file_->Descriptor().Get(), into.data(), into.size(), offset)) return {};
  return Fail(ErrorCode::kUnavailable,
              path_.string() + ": cannot be read: " + std::generic_category().message(errno));
}

Result<void> ProductFile::Commit() { return file_->Commit(); }

}  // namespace evenkeel::workloads::matmul
