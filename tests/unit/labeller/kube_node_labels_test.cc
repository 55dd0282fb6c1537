#include "labeller/kube_node_labels.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/kubernetes/scripted_transport.h"

namespace evenkeel::labeller {
namespace {

using nlohmann::json;

class KubeNodeLabels : public testing::Test {
 protected:
  void Answer(int status, const json& body) { transport_.Answer(status, body.dump()); }

  kube::ScriptedTransport transport_;
  kube::Client client_{transport_};
  std::unique_ptr<NodeLabels> node_ = MakeKubeNodeLabels(client_, "pi4-a");
};

TEST_F(KubeNodeLabels, Reads) {
  Answer(200, {{"metadata",
                {{"labels", {{"a", "b"}, {"odd", 5}}},
                 {"annotations", {{"c", "d"}}},
                 {"resourceVersion", "17"}}}});
  const auto read = node_->Read();
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->labels, (Labels{{"a", "b"}}));
  EXPECT_EQ(read->annotations, (Labels{{"c", "d"}}));
  EXPECT_EQ(read->resource_version, "17");
  EXPECT_EQ(transport_.requests.at(0).method, "GET");
  EXPECT_EQ(transport_.requests.at(0).target, "/api/v1/nodes/pi4-a");
}

TEST_F(KubeNodeLabels, PatchesNothingButLabelsAndItsMemory) {
  Answer(200, {{"metadata", json::object()}});
  LabelChange change;
  change.labels = {{"hardware.evenkeel.dev/cpu", "x86-64"}, {"hardware.evenkeel.dev/old", {}}};
  change.memory = "cpu=x86-64";
  ASSERT_TRUE(node_->Change(change, "17"));
  const kube::Request& request = transport_.requests.at(0);
  EXPECT_EQ(request.method, "PATCH");
  EXPECT_EQ(request.target, "/api/v1/nodes/pi4-a");
  EXPECT_EQ(request.content_type, "application/merge-patch+json");
  EXPECT_EQ(json::parse(request.body), json::parse(R"({"metadata": {"resourceVersion": "17",
              "labels": {"hardware.evenkeel.dev/cpu": "x86-64", "hardware.evenkeel.dev/old": null},
              "annotations": {"evenkeel.dev/labelled": "cpu=x86-64"}}})"));
}

TEST_F(KubeNodeLabels, TellsConflictsFromOtherRefusals) {
  const json status{{"kind", "Status"}, {"reason", "Conflict"}, {"message", "changed"}};
  Answer(409, status);
  const auto conflict = node_->Change({}, "1");
  ASSERT_FALSE(conflict);
  EXPECT_EQ(conflict.error().code, ErrorCode::kConflict);

  Answer(403, {{"kind", "Status"}, {"reason", "Forbidden"}, {"message", "nodes is forbidden"}});
  const auto forbidden = node_->Read();
  ASSERT_FALSE(forbidden);
  EXPECT_NE(forbidden.error().message.find("forbidden"), std::string::npos);
}

TEST_F(KubeNodeLabels, AnswersThatAreNoNode) {
  Answer(200, {{"kind", "Teapot"}});
  EXPECT_FALSE(node_->Read());
}

}  // namespace
}  // namespace evenkeel::labeller
