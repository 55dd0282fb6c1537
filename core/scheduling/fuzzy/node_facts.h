#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/node_profile.h"

namespace evenkeel::scheduling {

/// Names of the facts that are known by themselves; also the labels that overrule every other
/// source.
namespace fact {
inline const std::string kCpu = "hardware.evenkeel.dev/cpu";
inline const std::string kCpuCores = "hardware.evenkeel.dev/cpu-cores";
inline const std::string kCpuMhz = "hardware.evenkeel.dev/cpu-mhz";
inline const std::string kOsBits = "hardware.evenkeel.dev/os-bits";
inline const std::string kRamMib = "hardware.evenkeel.dev/ram-mib";
inline const std::string kSdGb = "hardware.evenkeel.dev/sd-gb";
inline const std::string kPowerWatts = "hardware.evenkeel.dev/power-watts";
/// Read by CollectPower() alone: no policy need know it.
inline const std::string kIdlePowerWatts = "hardware.evenkeel.dev/idle-power-watts";
inline const std::string kOsReleaseDate = "hardware.evenkeel.dev/os-release-date";
inline const std::string kExtraLoad = "hardware.evenkeel.dev/extra-load";
/// Not a fact, but leads to some through the catalogue of boards.
inline const std::string kModel = "hardware.evenkeel.dev/model";
}  // namespace fact

/// Something a node says of itself.
struct Fact {
  std::string text;              ///< as found, for explanations
  std::optional<double> number;  ///< what it means; nothing if it cannot be read or is a word
};

/// The facts of one node, by name. One that is not there is not known.
/// Numbers: cpu in MHz of a Cortex-A53 core that would be as fast as one core; cores; MHz; bits;
/// MiB; GB (10^9 bytes); watts under full load; days since 1970. extra-load is a word.
struct NodeFacts {
  std::map<std::string, Fact> facts;
  std::vector<std::string> notes;  ///< what was assumed
};

/// Collects the known facts of a node. The first source that has a fact wins: the label of that
/// name, labels of Node Feature Discovery, the node's status and standard labels, the catalogue of
/// boards. A label that is there but cannot be read counts as found: other sources are not tried.
[[nodiscard]] NodeFacts CollectFacts(const model::NodeProfile& node);

/// The release date ("2023-06-10") of a system, from the words of /etc/os-release: ID ("debian")
/// and VERSION_ID ("12"). Nothing for systems that are not in the table.
[[nodiscard]] std::optional<std::string> OsReleaseDate(const std::string& id,
                                                       const std::string& version);

/// The same from PRETTY_NAME, which Kubernetes shows as osImage: "Debian GNU/Linux 12 (bookworm)".
[[nodiscard]] std::optional<std::string> OsReleaseDateOfImage(const std::string& os_image);

}  // namespace evenkeel::scheduling
