// The real evenkeel-labeller against an API server that misbehaves.

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "tests/integration/worker/child.h"
#include "tests/support/in_memory_api_server.h"

namespace evenkeel::labeller {
namespace {

using nlohmann::json;

const std::string kNodes = "/api/v1/nodes";
const std::string kPrefix = "hardware.evenkeel.dev/";

class LabellerApi : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "labellerXXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    Write("host/sys/firmware/devicetree/base/model", "Raspberry Pi 4 Model B Rev 1.4");
    Write("host/proc/meminfo", "MemTotal:        1929216 kB\n");
    Write("config",
          json{{"apiVersion", "v1"},
               {"kind", "Config"},
               {"current-context", "x"},
               {"clusters", {{{"name", "x"}, {"cluster", {{"server", server_.url()}}}}}},
               {"users", {{{"name", "x"}, {"user", {{"token", "t"}}}}}},
               {"contexts", {{{"name", "x"}, {"context", {{"cluster", "x"}, {"user", "x"}}}}}}}
              .dump());
    server_.Put(
        kNodes,
        {{"apiVersion", "v1"},
         {"kind", "Node"},
         {"metadata",
          {{"name", "pi4"}, {"labels", {{kPrefix + "ram-mib", "4096"}, {"mine", "too"}}}}}});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }

  [[nodiscard]] std::vector<std::string> Command(const std::string& more = {}) const {
    std::vector<std::string> words{EVENKEEL_LABELLER, "--root",       folder_ / "host",
                                   "--no-probe",      "--kubeconfig", folder_ / "config",
                                   "--node",          "pi4"};
    if (!more.empty()) words.push_back(more);
    return words;
  }

  void RunOnce() {
    Child labeller(Command("--once"));
    ASSERT_EQ(labeller.AwaitExit(), 0) << labeller.ReadAll();
  }

  [[nodiscard]] json Metadata() const { return (*server_.Find(kNodes, "", "pi4"))["metadata"]; }
  [[nodiscard]] std::size_t Patches() const { return server_.Requests({"PATCH", "", {}}).size(); }

  support::InMemoryApiServer server_;
  std::filesystem::path folder_;
};

TEST_F(LabellerApi, LabelsItsNodeAndLeavesOthersLabelsAlone) {
  RunOnce();
  const json labels = Metadata()["labels"];
  EXPECT_EQ(labels.value(kPrefix + "model", ""), "raspberry-pi-4b");
  EXPECT_EQ(labels.value(kPrefix + "power-watts", ""), "6.4");
  EXPECT_EQ(labels.value(kPrefix + "ram-mib", ""), "4096") << "set by hand";
  EXPECT_EQ(labels.value("mine", ""), "too");
  EXPECT_EQ(Patches(), 1u);

  RunOnce();
  EXPECT_EQ(Patches(), 1u) << "nothing has changed";

  std::filesystem::remove_all(folder_ / "host" / "sys");
  RunOnce();
  EXPECT_FALSE(Metadata()["labels"].contains(kPrefix + "model"));
  EXPECT_FALSE(Metadata()["labels"].contains(kPrefix + "power-watts"));
  EXPECT_EQ(Metadata()["labels"].value(kPrefix + "ram-mib", ""), "4096");
}

TEST_F(LabellerApi, RetriesAfterAConflict) {
  support::Fault conflict;
  conflict.filter = {"PATCH", "", {}};
  conflict.status = 409;
  conflict.times = 2;
  server_.Inject(conflict);
  RunOnce();
  EXPECT_EQ(Metadata()["labels"].value(kPrefix + "model", ""), "raspberry-pi-4b");
}

TEST_F(LabellerApi, GoesOnAfterRefusals) {
  support::Fault forbidden;
  forbidden.status = 403;
  server_.Inject(forbidden);
  Child labeller(Command());
  ASSERT_TRUE(server_.WaitForRequests(1, {"PATCH", "", {}}));
  labeller.Signal(SIGTERM);
  EXPECT_EQ(labeller.AwaitExit(), 0);
  EXPECT_NE(labeller.ReadAll().find("403"), std::string::npos);
}

TEST_F(LabellerApi, EndsAtOnceInTheMiddleOfARequest) {
  support::Fault slow;
  slow.delay = std::chrono::seconds(20);
  server_.Inject(slow);
  Child labeller(Command());
  ASSERT_TRUE(server_.WaitForRequests(1, {}));
  labeller.Signal(SIGTERM);
  EXPECT_EQ(labeller.AwaitExit(), 0);
  EXPECT_EQ(server_.Requests({}).front().status, 0) << "it did not wait for the answer";
}

}  // namespace
}  // namespace evenkeel::labeller
