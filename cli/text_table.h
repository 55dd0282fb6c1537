#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace evenkeel::cli {

/// Rows of text in aligned columns: the first to the left, the others to the right.
/// Thread-compatible.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header);

  /// One cell a column of the header.
  void AddRow(std::vector<std::string> cells);
  /// Writes the header and all rows, two blanks between columns, each line ended.
  void Write(std::ostream& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the header first
};

}  // namespace evenkeel::cli
