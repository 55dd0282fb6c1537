#pragma once

#include <optional>
#include <string_view>

namespace evenkeel::model {

/// A finite decimal number with nothing around it ("0.40", "1500", "1e3"); nothing otherwise. Does
/// not depend on the locale.
[[nodiscard]] std::optional<double> ParseDecimal(std::string_view text);

/// Days from 1970-01-01 to a calendar date written as in ISO 8601 ("2020-08-24"); nothing if it is
/// not written so or there is no such day. Years 1970 to 9999.
[[nodiscard]] std::optional<double> ParseIsoDate(std::string_view text);

}  // namespace evenkeel::model
