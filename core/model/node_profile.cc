#include "core/model/node_profile.h"

namespace evenkeel::model {

std::vector<std::string> MissingLabels(const NodeProfile& node,
                                       const std::map<std::string, std::string>& selector) {
  std::vector<std::string> missing;
  for (const auto& [key, value] : selector) {
    const auto label = node.labels.find(key);
    if (label == node.labels.end() || label->second != value) missing.push_back(key + "=" + value);
  }
  return missing;
}

}  // namespace evenkeel::model
