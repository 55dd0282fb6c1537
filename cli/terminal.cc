#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ostream>

namespace evenkeel::cli {

TerminalSize SizeOfTerminal() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {};
  return {size.ws_col, size.ws_row};
}

bool UnderstandsControlSequences() {
  const char* const terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

void LiveLines::Draw(const std::vector<std::string>& lines, const std::vector<std::string>& above) {
  std::string screen;
  if (drawn_ > 0) screen += "\033[" + std::to_string(drawn_) + "A";
  for (const auto& line : above) screen += "\r\033[2K" + line + "\n";
  for (const auto& line : lines) screen += "\r\033[2K" + line + "\n";
  screen += "\033[J";
  drawn_ = lines.size();
  out_ << screen << std::flush;
}

}  // namespace evenkeel::cli
