#include "core/model/packed_results.h"

#include "core/base/check.h"

namespace evenkeel::model {

PackedResults PackedResults::OfEqualSize(std::int64_t count, std::uint32_t size_bytes,
                                         std::string bytes) {
  EVENKEEL_CHECK(count >= 0 && bytes.size() == static_cast<std::uint64_t>(count) * size_bytes,
                 "packed results whose bytes do not fit their count");
  PackedResults packed;
  packed.count_ = count;
  packed.equal_size_ = size_bytes;
  packed.bytes_ = std::move(bytes);
  return packed;
}

PackedResults PackedResults::OfSizes(const std::vector<std::uint32_t>& sizes_bytes,
                                     std::string bytes) {
  PackedResults packed;
  std::uint64_t at = 0;
  for (const std::uint32_t size : sizes_bytes) {
    if (packed.count_ == 0) packed.equal_size_ = size;
    if (packed.AllSizesEqual() && size != packed.equal_size_) packed.KeepOffsets();
    at += size;
    ++packed.count_;
    if (!packed.AllSizesEqual()) packed.offsets_.push_back(at);
  }
  EVENKEEL_CHECK(at == bytes.size(), "packed results whose bytes do not fit their sizes");
  packed.bytes_ = std::move(bytes);
  return packed;
}

void PackedResults::Append(std::string_view result) {
  const auto size = static_cast<std::uint32_t>(result.size());
  if (count_ == 0) equal_size_ = size;
  if (AllSizesEqual() && size != equal_size_) KeepOffsets();
  bytes_.append(result);
  ++count_;
  if (!AllSizesEqual()) offsets_.push_back(bytes_.size());
}

void PackedResults::AppendTaking(std::string& result) {
  if (count_ > 0) return Append(result);
  equal_size_ = static_cast<std::uint32_t>(result.size());
  bytes_ = std::move(result);
  count_ = 1;
}

void PackedResults::Append(const PackedResults& other) {
  if (other.count_ == 0) return;
  const bool stays_equal =
      AllSizesEqual() && other.AllSizesEqual() && (count_ == 0 || equal_size_ == other.equal_size_);
  if (!stays_equal) {
    for (std::int64_t n = 0; n < other.count_; ++n) Append(other.At(n));
    return;
  }
  equal_size_ = other.equal_size_;
  count_ += other.count_;
  bytes_ += other.bytes_;
}

std::string_view PackedResults::At(std::int64_t n) const {
  return std::string_view(bytes_).substr(Offset(n), Offset(n + 1) - Offset(n));
}

PackedResults PackedResults::Slice(std::int64_t begin, std::int64_t end) const {
  EVENKEEL_CHECK(0 <= begin && begin <= end && end <= count_, "a slice outside of the results");
  PackedResults part;
  part.count_ = end - begin;
  part.equal_size_ = equal_size_;
  part.bytes_ = bytes_.substr(Offset(begin), Offset(end) - Offset(begin));
  if (!AllSizesEqual()) {
    for (std::int64_t n = begin; n <= end; ++n) part.offsets_.push_back(Offset(n) - Offset(begin));
  }
  return part;
}

std::vector<std::uint32_t> PackedResults::Sizes() const {
  std::vector<std::uint32_t> sizes;
  sizes.reserve(static_cast<std::size_t>(count_));
  for (std::int64_t n = 0; n < count_; ++n) {
    sizes.push_back(static_cast<std::uint32_t>(Offset(n + 1) - Offset(n)));
  }
  return sizes;
}

bool operator==(const PackedResults& a, const PackedResults& b) {
  return a.bytes_ == b.bytes_ && a.Sizes() == b.Sizes();
}

std::size_t PackedResults::Offset(std::int64_t n) const {
  if (AllSizesEqual()) return static_cast<std::size_t>(n) * equal_size_;
  return static_cast<std::size_t>(offsets_[static_cast<std::size_t>(n)]);
}

void PackedResults::KeepOffsets() {
  offsets_.reserve(static_cast<std::size_t>(count_) + 2);
  for (std::int64_t n = 0; n <= count_; ++n) {
    offsets_.push_back(static_cast<std::uint64_t>(n) * equal_size_);
  }
}

}  // namespace evenkeel::model
