#include "coordinator/bounded_file.h"

#include <fstream>
#include <system_error>

namespace evenkeel::coordinator {

Result<std::string> ReadBoundedFile(const std::filesystem::path& file, std::int64_t max_bytes) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    return InvalidInput(file.string() + ": there is no such file");
  }
  std::ifstream in(file, std::ios::binary);
  std::string text(static_cast<std::size_t>(max_bytes) + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad() || text.empty()) {
    return InvalidInput(file.string() + ": is empty, or cannot be read");
  }
  if (text.size() > static_cast<std::size_t>(max_bytes)) {
    return InvalidInput(file.string() + ": is larger than " + std::to_string(max_bytes) + " bytes");
  }
  return text;
}

}  // namespace evenkeel::coordinator
