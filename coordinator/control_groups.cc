#include "coordinator/control_groups.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/base/check.h"

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

/// The mount of version 2, or of the named controller of version 1. See proc(5): "id parent dev
/// root point options [more...] - type source super-options".
Mount FindMount(const std::string& mounts, std::string_view controller) {
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
    if (controller.empty() ? type == "cgroup2" : type == "cgroup" && Lists(options, controller)) {
      return mount;
    }
  }
  return {};
}

/// The own group as /proc/self/cgroup says it: "number:controllers:/group". Without a controller:
/// of version 2.
std::string OwnGroup(const std::string& membership, std::string_view controller) {
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : Lists(controllers, controller)) {
      return line.substr(second + 1);
    }
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
  const Mount unified = FindMount(mounts, {});
  path group = OwnFolder(unified, OwnGroup(membership, {}));
  if (!group.has_filename()) group = group.parent_path();
  while (!group.empty()) {
    places.unified.push_back(group);
    if (group == unified.point || group == group.root_path()) break;
    group = group.parent_path();
  }
  for (const auto& [controller, place] :
       {std::pair("cpu", &places.cpu_v1), std::pair("memory", &places.memory_v1)}) {
    path own = OwnFolder(FindMount(mounts, controller), OwnGroup(membership, controller));
    *place = own.has_filename() ? own : own.parent_path();
  }
  return places;
}

namespace {

using std::filesystem::path;

constexpr const char* kPrefix = "evenkeel-";

/// Microseconds of CPU in each period.
struct Quota {
  std::int64_t quota;
  std::int64_t period;
};

/// The shorter the period, the more a share looks like a slow board; the kernel takes no quota
/// below 1 ms and no period above 1 s.
Quota QuotaFor(double share) {
  constexpr std::int64_t kPeriod = 20'000;
  constexpr std::int64_t kLeastQuota = 1'000;
  const auto period = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::ceil(static_cast<double>(kLeastQuota) / share)), kPeriod,
      1'000'000);
  const auto quota = static_cast<std::int64_t>(std::llround(share * static_cast<double>(period)));
  return {std::max(quota, kLeastQuota), period};
}

std::string ReadText(const path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// One write: control files do not take their text in pieces.
Result<void> WriteText(const path& file, const std::string& text) {
  const int handle = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  const bool written =
      handle >= 0 && ::write(handle, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  if (handle >= 0) ::close(handle);
  if (written) return {};
  return Fail(ErrorCode::kUnavailable, file.string() + ": " + std::strerror(error));
}

bool HandsOut(const path& group, std::string_view controller) {
  std::istringstream words(ReadText(group / "cgroup.subtree_control"));
  for (std::string word; words >> word;) {
    if (word == controller) return true;
  }
  return false;
}

/// Names are evenkeel-PID-NAME, PID of the process that made the group.
bool MakerIsGone(const std::string& name) {
  const std::string_view text(name);
  if (!text.starts_with(kPrefix)) return false;
  pid_t maker = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + std::strlen(kPrefix), end, maker);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != '-' || maker <= 0) return false;
  return ::kill(maker, 0) != 0 && errno == ESRCH;
}

void RemoveLeftovers(const path& parent) {
  std::error_code ignored;  // groups in use, or of another user, remain
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
    if (MakerIsGone(entry.path().filename())) ::rmdir(entry.path().c_str());
  }
}

Result<path> MakeGroup(const path& parent, const std::string& name) {
  RemoveLeftovers(parent);
  const path group = parent / (kPrefix + std::to_string(::getpid()) + "-" + name);
  if (::mkdir(group.c_str(), 0755) == 0) return group;
  return Fail(ErrorCode::kUnavailable, group.string() + ": " + std::strerror(errno));
}

/// Text for a control file of a group. Optional ones are not there on all systems.
struct Setting {
  std::string file;
  std::string text;
  bool is_optional = false;
};

/// A group of this name below `parent` with these settings.
Result<path> MakeLimitedGroup(const path& parent, const std::string& name,
                              const std::vector<Setting>& settings) {
  auto group = MakeGroup(parent, name);
  if (!group) return group;
  for (const Setting& setting : settings) {
    const auto set = WriteText(*group / setting.file, setting.text);
    if (set || setting.is_optional) continue;
    ::rmdir(group->c_str());
    return tl::unexpected(set.error());
  }
  return group;
}

Result<path> MakeUnified(const std::vector<path>& places, const std::string& name,
                         const GroupLimits& limits) {
  std::vector<Setting> settings;
  std::vector<std::string> controllers;
  if (limits.cpu_share) {
    const Quota quota = QuotaFor(*limits.cpu_share);
    controllers.emplace_back("cpu");
    settings.push_back(
        {"cpu.max", std::to_string(quota.quota) + " " + std::to_string(quota.period)});
  }
  if (limits.memory_bytes) {
    controllers.emplace_back("memory");
    settings.push_back({"memory.max", std::to_string(*limits.memory_bytes)});
    settings.push_back({"memory.swap.max", "0", true});
  }
  std::string why = "no control groups of version 2";
  for (const path& parent : places) {
    const auto lacking =
        std::find_if(controllers.begin(), controllers.end(),
                     [&parent](const auto& controller) { return !HandsOut(parent, controller); });
    if (lacking != controllers.end()) {
      why = parent.string() + " hands out no " + *lacking;
      continue;
    }
    auto group = MakeLimitedGroup(parent, name, settings);
    if (group) return group;
    why = group.error().message;
  }
  return Fail(ErrorCode::kUnavailable, why);
}

/// Adds a group of version 1 to `groups`.
Result<void> AddV1(const path& parent, const std::string& name,
                   const std::vector<Setting>& settings, std::vector<path>& groups) {
  if (parent.empty()) return Fail(ErrorCode::kUnavailable, "no control groups of version 1");
  auto group = MakeLimitedGroup(parent, name, settings);
  if (!group) return tl::unexpected(group.error());
  groups.push_back(std::move(*group));
  return {};
}

Result<void> AddV1Groups(const CgroupPlaces& places, const std::string& name,
                         const GroupLimits& limits, std::vector<path>& groups) {
  if (limits.cpu_share) {
    const Quota quota = QuotaFor(*limits.cpu_share);
    auto added = AddV1(places.cpu_v1, name,
                       {{"cpu.cfs_period_us", std::to_string(quota.period)},
                        {"cpu.cfs_quota_us", std::to_string(quota.quota)}},
                       groups);
    if (!added) return added;
  }
  if (!limits.memory_bytes) return {};
  const std::string bytes = std::to_string(*limits.memory_bytes);
  return AddV1(places.memory_v1, name,
               {{"memory.limit_in_bytes", bytes}, {"memory.memsw.limit_in_bytes", bytes, true}},
               groups);
}

}  // namespace

Result<ControlGroups> ControlGroups::Create(const std::string& name, const GroupLimits& limits) {
  EVENKEEL_CHECK(limits.cpu_share || limits.memory_bytes, "control groups without a limit");
  EVENKEEL_CHECK(limits.cpu_share.value_or(1) >= GroupLimits::kLeastShare,
                 "a share of a core that cannot be kept");
  const CgroupPlaces places =
      FindCgroupPlaces(ReadText("/proc/self/cgroup"), ReadText("/proc/self/mountinfo"));
  const auto group = MakeUnified(places.unified, name, limits);
  if (group) return ControlGroups({*group});
  ControlGroups groups{std::vector<path>{}};
  const auto added = AddV1Groups(places, name, limits, groups.groups_);
  if (added) return groups;
  return Fail(ErrorCode::kUnavailable,
              "no limits here: " + group.error().message + "; " + added.error().message);
}

ControlGroups::~ControlGroups() { Remove(); }

ControlGroups::ControlGroups(ControlGroups&& other) noexcept
    : groups_(std::exchange(other.groups_, {})) {}

ControlGroups& ControlGroups::operator=(ControlGroups&& other) noexcept {
  if (this != &other) {
    Remove();
    groups_ = std::exchange(other.groups_, {});
  }
  return *this;
}

Result<void> ControlGroups::Enter(pid_t process) const {
  for (const path& group : groups_) {
    auto written = WriteText(group / "cgroup.procs", std::to_string(process));
    if (!written) return written;
  }
  return {};
}

void ControlGroups::Remove() {
  for (const path& group : groups_) ::rmdir(group.c_str());
  groups_.clear();
}

}  // namespace evenkeel::coordinator
