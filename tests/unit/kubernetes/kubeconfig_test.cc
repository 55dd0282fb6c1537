#include <gtest/gtest.h>

#include <fstream>

#include "kubernetes/config.h"
#include "tests/unit/report/temporary_folder.h"

namespace evenkeel::kube {
namespace {

/// As k3s writes it; the data say "the CA", "the certificate" and "the key".
constexpr const char* kK3s = R"(apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: dGhlIENB
    server: https://127.0.0.1:6443
  name: default
contexts:
- context:
    cluster: default
    user: default
  name: default
current-context: default
kind: Config
preferences: {}
users:
- name: default
  user:
    client-certificate-data: dGhlIGNlcnRpZmljYXRl
    client-key-data: dGhlIGtleQ==
)";

class Kubeconfig : public ::testing::Test {
 protected:
  Result<ClusterConfig> Load(const std::string& text, const KubeconfigOptions& options = {}) {
    Write("config.yaml", text);
    return LoadKubeconfig((folder_.Path() / "config.yaml").string(), options);
  }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.Path() / name) << text;
  }
  /// One cluster and one user with these lines in them.
  static std::string With(const std::string& cluster, const std::string& user) {
    return "current-context: c\n"
           "contexts: [{name: c, context: {cluster: k, user: u, namespace: demo}}]\n"
           "clusters: [{name: k, cluster: {server: 'https://k3s:6443', " +
           cluster +
           "}}]\n"
           "users: [{name: u, user: {" +
           user + "}}]\n";
  }
  void ExpectRefused(const std::string& text, const std::string& part) {
    const auto config = Load(text);
    ASSERT_FALSE(config) << text;
    EXPECT_NE(config.error().message.find(part), std::string::npos) << config.error().message;
    EXPECT_NE(config.error().message.find("config.yaml"), std::string::npos);
    EXPECT_EQ(config.error().message.find('\n'), std::string::npos);
  }

  report::TemporaryFolder folder_;
};

TEST_F(Kubeconfig, ReadsK3sForm) {
  const auto config = Load(kK3s);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server, "https://127.0.0.1:6443");
  EXPECT_EQ(config->tls.ca_pem, "the CA");
  EXPECT_EQ(config->tls.certificate_pem, "the certificate");
  EXPECT_EQ(config->tls.key_pem, "the key");
  EXPECT_EQ(config->token, "");
  EXPECT_EQ(config->token_file, "");
}

TEST_F(Kubeconfig, FilesCountFromItsOwnFolder) {
  Write("ca.pem", "CA of a file");
  Write("token", "T");
  const auto config = Load(With("certificate-authority: ca.pem", "tokenFile: token, token: old"));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->tls.ca_pem, "CA of a file");
  EXPECT_EQ(config->token_file, (folder_.Path() / "token").string());
  EXPECT_EQ(config->token, "");
  EXPECT_EQ(config->namespace_name, "demo");
  ExpectRefused(With("certificate-authority: no.pem", "token: t"), "no.pem");
}

TEST_F(Kubeconfig, ReadsATokenAndTheNameOfTheServer) {
  const auto config =
      Load(With("certificate-authority-data: dGhlIENB, tls-server-name: kubernetes", "token: abc"));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->token, "abc");
  EXPECT_EQ(config->tls.server_name, "kubernetes");
  const SteadyClock clock;
  EXPECT_EQ(MakeTokenSource(*config, clock)->Token().value(), "abc");
  EXPECT_EQ(MakeTokenSource(*Load(kK3s), clock), nullptr);
}

TEST_F(Kubeconfig, AnotherContextCanBeAskedFor) {
  const std::string text = std::string(kK3s) + "\n";
  EXPECT_TRUE(Load(text, {"default", false}));
  const auto config = Load(text, {"other", false});
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().message.find("'other'"), std::string::npos);
}

TEST_F(Kubeconfig, RefusesUnsupportedFields) {
  const std::string ca = "certificate-authority-data: dGhlIENB";
  ExpectRefused(With(ca, "exec: {command: aws}"), "user.exec");
  ExpectRefused(With(ca, "auth-provider: {name: gcp}"), "user.auth-provider");
  ExpectRefused(With(ca, "username: a, password: b"), "user.username");
  ExpectRefused(With(ca, "as: root, token: t"), "user.as");
  ExpectRefused(With(ca + ", proxy-url: 'http://p'", "token: t"), "cluster.proxy-url");
}

TEST_F(Kubeconfig, UnverifiedServersMustBeAllowedByName) {
  const std::string text = With("insecure-skip-tls-verify: true", "token: t");
  ExpectRefused(text, "cluster.insecure-skip-tls-verify");
  const auto config = Load(text, {"", true});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_TRUE(config->tls.skip_verification);
}

TEST_F(Kubeconfig, RefusesInvalidFilesWithOneLine) {
  ExpectRefused("", "kubeconfig: must be an object");
  ExpectRefused("a: [", "line");
  ExpectRefused("kind: Config", "current-context");
  ExpectRefused("current-context: x\ncontexts: 7", "contexts: must be a list");
  ExpectRefused(With("certificate-authority-data: '%%%'", "token: t"), "must be base64");
  ExpectRefused(With("extensions: []", "token: t"), "certificate-authority-data");
  ExpectRefused(With("certificate-authority-data: dGhlIENB", "token: 7"), "user.token");
  ExpectRefused(With("certificate-authority-data: dGhlIENB", "client-key-data: dGhlIGtleQ=="),
                "client-certificate and client-key");
  EXPECT_FALSE(LoadKubeconfig((folder_.Path() / "missing").string()));
  EXPECT_FALSE(LoadKubeconfig(folder_.Path().string()));
}

}  // namespace
}  // namespace evenkeel::kube
