#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/model/node_profile.h"

namespace evenkeel::scheduling {

inline model::NodeProfile NodeOf(const std::string& name,
                                 std::map<std::string, std::string> hardware) {
  model::NodeProfile node;
  node.name = name;
  for (auto& [key, value] : hardware) node.labels["hardware.evenkeel.dev/" + key] = value;
  return node;
}

/// The nodes of the paper's table 1, by labels alone.
inline std::vector<model::NodeProfile> PiTrio() {
  const auto pi4 = [](const std::string& name, const std::string& extra_load) {
    return NodeOf(name, {{"cpu", "Cortex-A72"},
                         {"cpu-mhz", "1500"},
                         {"os-bits", "64"},
                         {"ram-mib", "2048"},
                         {"extra-load", extra_load},
                         {"sd-gb", "8"},
                         {"power-watts", "6.4"},
                         {"os-release-date", "2020-08-24"}});
  };
  return {pi4("pi4-a", "above-norm"), pi4("pi4-b", "norm"),
          NodeOf("pi3", {{"cpu", "Cortex-A53"},
                         {"cpu-mhz", "1200"},
                         {"os-bits", "32"},
                         {"ram-mib", "1024"},
                         {"extra-load", "norm"},
                         {"sd-gb", "4"},
                         {"power-watts", "5.1"},
                         {"os-release-date", "2021-01-11"}})};
}

}  // namespace evenkeel::scheduling
