#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Assembles pages from parts.
namespace evenkeel::report {

/// Escapes text between tags and in quoted attributes.
[[nodiscard]] std::string EscapeHtml(std::string_view text);

/// Escapes '<' in JSON, which has it in strings only, so that it cannot end a script or open a
/// comment.
[[nodiscard]] std::string EscapeForScript(std::string_view json);

/// Replaces each {{NAME}} of the page by the part of this name. Parts are not expanded again.
[[nodiscard]] std::string FillIn(
    std::string_view page, const std::vector<std::pair<std::string_view, std::string_view>>& parts);

}  // namespace evenkeel::report
