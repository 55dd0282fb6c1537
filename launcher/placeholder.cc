#include "launcher/placeholder.h"

#include <algorithm>

namespace evenkeel::launcher {

bool IsPlaceholder(std::string_view word) {
  return word.size() >= 2 && word.front() == '{' && word.back() == '}' &&
         std::all_of(word.begin() + 1, word.end() - 1, [](char c) { return c >= 'a' && c <= 'z'; });
}

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
