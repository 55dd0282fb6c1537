#include "workloads/command/arguments.h"

#include <algorithm>
#include <optional>

#include "core/model/decimal.h"
#include "core/model/field_reader.h"
#include "workloads/folder_file.h"

namespace evenkeel::workloads::command {
namespace {

tl::unexpected<Error> FileError(const std::filesystem::path& path, const std::string& what) {
  return InvalidInput(path.string() + ": " + what);
}

/// Returns the error in a line; empty if there is none.
std::string LineError(std::string_view line) {
  if (line.empty()) return "must not be empty";
  if (line.size() > kMaxArgumentBytes) {
    return "must have at most " + std::to_string(kMaxArgumentBytes) + " bytes, has " +
           std::to_string(line.size());
  }
  return line.find('\0') == std::string::npos ? "" : "must not have a zero byte";
}

/// A line without one of its columns.
struct CutLine {
  std::string_view column;
  std::string rest;  ///< the other columns and the tabs between them
};

/// Nothing if the line has too few columns. `column` counts from 1.
std::optional<CutLine> CutColumn(std::string_view line, std::size_t column) {
  std::size_t begin = 0;
  for (std::size_t n = 1; n < column; ++n) {
    const std::size_t tab = line.find('\t', begin);
    if (tab == line.npos) return std::nullopt;
    begin = tab + 1;
  }
  const std::size_t end = std::min(line.find('\t', begin), line.size());
  CutLine cut{line.substr(begin, end - begin), std::string(line.substr(0, begin))};
  if (end < line.size()) {
    cut.rest += line.substr(end + 1);
  } else if (!cut.rest.empty()) {
    cut.rest.pop_back();  // the tab before the last column
  }
  return cut;
}

}  // namespace

Result<Arguments> Arguments::FromFile(const std::filesystem::path& folder,
                                      const std::filesystem::path& name, bool confined,
                                      std::size_t cost_column) {
  const auto path = folder / name;
  const auto text = ReadFolderFile(folder, name, confined, kMaxFileBytes);
  if (!text) return FileError(path, text.error().message);
  Arguments arguments;
  if (const std::string wrong = arguments.AppendLines(*text, cost_column); !wrong.empty()) {
    return FileError(path, wrong);
  }
  if (arguments.Count() == 0) return FileError(path, "must have at least one line");
  return arguments;
}

std::string Arguments::AppendLines(std::string_view text, std::size_t cost_column) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::string wrong = LineError(line);
    if (wrong.empty() && cost_column > 0) wrong = AppendWithCost(line, cost_column);
    if (!wrong.empty()) return "line " + std::to_string(Count() + 1) + ": " + wrong;
    if (cost_column == 0) Append(line);
    if (Count() > kMaxLines) return "must have at most " + std::to_string(kMaxLines) + " lines";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

std::string Arguments::AppendWithCost(std::string_view line, std::size_t column) {
  const auto cut = CutColumn(line, column);
  const std::string place = "column " + std::to_string(column);
  if (!cut) return "must have a cost in " + place + "; columns are separated by tabs";
  const auto cost = model::ParseDecimal(cut->column);
  if (!cost || *cost < kDeclaredCosts.min || *cost > kDeclaredCosts.max) {
    return place + ": must be " + model::Allowed(kDeclaredCosts) + ", is " +
           model::Shown(std::string(cut->column));
  }
  if (cut->rest.empty()) return "must have an argument beside the cost in " + place;
  costs_.push_back(*cost);
  Append(cut->rest);
  return {};
}

void Arguments::Append(std::string_view argument) {
  bytes_ += argument;
  ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
}

std::string_view Arguments::At(std::int64_t index) const {
  const auto n = static_cast<std::size_t>(index);
  const std::size_t begin = n == 0 ? 0 : ends_[n - 1];
  return std::string_view(bytes_).substr(begin, ends_[n] - begin);
}

}  // namespace evenkeel::workloads::command
