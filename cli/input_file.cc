#include "cli/input_file.h"

#include <cstddef>
#include <fstream>
#include <system_error>
#include <vector>

namespace evenkeel::cli {
namespace {

constexpr std::size_t kMaxBytes = 256u << 20;
constexpr std::size_t kPieceBytes = 1u << 16;

}  // namespace

Result<std::string> ReadInputFile(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return InvalidInput(path.string() + ": is a folder, must be a file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return InvalidInput(path.string() + ": there is no such file, or it cannot be read");
  std::string text;
  std::vector<char> piece(kPieceBytes);
  do {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxBytes) return InvalidInput(path.string() + ": is larger than 256 MiB");
  } while (file);
  if (file.bad()) return InvalidInput(path.string() + ": cannot be read");
  return text;
}

}  // namespace evenkeel::cli
