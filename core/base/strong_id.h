#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace evenkeel {

/// An integer that cannot be mistaken for another kind of integer.
template <typename Tag, typename Rep>
struct StrongId {
  Rep value{};
  friend constexpr auto operator<=>(const StrongId&, const StrongId&) = default;
};

}  // namespace evenkeel

template <typename Tag, typename Rep>
struct std::hash<evenkeel::StrongId<Tag, Rep>> {
  std::size_t operator()(const evenkeel::StrongId<Tag, Rep>& id) const noexcept {
    return std::hash<Rep>{}(id.value);
  }
};
