#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::model {

/// A Kubernetes quantity ("4", "3800m", "1884Ki", "2Gi", "1e9"), times `scale`, rounded to the
/// nearest whole number: scale 1 gives bytes, 1000 gives millicores. Nothing if the text is not a
/// quantity, is negative, or does not fit.
[[nodiscard]] std::optional<std::int64_t> ParseQuantity(std::string_view text, double scale);

/// Follows "must be " in messages.
inline const std::string kAllowedQuantity = "a quantity such as 4, 3800m, 1884Ki or 2Gi";

}  // namespace evenkeel::model
