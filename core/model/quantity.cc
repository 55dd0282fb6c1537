#include "core/model/quantity.h"

#include <array>
#include <cmath>
#include <utility>

#include "core/model/decimal.h"

namespace evenkeel::model {
namespace {

/// Suffixes of k8s.io/apimachinery's resource.Quantity; the longer ones first.
constexpr std::array<std::pair<std::string_view, double>, 12> kMultiples{{
    {"Ki", 0x1p10},
    {"Mi", 0x1p20},
    {"Gi", 0x1p30},
    {"Ti", 0x1p40},
    {"Pi", 0x1p50},
    {"Ei", 0x1p60},
    {"k", 1e3},
    {"M", 1e6},
    {"G", 1e9},
    {"T", 1e12},
    {"P", 1e15},
    {"E", 1e18},
}};
/// A divisor instead of a factor, so that 3800m times 1000 is exact.
constexpr std::array<std::pair<std::string_view, double>, 3> kFractions{{
    {"m", 1e3},
    {"u", 1e6},
    {"n", 1e9},
}};

}  // namespace

std::optional<std::int64_t> ParseQuantity(std::string_view text, double scale) {
  double multiple = 1;
  double divisor = 1;
  const auto strip = [&text](const auto& suffixes, double& factor) {
    for (const auto& [suffix, value] : suffixes) {
      if (!text.ends_with(suffix)) continue;
      text.remove_suffix(suffix.size());
      factor = value;
      return true;
    }
    return false;
  };
  if (!strip(kMultiples, multiple)) strip(kFractions, divisor);

  const std::optional<double> number = ParseDecimal(text);
  if (!number || *number < 0) return std::nullopt;
  const double value = std::floor(*number * scale * multiple / divisor + 0.5);
  constexpr double kMax = 9.2e18;
  if (!(value <= kMax)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace evenkeel::model
