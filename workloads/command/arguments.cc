#include "workloads/command/arguments.h"

#include <fstream>
#include <system_error>

namespace evenkeel::workloads::command {
namespace {

tl::unexpected<Error> Wrong(const std::filesystem::path& path, const std::string& what) {
  return InvalidInput(path.string() + ": " + what);
}

/// What is wrong with a line; empty if nothing is.
std::string WrongWithLine(const std::string& line) {
  if (line.empty()) return "must not be empty";
  if (line.size() > kMaxArgumentBytes) {
    return "must have at most " + std::to_string(kMaxArgumentBytes) + " bytes, has " +
           std::to_string(line.size());
  }
  return line.find('\0') == std::string::npos ? "" : "must not have a zero byte";
}

}  // namespace

Result<Arguments> Arguments::FromFile(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    const bool there = std::filesystem::exists(path, error);
    return Wrong(path, there ? "is no ordinary file" : "there is no such file");
  }
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > kMaxFileBytes) {
    return Wrong(path, "must have at most " + std::to_string(kMaxFileBytes) + " bytes, has " +
                           std::to_string(size));
  }
  std::ifstream file(path, std::ios::binary);
  Arguments arguments;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    const std::string number = "line " + std::to_string(arguments.Count() + 1);
    if (const std::string wrong = WrongWithLine(line); !wrong.empty()) {
      return Wrong(path, number + ": " + wrong);
    }
    arguments.Append(line);
    if (arguments.Count() > kMaxLines) {
      return Wrong(path, "must have at most " + std::to_string(kMaxLines) + " lines");
    }
  }
  if (!file.eof()) return Wrong(path, "cannot be read");
  if (arguments.Count() == 0) return Wrong(path, "must have at least one line");
  return arguments;
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
