#include <cstdint>
#include <set>

#include "core/base/check.h"
#include "core/model/node_parsing.h"

/// Files of nodes, which clusters export and people edit.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto nodes = evenkeel::model::ParseNodes(text, "nodes.yaml");
  if (!nodes) {
    EVENKEEL_CHECK(nodes.error().message.find('\n') == std::string::npos, "an error is one line");
    return 0;
  }
  EVENKEEL_CHECK(!nodes->empty(), "there is a node");
  std::set<std::string> names;
  for (const auto& node : *nodes) {
    EVENKEEL_CHECK(names.insert(node.name).second, "names are unique");
  }
  return 0;
}
