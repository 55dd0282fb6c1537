#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace evenkeel::cli {

/// One line on why a command line of subcommands was refused: what was wrong, what is allowed.
[[nodiscard]] std::string WhyRefused(const CLI::App& app, const CLI::ParseError& error);

}  // namespace evenkeel::cli
