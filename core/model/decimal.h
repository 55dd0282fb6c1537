#pragma once

#include <optional>
#include <string_view>

namespace evenkeel::model {

/// Parses a finite decimal number that is the whole text ("0.40", "1500", "1e3"). Does not depend
/// on the locale.
[[nodiscard]] std::optional<double> ParseDecimal(std::string_view text);

/// Parses an ISO 8601 calendar date ("2020-08-24") of the years 1970 to 9999. Returns the days
/// since 1970-01-01, or nothing if the text is not an existing date.
[[nodiscard]] std::optional<double> ParseIsoDate(std::string_view text);

}  // namespace evenkeel::model
