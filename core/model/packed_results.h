#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkeel::model {

/// The results of consecutive tasks in index order: concatenated bytes and the size of each result.
/// While all sizes are equal, no list of sizes is kept and a task costs only its bytes. Can be
/// sliced at any task boundary. Not thread-safe.
class PackedResults {
 public:
  PackedResults() = default;

  /// `count` results of `size_bytes` each; bytes.size() must be count * size_bytes.
  [[nodiscard]] static PackedResults OfEqualSize(std::int64_t count, std::uint32_t size_bytes,
                                                 std::string bytes);
  /// One result per entry of `sizes_bytes`; bytes.size() must be their sum.
  [[nodiscard]] static PackedResults OfSizes(const std::vector<std::uint32_t>& sizes_bytes,
                                             std::string bytes);

  void Append(std::string_view result);
  /// The same, but takes over the memory of `result` if it is the first one.
  void AppendTaking(std::string& result);
  /// Appends all results of `other`.
  void Append(const PackedResults& other);

  [[nodiscard]] std::int64_t Count() const { return count_; }
  /// The n-th result, from 0; valid until this object changes.
  [[nodiscard]] std::string_view At(std::int64_t n) const;
  /// A copy of results [begin, end).
  [[nodiscard]] PackedResults Slice(std::int64_t begin, std::int64_t end) const;

  [[nodiscard]] bool AllSizesEqual() const { return offsets_.empty(); }
  /// Size of each result, in bytes; meaningful while AllSizesEqual().
  [[nodiscard]] std::uint32_t EqualSize() const { return equal_size_; }
  /// Size of each result, in bytes, one entry per task.
  [[nodiscard]] std::vector<std::uint32_t> Sizes() const;
  [[nodiscard]] const std::string& Bytes() const { return bytes_; }
  /// The bytes, without a copy. Do not use this object afterwards.
  [[nodiscard]] std::string TakeBytes() && { return std::move(bytes_); }

  friend bool operator==(const PackedResults&, const PackedResults&);

 private:
  [[nodiscard]] std::size_t Offset(std::int64_t n) const;
  void KeepOffsets();

  std::int64_t count_ = 0;
  std::uint32_t equal_size_ = 0;
  std::vector<std::uint64_t> offsets_;  // empty while all sizes are equal, else count_ + 1 entries
  std::string bytes_;
};

}  // namespace evenkeel::model
