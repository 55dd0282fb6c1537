#include "coordinator/disk_room.h"

#include <string>
#include <system_error>

namespace evenkeel::coordinator {
namespace {

std::uintmax_t BytesIn(const std::filesystem::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::uintmax_t size = entry.file_size(error);
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace

Result<void> CheckDiskRoom(const std::string& name, const workloads::Workload& workload,
                           const std::filesystem::path& folder) {
  const auto needed = static_cast<std::uintmax_t>(workload.BytesOnDisk());
  if (needed == 0) return {};
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  if (error) return {};  // the journal will say what is wrong with it
  const std::uintmax_t room = space.available + BytesIn(folder);
  if (needed <= room) return {};
  return InvalidInput("spec.workload." + name + ": needs " + std::to_string(needed >> 20) +
                      " MiB on the disk, " + folder.string() + " has room for " +
                      std::to_string(room >> 20) + " MiB");
}

}  // namespace evenkeel::coordinator
