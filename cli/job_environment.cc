#include "cli/job_environment.h"

#include <cstdlib>
#include <map>

namespace evenkeel::cli {
Result<std::vector<std::string>> ExpandEnvironment(
    const std::vector<model::EnvironmentVariable>& variables) {
  std::vector<std::string> environment;
  std::map<std::string, std::string> known;
  for (const auto& variable : variables) {
    std::string value = model::ExpandReferences(variable.value, known);
    if (variable.from_cluster) {
      const char* const own = std::getenv(variable.name.c_str());
      if (own == nullptr) {
        return InvalidInput("spec.worker.template.env: " + variable.name +
                            ": its value comes from the cluster; to run the job here, set " +
                            variable.name + " in the environment of evenkeel run");
      }
      value = own;
    }
    environment.push_back(variable.name + "=" + value);
    known[variable.name] = std::move(value);
  }
  return environment;
}

}  // namespace evenkeel::cli
