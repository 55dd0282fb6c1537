#include "core/model/scalar.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace evenkeel::model {
namespace {

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text == word) return true;
  }
  return false;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::size_t SkipDigits(std::string_view text, std::size_t at) {
  while (at < text.size() && IsDigit(text[at])) ++at;
  return at;
}

std::size_t SkipSign(std::string_view text, std::size_t at) {
  return at < text.size() && (text[at] == '+' || text[at] == '-') ? at + 1 : at;
}

bool IsDecimalInteger(std::string_view text) {
  const std::size_t begin = SkipSign(text, 0);
  return begin < text.size() && SkipDigits(text, begin) == text.size();
}

/// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool IsFloat(std::string_view text) {
  const std::size_t begin = SkipSign(text, 0);
  std::size_t at = SkipDigits(text, begin);
  const bool digits_before = at > begin;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = at + 1;
    at = SkipDigits(text, fraction);
    if (!digits_before && at == fraction) return false;
  } else if (!digits_before) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const std::size_t exponent = SkipSign(text, at + 1);
    at = SkipDigits(text, exponent);
    if (at == exponent) return false;
  }
  return at == text.size();
}

/// The number whose digits in `base` start at `begin`; nothing if there is another character or the
/// number does not fit.
template <typename Integer>
std::optional<Integer> DigitsOf(std::string_view text, std::size_t begin, int base) {
  Integer value = 0;
  const char* first = text.data() + begin;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, value, base);
  if (error != std::errc() || end != last || first == last) return std::nullopt;
  return value;
}

std::optional<nlohmann::json> PrefixedInteger(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : text.starts_with("0o") ? 8 : 0;
  if (base == 0) return std::nullopt;
  const auto value = DigitsOf<std::uint64_t>(text, 2, base);
  if (!value) return std::nullopt;
  return nlohmann::json(*value);
}

}  // namespace

Result<nlohmann::json> TypePlainScalar(const std::string& text) {
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) return nlohmann::json(nullptr);
  if (IsOneOf(text, {"true", "True", "TRUE"})) return nlohmann::json(true);
  if (IsOneOf(text, {"false", "False", "FALSE"})) return nlohmann::json(false);

  const std::string_view unsigned_text = std::string_view(text).substr(SkipSign(text, 0));
  if (IsOneOf(unsigned_text, {".inf", ".Inf", ".INF"}) || IsOneOf(text, {".nan", ".NaN", ".NAN"})) {
    return InvalidInput("must be a finite number, is " + text);
  }
  if (auto integer = PrefixedInteger(text)) return *integer;

  const std::string_view without_plus = text[0] == '+' ? unsigned_text : std::string_view(text);
  if (IsDecimalInteger(text)) {
    if (const auto value = DigitsOf<std::int64_t>(without_plus, 0, 10)) return *value;
    if (const auto value = DigitsOf<std::uint64_t>(without_plus, 0, 10)) return *value;
  }
  if (!IsFloat(text)) return nlohmann::json(text);
  double value = 0;
  const auto parsed =
      std::from_chars(without_plus.data(), without_plus.data() + without_plus.size(), value);
  if (parsed.ec != std::errc()) {
    return InvalidInput("must be a number from -1.7e308 to 1.7e308, not closer to 0 than 2e-308");
  }
  return nlohmann::json(value);
}

}  // namespace evenkeel::model
