#pragma once

#include <string>

namespace evenkeel::launcher {

/// Copies this program to `folder`/evenkeel-launcher, executable for all, and makes evenkeel-range
/// beside it, a symbolic link to it; makes the folder if there is none. Replaces each existing file
/// in one step. Returns what went wrong, empty if nothing did.
[[nodiscard]] std::string Install(const std::string& folder);

/// Makes a folder that others may enter, but neither list nor change, if it is missing. To be
/// called before another user could make it. Returns what went wrong, empty if nothing did.
[[nodiscard]] std::string MakeTaskFolder(const std::string& folder);

}  // namespace evenkeel::launcher
