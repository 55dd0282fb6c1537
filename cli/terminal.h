#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace evenkeel::cli {

struct TerminalSize {
  int columns = 80;
  int rows = 24;
};

/// Size of the terminal behind standard output; 80 x 24 if there is none.
[[nodiscard]] TerminalSize SizeOfTerminal();
/// Whether standard output is a terminal on which lines can be drawn over.
[[nodiscard]] bool UnderstandsControlSequences();

/// Lines on a terminal that are drawn over and over in one place. Used by one thread.
class LiveLines {
 public:
  /// `out` must outlive it and be such a terminal.
  explicit LiveLines(std::ostream& out) : out_(out) {}

  /// Draws `lines` where those of the last call stand; `above` comes once over them and stays. No
  /// line may be longer than the terminal is wide, nor may there be as many as it is high.
  void Draw(const std::vector<std::string>& lines, const std::vector<std::string>& above = {});

 private:
  std::ostream& out_;
  std::size_t drawn_ = 0;
};

}  // namespace evenkeel::cli
