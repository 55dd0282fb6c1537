#pragma once

#include <cstdint>

namespace evenkeel::workloads::matmul {

/// What matrices are made of; the numbers are part of parameters on the wire.
enum class ElementType : std::uint8_t { kFloat32, kFloat64 };

[[nodiscard]] constexpr std::int64_t BytesOf(ElementType type) {
  return type == ElementType::kFloat32 ? 4 : 8;
}

}  // namespace evenkeel::workloads::matmul
