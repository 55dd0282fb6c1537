#include "labeller/disk_facts.h"

#include <sstream>
#include <string>
#include <vector>

#include "core/model/decimal.h"
#include "labeller/plain_text.h"

namespace evenkeel::labeller {
namespace {

/// Where the root file system is, as proc_pid_mountinfo(5) has it.
struct RootMount {
  std::string device;  ///< MAJOR:MINOR
  std::string source;  ///< "/dev/mmcblk0p2"
};

/// The last line that is mounted on "/": later mounts lie over earlier ones.
std::optional<RootMount> FindRootMount(const std::string& mountinfo) {
  std::optional<RootMount> found;
  for (const std::string& line : Lines(mountinfo)) {
    std::istringstream words(line);
    std::string id;
    std::string parent;
    std::string root;
    std::string place;
    RootMount mount;
    if (!(words >> id >> parent >> mount.device >> root >> place) || place != "/") continue;
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream rest(line.substr(dash + 3));
    std::string type;
    if (rest >> type >> mount.source) found = mount;
  }
  return found;
}

/// The size of a disk; for a partition, that of its disk.
std::optional<double> SizeInGb(const RootedFiles& files, const std::string& device_folder) {
  auto folder = files.Resolve(device_folder);
  if (!folder) return std::nullopt;
  if (files.Read(*folder + "/partition", 64)) folder = files.Resolve(*folder + "/..");
  const auto text = folder ? files.Read(*folder + "/size", 64) : std::nullopt;
  const auto sectors = text ? model::ParseDecimal(Trimmed(*text)) : std::nullopt;
  constexpr double kSectorBytes = 512;  // whatever the disk itself counts in
  constexpr double kMinGb = 0.1;
  constexpr double kMaxGb = 1e7;
  if (!sectors) return std::nullopt;
  const double gb = *sectors * kSectorBytes / 1e9;
  return gb >= kMinGb && gb <= kMaxGb ? std::optional(gb) : std::nullopt;
}

bool IsPlainDevice(const std::string& source) {
  return source.starts_with("/dev/") && source.find('/', 5) == std::string::npos &&
         source.find("..") == std::string::npos;
}

}  // namespace

std::optional<Found> ReadRootDisk(const RootedFiles& files) {
  constexpr std::size_t kMaxMountinfo = std::size_t{1} << 20;
  const std::string mountinfo = files.Read("/proc/1/mountinfo", kMaxMountinfo).value_or("");
  std::vector<std::string> places;
  if (const auto mount = FindRootMount(mountinfo)) {
    places.push_back("/sys/dev/block/" + mount->device);
    // Btrfs has a device number of its own, which leads nowhere.
    if (IsPlainDevice(mount->source)) {
      places.push_back("/sys/class/block/" + mount->source.substr(5));
    }
  } else if (const auto device = files.Device("/etc/os-release")) {
    // Where single files of the host are mounted, one of them tells where they come from.
    places.push_back("/sys/dev/block/" + *device);
  }
  places.emplace_back("/sys/class/block/mmcblk0");
  for (const std::string& place : places) {
    if (const auto gb = SizeInGb(files, place)) return Found{ShortNumber(*gb), "size of " + place};
  }
  return std::nullopt;
}

}  // namespace evenkeel::labeller
