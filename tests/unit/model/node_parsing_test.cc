#include "core/model/node_parsing.h"

#include <gtest/gtest.h>

#include "core/model/decimal.h"
#include "core/model/quantity.h"

namespace evenkeel::model {
namespace {

std::string NodesErrorOf(const std::string& text) {
  const auto nodes = ParseNodes(text, "nodes.yaml");
  EXPECT_FALSE(nodes.has_value()) << text;
  if (nodes) return {};
  EXPECT_EQ(nodes.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(nodes.error().message.find('\n'), std::string::npos);
  return nodes.error().message;
}

std::string ListOf(const std::string& items) {
  return "apiVersion: v1\nkind: List\nitems: [" + items + "]\n";
}

std::string NodeWithSpeed(const std::string& speed) {
  return ListOf("{metadata: {name: a, annotations: {evenkeel.dev/emulated-speed: " + speed + "}}}");
}

TEST(ParseNodes, ReadsWhatKubectlPrints) {
  const auto nodes = ParseNodes(R"(
apiVersion: v1
items:
- apiVersion: v1
  kind: Node
  metadata:
    annotations: {evenkeel.dev/emulated-speed: "0.40", node.alpha.kubernetes.io/ttl: "0"}
    creationTimestamp: "2024-01-01T00:00:00Z"
    labels: {kubernetes.io/arch: arm64, empty: ""}
    name: pi4-a
  spec: {podCIDR: 10.42.0.0/24}
  status:
    addresses: [{address: 10.0.0.1, type: InternalIP}]
    capacity: {cpu: "4", ephemeral-storage: 30Gi, memory: 1884Ki, pods: "110"}
    nodeInfo: {architecture: arm64, osImage: Debian GNU/Linux 12 (bookworm)}
- apiVersion: v1
  kind: Node
  metadata: {name: bare}
kind: List
metadata: {resourceVersion: ""}
)",
                                "nodes.yaml");
  ASSERT_TRUE(nodes.has_value()) << nodes.error().message;
  ASSERT_EQ(nodes->size(), 2u);
  const NodeProfile& pi = nodes->front();
  EXPECT_EQ(pi.name, "pi4-a");
  EXPECT_EQ(pi.labels.at("kubernetes.io/arch"), "arm64");
  EXPECT_EQ(pi.architecture, "arm64");
  EXPECT_EQ(pi.os_image, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(pi.cpu_millicores, 4000);
  EXPECT_EQ(pi.memory_bytes, 1884 * 1024);
  EXPECT_EQ(pi.ephemeral_storage_bytes, 30ll << 30);
  EXPECT_EQ(pi.emulated_speed, 0.40);
  EXPECT_FALSE(nodes->back().memory_bytes.has_value());
  EXPECT_FALSE(nodes->back().emulated_speed.has_value());
}

TEST(ParseNodes, ReadsANodeListAndASingleNode) {
  EXPECT_EQ(ParseNodes("apiVersion: v1\nkind: NodeList\nitems: [{metadata: {name: a}}]\n", "f")
                ->front()
                .name,
            "a");
  EXPECT_EQ(ParseNodes("apiVersion: v1\nkind: Node\nmetadata: {name: alone}\n", "f")->front().name,
            "alone");
}

TEST(ParseNodes, BadInputIsOneLineThatNamesFileAndField) {
  EXPECT_EQ(NodesErrorOf(ListOf("")), "nodes.yaml: items: must have at least 1 node, has none");
  EXPECT_EQ(NodesErrorOf(ListOf("{metadata: {name: a}}, {metadata: {name: a}}")),
            "nodes.yaml: items[1].metadata.name: must differ from node to node, is \"a\" twice");
  EXPECT_EQ(NodesErrorOf(ListOf("{metadata: {}}")),
            "nodes.yaml: items[0].metadata.name: is missing, must be text of 1 to 253 bytes");
  EXPECT_EQ(NodesErrorOf(ListOf("{kind: Pod, metadata: {name: a}}")),
            "nodes.yaml: items[0].kind: must be Node, is \"Pod\"");
  EXPECT_EQ(NodesErrorOf("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"),
            "nodes.yaml: kind: must be one of List, NodeList, Node, is \"Pod\"");
  EXPECT_EQ(
      NodesErrorOf(ListOf("{metadata: {name: a, labels: {x: 5}}}")),
      "nodes.yaml: items[0].metadata.labels.x: must be text of 0 to 63 bytes in quotes, is 5");
  EXPECT_EQ(NodesErrorOf(ListOf("{metadata: {name: a}, status: {capacity: {memory: much}}}")),
            "nodes.yaml: items[0].status.capacity.memory: must be a quantity such as 4, 3800m, "
            "1884Ki or 2Gi, is \"much\"");
  EXPECT_EQ(NodesErrorOf("nonsense"),
            "nodes.yaml: the document: must be an object, is \"nonsense\"");
}

TEST(ParseNodes, AnEmulatedSpeedIsAboveZeroAndAtMostAThousand) {
  const std::string field =
      "nodes.yaml: items[0].metadata.annotations.evenkeel.dev/emulated-speed: ";
  const std::string must = "must be a number above 0, at most 1000 in quotes, is ";
  for (const char* bad :
       {"\"0\"", "\"-1\"", "\"1001\"", "\"fast\"", "\"nan\"", "\"0.4x\"", "\"\""}) {
    EXPECT_EQ(NodesErrorOf(NodeWithSpeed(bad)), field + must + bad);
  }
  EXPECT_EQ(ParseNodes(NodeWithSpeed("\"4.3\""), "f")->front().emulated_speed, 4.3);
}

TEST(ParseQuantity, UnderstandsKubernetesQuantities) {
  EXPECT_EQ(ParseQuantity("4", 1000), 4000);
  EXPECT_EQ(ParseQuantity("3800m", 1000), 3800);
  EXPECT_EQ(ParseQuantity("1.1", 1000), 1100);
  EXPECT_EQ(ParseQuantity("2Gi", 1), 2ll << 30);
  EXPECT_EQ(ParseQuantity("128974848", 1), 128974848);
  EXPECT_EQ(ParseQuantity("129e6", 1), 129'000'000);
  EXPECT_EQ(ParseQuantity("5G", 1), 5'000'000'000);
  for (const char* bad : {"", "-1", "Gi", "1 Gi", "1gi", "0x10", "inf", "16Ei", "1e40"}) {
    EXPECT_FALSE(ParseQuantity(bad, 1).has_value()) << bad;
  }
}

TEST(ParseIsoDate, CountsDays) {
  EXPECT_EQ(ParseIsoDate("1970-01-01"), 0);
  EXPECT_EQ(ParseIsoDate("2020-08-24"), 18498);
  for (const char* bad :
       {"2020-02-30", "2020-8-24", "24.08.2020", "", "2020-08-24T", "1969-12-31"}) {
    EXPECT_FALSE(ParseIsoDate(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace evenkeel::model
