#include "workloads/command/arguments.h"

#include <algorithm>

#include "workloads/folder_file.h"

namespace evenkeel::workloads::command {
namespace {

tl::unexpected<Error> Wrong(const std::filesystem::path& path, const std::string& what) {
  return InvalidInput(path.string() + ": " + what);
}

/// What is wrong with a line; empty if nothing is.
std::string WrongWithLine(std::string_view line) {
  if (line.empty()) return "must not be empty";
  if (line.size() > kMaxArgumentBytes) {
    return "must have at most " + std::to_string(kMaxArgumentBytes) + " bytes, has " +
           std::to_string(line.size());
  }
  return line.find('\0') == std::string::npos ? "" : "must not have a zero byte";
}

}  // namespace

Result<Arguments> Arguments::FromFile(const std::filesystem::path& folder,
                                      const std::filesystem::path& name, bool confined) {
  const auto path = folder / name;
  const auto text = ReadFolderFile(folder, name, confined, kMaxFileBytes);
  if (!text) return Wrong(path, text.error().message);
  Arguments arguments;
  if (const std::string wrong = arguments.AppendLines(*text); !wrong.empty()) {
    return Wrong(path, wrong);
  }
  if (arguments.Count() == 0) return Wrong(path, "must have at least one line");
  return arguments;
}

std::string Arguments::AppendLines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (const std::string wrong = WrongWithLine(line); !wrong.empty()) {
      return "line " + std::to_string(Count() + 1) + ": " + wrong;
    }
    Append(line);
    if (Count() > kMaxLines) return "must have at most " + std::to_string(kMaxLines) + " lines";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
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
