#pragma once

#include <string>

namespace evenkeel::workloads {

/// The shortest decimal text that reads back as the same number, for tables and JSON; the number
/// must be finite.
[[nodiscard]] std::string ShortText(double number);

}  // namespace evenkeel::workloads
