#include "launcher/placeholder.h"

namespace evenkeel::launcher {

bool HasPlaceholder(std::string_view word, std::string_view placeholder) {
  return word.find(placeholder) != word.npos;
}

std::string ReplacePlaceholder(std::string_view word, std::string_view placeholder,
                               std::string_view text) {
  std::string replaced;
  std::size_t begin = 0;
  for (auto at = word.find(placeholder); at != word.npos; at = word.find(placeholder, begin)) {
    replaced.append(word.substr(begin, at - begin)).append(text);
    begin = at + placeholder.size();
  }
  return replaced.append(word.substr(begin));
}

}  // namespace evenkeel::launcher
