#include "launcher/item_lines.h"

#include <charconv>
#include <system_error>

namespace evenkeel::launcher {

std::optional<std::int64_t> ParseItem(std::string_view text) {
  std::int64_t item = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, item);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  if (text.front() == '-' || item > kMaxItem) return std::nullopt;
  return item;
}

std::string ItemLine(std::string_view word, std::int64_t item) {
  return std::string(word) + ' ' + std::to_string(item) + '\n';
}

std::optional<std::int64_t> ItemLineReader::Next(std::string_view& bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    too_long_ = too_long_ || part.size() > kMaxItemLineBytes - line_.size();
    if (!too_long_) line_.append(part);
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
    const auto item = too_long_ ? std::nullopt : ParseLine();
    line_.clear();
    too_long_ = false;
    if (item) return item;
  }
  bytes = {};
  return std::nullopt;
}

std::optional<std::int64_t> ItemLineReader::ParseLine() const {
  std::string_view rest = line_;
  if (!rest.starts_with(word_)) return std::nullopt;
  rest.remove_prefix(word_.size());
  if (!rest.starts_with(' ')) return std::nullopt;
  return ParseItem(rest.substr(1));
}

}  // namespace evenkeel::launcher
