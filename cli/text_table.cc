#include "cli/text_table.h"

#include <algorithm>
#include <utility>

#include "cli/human_text.h"
#include "core/base/check.h"

namespace evenkeel::cli {

TextTable::TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

void TextTable::AddRow(std::vector<std::string> cells) {
  EVENKEEL_CHECK(cells.size() == rows_.front().size(), "a row has a cell for each column");
  rows_.push_back(std::move(cells));
}

void TextTable::Write(std::ostream& out) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], Columns(row[c]));
  }
  for (const auto& row : rows_) {
    out << row[0] << std::string(widths[0] - Columns(row[0]), ' ');
    for (std::size_t c = 1; c < row.size(); ++c) {
      out << "  " << std::string(widths[c] - Columns(row[c]), ' ') << row[c];
    }
    out << '\n';
  }
}

}  // namespace evenkeel::cli
