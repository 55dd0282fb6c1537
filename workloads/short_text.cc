#include "workloads/short_text.h"

#include <array>
#include <charconv>

namespace evenkeel::workloads {

std::string ShortText(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

}  // namespace evenkeel::workloads
