#include "tests/fuzz/scratch_folder.h"

#include <cstdlib>
#include <fstream>

#include "core/base/check.h"

namespace evenkeel::fuzz {

ScratchFolder::ScratchFolder() {
  std::string name = std::filesystem::temp_directory_path() / "evenkeel-fuzz-XXXXXX";
  EVENKEEL_CHECK(::mkdtemp(name.data()) != nullptr, "no temporary folder");
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path ScratchFolder::Write(const std::string& name, std::string_view bytes) const {
  std::filesystem::path file = path_ / name;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EVENKEEL_CHECK(out.flush().good(), "a temporary file cannot be written");
  return file;
}

void ScratchFolder::Clear() const {
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    std::filesystem::remove_all(entry.path());
  }
}

}  // namespace evenkeel::fuzz
