#include "report/page_template.h"

namespace evenkeel::report {

std::string EscapeHtml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string EscapeForScript(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string FillIn(std::string_view page,
                   const std::vector<std::pair<std::string_view, std::string_view>>& parts) {
  std::string out;
  while (true) {
    const std::size_t open = page.find("{{");
    out += page.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t close = page.find("}}", open);
    const std::string_view name = page.substr(open + 2, close - open - 2);
    for (const auto& [part, text] : parts) {
      if (part == name) out += text;
    }
    page.remove_prefix(close + 2);
  }
}

}  // namespace evenkeel::report
