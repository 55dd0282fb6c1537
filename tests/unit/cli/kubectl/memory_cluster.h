#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/kubectl/cluster.h"

namespace evenkeel::cli {

/// A cluster that has what a test puts there, by the words that ask for it.
class MemoryCluster final : public Cluster {
 public:
  Result<nlohmann::json> Get(const std::vector<std::string>& arguments) override {
    std::string asked;
    for (const std::string& word : arguments) asked += (asked.empty() ? "" : " ") + word;
    if (const auto found = objects.find(asked); found != objects.end()) return found->second;
    if (asked.starts_with("events")) return nlohmann::json{{"items", nlohmann::json::array()}};
    return Fail(ErrorCode::kInvalidInput, "(NotFound): " + asked + " not found");
  }

  Result<void> Create(const nlohmann::json& object) override {
    created.push_back(object);
    return {};
  }

  std::map<std::string, nlohmann::json> objects;
  std::vector<nlohmann::json> created;
};

}  // namespace evenkeel::cli
