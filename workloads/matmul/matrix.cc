#include "workloads/matmul/matrix.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/splitmix.h"
#include "workloads/folder_file.h"

static_assert(std::endian::native == std::endian::little, "files and wire are little-endian");

namespace evenkeel::workloads::matmul {
namespace {

constexpr std::string_view kAllowedFile =
    "must be a .npy file of a matrix of float32, float64, int32 or int64";
constexpr std::size_t kMaxHeaderBytes = 64 * 1024;

std::string SystemMessage(int error) { return std::generic_category().message(error); }

/// Reads `into.size()` bytes at `offset`. kUnavailable if the system reports an error or the file
/// is too short.
Result<void> ReadAt(int file, std::int64_t offset, std::span<char> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t now = ::pread(file, into.data() + done, into.size() - done,
                                static_cast<off_t>(offset) + static_cast<off_t>(done));
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return Fail(ErrorCode::kUnavailable, "cannot be read: " + SystemMessage(errno));
    if (now == 0) return Fail(ErrorCode::kUnavailable, "has become shorter");
    done += static_cast<std::size_t>(now);
  }
  return {};
}

struct Header {
  std::string dictionary;
  std::int64_t data_offset = 0;
};

/// NumPy, "NEP 1: A simple file format for NumPy arrays".
Result<Header> ReadHeader(int file) {
  constexpr std::string_view kMagic("\x93NUMPY", 6);
  std::array<char, 12> start{};
  if (!ReadAt(file, 0, start)) return InvalidInput(std::string(kAllowedFile) + ", is too short");
  if (std::string_view(start.data(), kMagic.size()) != kMagic) {
    return InvalidInput(std::string(kAllowedFile) + ", is something else");
  }
  const auto byte = [&start](std::size_t n) {
    return static_cast<std::size_t>(static_cast<unsigned char>(start[n]));
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) {
    return InvalidInput(std::string(kAllowedFile) + ", has format version " +
                        std::to_string(version));
  }
  const std::size_t fixed = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > kMaxHeaderBytes)
    return InvalidInput(std::string(kAllowedFile) + ", has a huge header");
  Header header{std::string(length, ' '), static_cast<std::int64_t>(fixed + length)};
  if (!ReadAt(file, static_cast<std::int64_t>(fixed), header.dictionary)) {
    return InvalidInput(std::string(kAllowedFile) + ", ends within its header");
  }
  return header;
}

/// The text after 'KEY': in the dictionary, without leading blanks; empty if there is no such key.
std::string_view ValueOf(std::string_view dictionary, std::string_view key) {
  const std::string quoted = "'" + std::string(key) + "'";
  const std::size_t at = dictionary.find(quoted);
  if (at == std::string_view::npos) return {};
  std::string_view rest = dictionary.substr(at + quoted.size());
  const std::size_t start = rest.find_first_not_of(": ");
  return start == std::string_view::npos ? std::string_view{} : rest.substr(start);
}

Result<ElementType> DescribedType(std::string_view dictionary) {
  const std::string_view value = ValueOf(dictionary, "descr");
  if (value.starts_with("'<f4'")) return ElementType::kFloat32;
  if (value.starts_with("'<f8'")) return ElementType::kFloat64;
  if (value.starts_with("'<i4'")) return ElementType::kInt32;
  if (value.starts_with("'<i8'")) return ElementType::kInt64;
  const std::string shown(value.substr(0, value.find_first_of(",}")));
  return InvalidInput(std::string(kAllowedFile) +
                      " ('<f4', '<f8', '<i4' or '<i8'), its elements are " + shown);
}

Result<std::array<std::int64_t, 2>> ShapeOf(std::string_view dictionary) {
  const std::string_view value = ValueOf(dictionary, "shape");
  const std::string_view tuple = value.substr(0, value.find(')') + 1);
  std::vector<std::int64_t> extents;
  const char* at = tuple.data();
  const char* const end = tuple.data() + tuple.size();
  while (at < end) {
    std::int64_t extent = 0;
    const auto [stop, error] = std::from_chars(at, end, extent);
    if (error == std::errc()) extents.push_back(extent);
    at = error == std::errc() ? stop : at + 1;
  }
  if (extents.size() != 2) {
    return InvalidInput("must have two dimensions, its shape is " + std::string(tuple));
  }
  if (extents[0] < 1 || extents[1] < 1) {
    return InvalidInput("must not be empty, its shape is " + std::string(tuple));
  }
  return std::array{extents[0], extents[1]};
}

/// A memory-mapped file. A block consists of many short parts of rows, for which one system call
/// each would take longer than copying.
class MappedFile {
 public:
  MappedFile(int file, std::int64_t bytes) : bytes_(bytes) {
    if (static_cast<std::uint64_t>(bytes) > std::numeric_limits<std::size_t>::max()) return;
    void* const found =
        ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_SHARED, file, 0);
    if (found != MAP_FAILED) start_ = static_cast<const char*>(found);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (start_ != nullptr) ::munmap(const_cast<char*>(start_), static_cast<std::size_t>(bytes_));
  }
  /// Null if the file could not be mapped, e.g. a large file with 32-bit addresses.
  [[nodiscard]] const char* Start() const { return start_; }

 private:
  const char* start_ = nullptr;
  std::int64_t bytes_;
};

}  // namespace

Result<MatrixView> Matrix::View(const Window& /*window*/) const {
  return Fail(ErrorCode::kUnavailable, "the matrix is not in memory");
}

namespace {

class NpyMatrix final : public Matrix {
 public:
  NpyMatrix(platform::FileDescriptor file, std::string name, ElementType type,
            std::array<std::int64_t, 2> shape, std::int64_t data_offset)
      : file_(std::move(file)),
        mapped_(file_.Get(), data_offset + shape[0] * shape[1] * BytesOf(type)),
        name_(std::move(name)),
        type_(type),
        shape_(shape),
        data_offset_(data_offset) {}

  [[nodiscard]] std::int64_t Rows() const override { return shape_[0]; }
  [[nodiscard]] std::int64_t Columns() const override { return shape_[1]; }
  [[nodiscard]] ElementType Type() const override { return type_; }

  [[nodiscard]] std::string Version() const override {
    struct stat found {};
    if (::fstat(file_.Get(), &found) != 0) return "unknown";
    return std::to_string(found.st_size) + " bytes of " + std::to_string(found.st_mtim.tv_sec) +
           "." + std::to_string(found.st_mtim.tv_nsec);
  }

  [[nodiscard]] Result<void> Read(const Window& window, std::span<char> into) const override {
    // Whole rows are contiguous in the file.
    const bool whole = window.columns == Columns();
    if (!whole && mapped_.Start() != nullptr) return CopyMapped(window, into);
    const std::int64_t element = BytesOf(type_);
    const std::int64_t reads = whole ? 1 : window.rows;
    const auto size = static_cast<std::size_t>(into.size() / static_cast<std::size_t>(reads));
    for (std::int64_t n = 0; n < reads; ++n) {
      const std::int64_t first = (window.row + n) * Columns() + window.column;
      const auto part = into.subspan(static_cast<std::size_t>(n) * size, size);
      if (auto read = ReadAt(file_.Get(), data_offset_ + first * element, part); !read) {
        return Fail(read.error().code, name_ + " " + read.error().message);
      }
    }
    return {};
  }

  // The format aligns elements to 16 bytes at least, but not all programs that write it do.
  [[nodiscard]] bool IsMapped() const override {
    return mapped_.Start() != nullptr && data_offset_ % BytesOf(type_) == 0;
  }

  [[nodiscard]] Result<MatrixView> View(const Window& window) const override {
    struct stat found {};
    const std::int64_t element = BytesOf(type_);
    const std::int64_t end = data_offset_ + Rows() * Columns() * element;
    if (::fstat(file_.Get(), &found) != 0 || found.st_size < end) {
      return Fail(ErrorCode::kUnavailable, name_ + " has become shorter");
    }
    const std::int64_t first = window.row * Columns() + window.column;
    return MatrixView{mapped_.Start() + data_offset_ + first * element, Columns()};
  }

 private:
  Result<void> CopyMapped(const Window& window, std::span<char> into) const {
    const auto view = View(window);
    if (!view) return tl::unexpected(view.error());
    const std::int64_t element = BytesOf(type_);
    const auto size = static_cast<std::size_t>(window.columns * element);
    for (std::int64_t n = 0; n < window.rows; ++n) {
      std::memcpy(into.data() + static_cast<std::size_t>(n) * size,
                  view->first + n * view->row_stride * element, size);
    }
    return {};
  }

  platform::FileDescriptor file_;
  MappedFile mapped_;
  std::string name_;
  ElementType type_;
  std::array<std::int64_t, 2> shape_;
  std::int64_t data_offset_;
};

Result<void> CheckOrder(std::string_view dictionary) {
  const std::string_view order = ValueOf(dictionary, "fortran_order");
  if (order.starts_with("False")) return {};
  if (!order.starts_with("True"))
    return InvalidInput(std::string(kAllowedFile) + ", says no order");
  return InvalidInput("must be in C order (see numpy.ascontiguousarray), is in Fortran order");
}

Result<void> CheckLength(int file, std::int64_t data_offset, ElementType type,
                         std::array<std::int64_t, 2> shape) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return InvalidInput("cannot be read: " + SystemMessage(errno));
  const std::int64_t data = found.st_size - data_offset;
  const std::int64_t elements = data / BytesOf(type);
  if (data % BytesOf(type) == 0 && elements % shape[0] == 0 && elements / shape[0] == shape[1]) {
    return {};
  }
  return InvalidInput("must be as long as its shape (" + std::to_string(shape[0]) + ", " +
                      std::to_string(shape[1]) + ") says, has " + std::to_string(data) +
                      " bytes of elements");
}

}  // namespace

Result<std::unique_ptr<Matrix>> OpenNpyMatrix(const std::filesystem::path& folder,
                                              const std::filesystem::path& name, bool confined) {
  auto file = OpenFolderFile(folder, name, confined);
  if (!file) return tl::unexpected(file.error());
  const auto header = ReadHeader(file->Get());
  if (!header) return tl::unexpected(header.error());
  const auto type = DescribedType(header->dictionary);
  if (!type) return tl::unexpected(type.error());
  if (const auto order = CheckOrder(header->dictionary); !order) {
    return tl::unexpected(order.error());
  }
  const auto shape = ShapeOf(header->dictionary);
  if (!shape) return tl::unexpected(shape.error());
  if (const auto length = CheckLength(file->Get(), header->data_offset, *type, *shape); !length) {
    return tl::unexpected(length.error());
  }
  return std::make_unique<NpyMatrix>(std::move(*file), name.filename().string(), *type, *shape,
                                     header->data_offset);
}

namespace {

// Converts the upper bits of a hash to a fraction in [-1, 1) or to a whole number; exact, so the
// same on all machines.
template <typename Number>
Number RandomElement(std::uint64_t hash);

template <>
float RandomElement<float>(std::uint64_t hash) {
  constexpr float kScale = 1.0F / (1 << 23);
  return static_cast<float>(static_cast<std::int32_t>(hash >> 40) - (1 << 23)) * kScale;
}

template <>
double RandomElement<double>(std::uint64_t hash) {
  constexpr double kScale = 1.0 / static_cast<double>(std::int64_t{1} << 52);
  return static_cast<double>(static_cast<std::int64_t>(hash >> 11) - (std::int64_t{1} << 52)) *
         kScale;
}

template <>
std::uint32_t RandomElement<std::uint32_t>(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 53) - (1U << 10);
}

template <>
std::uint64_t RandomElement<std::uint64_t>(std::uint64_t hash) {
  return (hash >> 43) - (std::uint64_t{1} << 20);
}

class RandomMatrix final : public Matrix {
 public:
  RandomMatrix(std::int64_t rows, std::int64_t columns, ElementType type, std::uint64_t seed)
      : rows_(rows), columns_(columns), type_(type), seed_(seed) {}

  [[nodiscard]] std::int64_t Rows() const override { return rows_; }
  [[nodiscard]] std::int64_t Columns() const override { return columns_; }
  [[nodiscard]] ElementType Type() const override { return type_; }

  [[nodiscard]] Result<void> Read(const Window& window, std::span<char> into) const override {
    WithNumbersOf(type_, [&]<typename Number>(Number) { Draw<Number>(window, into); });
    return {};
  }

 private:
  template <typename Number>
  void Draw(const Window& window, std::span<char> into) const {
    char* out = into.data();
    for (std::int64_t row = 0; row < window.rows; ++row) {
      auto index = static_cast<std::uint64_t>((window.row + row) * columns_ + window.column);
      for (std::int64_t column = 0; column < window.columns; ++column) {
        const Number number = RandomElement<Number>(SplitMixAt(seed_, index++));
        std::memcpy(out, &number, sizeof number);
        out += sizeof number;
      }
    }
  }

  std::int64_t rows_;
  std::int64_t columns_;
  ElementType type_;
  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<Matrix> MakeRandomMatrix(std::int64_t rows, std::int64_t columns, ElementType type,
                                         std::uint64_t seed) {
  return std::make_unique<RandomMatrix>(rows, columns, type, seed);
}

}  // namespace evenkeel::workloads::matmul
