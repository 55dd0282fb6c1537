#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kubernetes/config.h"
#include "tests/unit/report/temporary_folder.h"

namespace evenkeel::kube {
namespace {

class InClusterConfig : public ::testing::Test {
 protected:
  void SetUp() override {
    pod_ = {"10.43.0.1", "443", folder_.Path().string()};
    Write("ca.crt", "the CA");
    Write("token", "the-token");
    Write("namespace", "evenkeel-system\n");
  }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.Path() / name) << text;
  }

  report::TemporaryFolder folder_;
  PodSurroundings pod_;
};

TEST_F(InClusterConfig, ComesFromTheServiceAccount) {
  const auto config = LoadInClusterConfig(pod_);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server, "https://10.43.0.1:443");
  EXPECT_EQ(config->tls.ca_pem, "the CA");
  EXPECT_TRUE(config->tls.certificate_pem.empty());
  EXPECT_FALSE(config->tls.skip_verification);
  EXPECT_EQ(config->token_file, (folder_.Path() / "token").string());
  EXPECT_EQ(config->namespace_name, "evenkeel-system");
  const SteadyClock clock;
  EXPECT_EQ(MakeTokenSource(*config, clock)->Token().value(), "the-token");
}

TEST_F(InClusterConfig, PutsIpV6InBrackets) {
  pod_.host = "fd00::1";
  EXPECT_EQ(LoadInClusterConfig(pod_)->server, "https://[fd00::1]:443");
}

TEST_F(InClusterConfig, ReportsThatThisIsNotACluster) {
  const auto config = LoadInClusterConfig({"", "", pod_.folder});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(config.error().message.find("KUBERNETES_SERVICE_HOST"), std::string::npos);
}

TEST_F(InClusterConfig, NeedsTheAuthorityButNotTheNamespace) {
  std::filesystem::remove(folder_.Path() / "namespace");
  EXPECT_EQ(LoadInClusterConfig(pod_)->namespace_name, "");
  std::filesystem::remove(folder_.Path() / "ca.crt");
  const auto config = LoadInClusterConfig(pod_);
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().message.find("ca.crt"), std::string::npos);
}

TEST_F(InClusterConfig, RefusesAnInvalidEnvironment) {
  pod_.port = "99999";
  EXPECT_FALSE(LoadInClusterConfig(pod_));
}

}  // namespace
}  // namespace evenkeel::kube
