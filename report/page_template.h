#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// How the pages are put together.
namespace evenkeel::report {

/// For text between tags and in quoted attributes.
[[nodiscard]] std::string EscapeHtml(std::string_view text);

/// JSON has '<' in strings only; written so, it can neither end a script nor open a comment in it.
[[nodiscard]] std::string EscapeForScript(std::string_view json);

/// Puts the parts where the page has {{NAME}}. What is put in is not looked at again.
[[nodiscard]] std::string FillIn(
    std::string_view page, const std::vector<std::pair<std::string_view, std::string_view>>& parts);

}  // namespace evenkeel::report
