#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkeel {

/// Bytes in memory that do not change any more, in one or more parts, and what owns them. Copies
/// share the bytes. Threads may use different copies at the same time.
class SharedBytes {
 public:
  SharedBytes() = default;
  /// Takes the bytes of a string, as one part.
  explicit SharedBytes(std::string bytes) {
    auto owner = std::make_shared<const std::string>(std::move(bytes));
    parts_.emplace_back(*owner);
    owner_ = std::move(owner);
  }
  /// The parts must be valid as long as `owner` is held.
  SharedBytes(std::shared_ptr<const void> owner, std::vector<std::string_view> parts)
      : owner_(std::move(owner)), parts_(std::move(parts)) {}

  /// Valid as long as this or the owner is held.
  [[nodiscard]] std::span<const std::string_view> Parts() const { return parts_; }
  [[nodiscard]] const std::shared_ptr<const void>& Owner() const { return owner_; }

  /// Bytes of all parts.
  [[nodiscard]] std::size_t Size() const {
    std::size_t size = 0;
    for (const std::string_view part : parts_) size += part.size();
    return size;
  }
  /// A copy of the bytes.
  [[nodiscard]] std::string ToString() const {
    std::string bytes;
    bytes.reserve(Size());
    for (const std::string_view part : parts_) bytes.append(part);
    return bytes;
  }

 private:
  std::shared_ptr<const void> owner_;
  std::vector<std::string_view> parts_;
};

}  // namespace evenkeel
