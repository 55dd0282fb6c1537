#include "examples/kubernetes-controller/config_map_mirror.h"

#include "tests/unit/kubernetes/against_server.h"

namespace evenkeel::example {
namespace {

constexpr const char* kNamespaces = "/api/v1/namespaces";
constexpr const char* kConfigMaps = "/api/v1/configmaps";

class ConfigMapMirrorTest : public kube::AgainstServer {
 protected:
  void PutNamespace(const std::string& name, const std::string& mirror) {
    server_.Put(
        kNamespaces,
        {{"apiVersion", "v1"},
         {"kind", "Namespace"},
         {"metadata", {{"name", name}, {"labels", {{"example.evenkeel.dev/mirror", mirror}}}}}});
  }

  void PutSource(const std::string& text) {
    server_.Put(kConfigMaps, {{"apiVersion", "v1"},
                              {"kind", "ConfigMap"},
                              {"metadata", {{"name", "settings"}, {"namespace", "origin"}}},
                              {"data", {{"text", text}}}});
  }

  /// The text of the copy in a namespace; empty when there is none.
  std::string CopyIn(const std::string& namespace_name) const {
    const auto copy = server_.Find(kConfigMaps, namespace_name, "settings");
    return copy ? (*copy)["data"]["text"].get<std::string>() : "";
  }

  bool Becomes(const std::string& namespace_name, const std::string& text) {
    return kube::Eventually([&] { return CopyIn(namespace_name) == text; });
  }
};

TEST_F(ConfigMapMirrorTest, CopiesFollowTheSourceIntoLabelledNamespaces) {
  PutNamespace("a", "true");
  PutNamespace("other", "false");
  PutSource("one");
  ConfigMapMirror mirror(Access(), {"origin", "settings"});
  mirror.Start();
  EXPECT_TRUE(Becomes("a", "one"));
  PutSource("two");
  EXPECT_TRUE(Becomes("a", "two"));
  PutNamespace("late", "true");
  EXPECT_TRUE(Becomes("late", "two"));
  EXPECT_EQ(CopyIn("other"), "");
  mirror.Stop();
}

TEST_F(ConfigMapMirrorTest, ARefusedWriteIsTriedAgain) {
  support::Fault refusal;
  refusal.filter.method = "PATCH";
  refusal.status = 500;
  server_.Inject(refusal);
  PutNamespace("a", "true");
  PutSource("one");
  ConfigMapMirror mirror(Access(), {"origin", "settings"});
  mirror.Start();
  EXPECT_TRUE(Becomes("a", "one"));
  mirror.Stop();
}

}  // namespace
}  // namespace evenkeel::example
