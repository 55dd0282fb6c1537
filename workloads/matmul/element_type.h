#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::workloads::matmul {

/// The type of a matrix's elements. Whole numbers are computed modulo 2^32 or 2^64, as in NumPy, so
/// their products are bit-identical on all machines.
enum class ElementType : std::uint8_t { kFloat32, kFloat64, kInt32, kInt64 };

[[nodiscard]] constexpr std::int64_t BytesOf(ElementType type) {
  return type == ElementType::kFloat32 || type == ElementType::kInt32 ? 4 : 8;
}

[[nodiscard]] constexpr bool IsWhole(ElementType type) {
  return type == ElementType::kInt32 || type == ElementType::kInt64;
}

/// The name in manifests, workers' parameters and summary.json: "Float32", ...
[[nodiscard]] constexpr const char* NameOf(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return "Float32";
    case ElementType::kInt32:
      return "Int32";
    case ElementType::kInt64:
      return "Int64";
    case ElementType::kFloat64:
      break;
  }
  return "Float64";
}

[[nodiscard]] inline std::vector<std::string> TypeNames() {
  return {"Float32", "Float64", "Int32", "Int64"};
}

/// Nothing if there is no type of this name.
[[nodiscard]] constexpr std::optional<ElementType> ElementTypeNamed(std::string_view name) {
  for (const ElementType type :
       {ElementType::kFloat32, ElementType::kFloat64, ElementType::kInt32, ElementType::kInt64}) {
    if (name == NameOf(type)) return type;
  }
  return std::nullopt;
}

/// Calls `act` with a number of the type that its elements are computed in: float, double, or
/// unsigned for whole numbers, for which overflow is defined and the bits are the same.
template <typename Act>
auto WithNumbersOf(ElementType type, const Act& act) {
  switch (type) {
    case ElementType::kFloat32:
      return act(float{});
    case ElementType::kInt32:
      return act(std::uint32_t{});
    case ElementType::kInt64:
      return act(std::uint64_t{});
    case ElementType::kFloat64:
      break;
  }
  return act(double{});
}

}  // namespace evenkeel::workloads::matmul
