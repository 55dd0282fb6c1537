#include "cli/usage_error.h"

#include <vector>

#include "cli/human_text.h"

namespace evenkeel::cli {
namespace {

std::string Commands(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

}  // namespace

std::string WhyRefused(const CLI::App& app, const CLI::ParseError& error) {
  if (!app.get_subcommands().empty()) return Printable(error.what());
  const std::vector<std::string> left = app.remaining();
  const std::string allowed = ", must be one of " + Commands(app);
  if (left.empty()) return "the command is missing" + allowed;
  return "\"" + Printable(left.front(), 64) + "\" is no command" + allowed;
}

}  // namespace evenkeel::cli
