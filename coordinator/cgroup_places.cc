#include "coordinator/cgroup_places.h"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace evenkeel::coordinator {
namespace {

using std::filesystem::path;

struct Mount {
  std::string root;  // group that is seen at `point`
  std::string point;
};

bool Lists(const std::string& comma_separated, std::string_view wanted) {
  std::istringstream items(comma_separated);
  for (std::string item; std::getline(items, item, ',');) {
    if (item == wanted) return true;
  }
  return false;
}

/// The mount of version 2, or of the controller cpu of version 1. See proc(5): "id parent dev root
/// point options [more...] - type source super-options".
Mount FindMount(const std::string& mounts, bool unified) {
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    Mount mount;
    std::string word;
    fields >> word >> word >> word >> mount.root >> mount.point;
    while (fields >> word && word != "-") {
    }
    std::string type;
    std::string options;
    fields >> type >> word >> options;
    if (unified ? type == "cgroup2" : type == "cgroup" && Lists(options, "cpu")) return mount;
  }
  return {};
}

/// The own group as /proc/self/cgroup says it: "number:controllers:/group".
std::string OwnGroup(const std::string& membership, bool unified) {
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (unified ? controllers.empty() : Lists(controllers, "cpu")) return line.substr(second + 1);
  }
  return {};
}

/// Folder of the own group; empty if it cannot be seen from here.
path OwnFolder(const Mount& mount, const std::string& group) {
  if (mount.point.empty() || group.empty()) return {};
  const path below = path(group).lexically_relative(mount.root);
  if (below.empty() || *below.begin() == "..") return {};
  return (path(mount.point) / below).lexically_normal();
}

}  // namespace

CgroupPlaces FindCgroupPlaces(const std::string& membership, const std::string& mounts) {
  CgroupPlaces places;
  const Mount unified = FindMount(mounts, true);
  path group = OwnFolder(unified, OwnGroup(membership, true));
  if (!group.has_filename()) group = group.parent_path();
  while (!group.empty()) {
    places.unified.push_back(group);
    if (group == unified.point || group == group.root_path()) break;
    group = group.parent_path();
  }
  path own = OwnFolder(FindMount(mounts, false), OwnGroup(membership, false));
  places.cpu_v1 = own.has_filename() ? own : own.parent_path();
  return places;
}

}  // namespace evenkeel::coordinator
