#include "cli/job_environment.h"

#include <cstdlib>
#include <map>

namespace evenkeel::cli {
namespace {

using Known = std::map<std::string, std::string>;

std::string Expanded(const std::string& text, const Known& known) {
  std::string expanded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (text[at] == '$' && next == '$') {
      expanded += '$';
      ++at;
      continue;
    }
    const std::size_t end = text[at] == '$' && next == '(' ? text.find(')', at) : text.npos;
    const auto found =
        end == text.npos ? known.end() : known.find(text.substr(at + 2, end - at - 2));
    if (found == known.end()) {
      expanded += text[at];
      continue;
    }
    expanded += found->second;
    at = end;
  }
  return expanded;
}

}  // namespace

Result<std::vector<std::string>> ExpandEnvironment(
    const std::vector<model::EnvironmentVariable>& variables) {
  std::vector<std::string> environment;
  Known known;
  for (const auto& variable : variables) {
    std::string value = Expanded(variable.value, known);
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
