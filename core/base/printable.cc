#include "core/base/printable.h"

#include <algorithm>

namespace evenkeel {

std::string PrintableAscii(std::string_view text, std::size_t max_bytes) {
  std::string shown(text.substr(0, max_bytes));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return shown;
}

std::string Printable(std::string_view text, std::size_t max_bytes) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (shown.size() >= max_bytes && BeginsCharacter(c)) return shown + "...";
    const auto byte = static_cast<unsigned char>(c);
    // U+0080 to U+009F control terminals as well; in UTF-8 they are 0xc2 and one of 0x80 to 0x9f.
    const bool wide_control = byte == 0xc2 && i + 1 < text.size() &&
                              static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
                              static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (wide_control) {
      shown += '?';
      ++i;
    } else if (c == '\n' || c == '\t' || c == '\r') {
      shown += ' ';
    } else {
      shown += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
  }
  return shown;
}

}  // namespace evenkeel
