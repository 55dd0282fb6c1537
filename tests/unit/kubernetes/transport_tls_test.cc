#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "tests/support/test_certificates.h"
#include "tests/unit/kubernetes/server_fixture.h"

namespace evenkeel::kube {
namespace {

using std::chrono::seconds;

class TransportTls : public ::testing::Test {
 protected:
  /// A server whose certificate has these names.
  std::unique_ptr<support::InMemoryApiServer> Serve(const std::string& alternatives,
                                                    const std::string& client_ca = "") {
    const auto identity = authority_.Issue("API server", alternatives);
    support::InMemoryApiServerOptions options;
    options.certificate_pem = identity.certificate_pem;
    options.key_pem = identity.key_pem;
    options.client_ca_pem = client_ca;
    return std::make_unique<support::InMemoryApiServer>(options);
  }

  static Result<Response> Ask(const std::string& url, const TlsSettings& tls) {
    CpprestOptions options;
    options.server = url;
    options.tls = tls;
    const auto transport = MakeCpprestTransport(options);
    if (!transport) return tl::unexpected(transport.error());
    return (*transport)->Send({"GET", "/api/v1/pods", "", "", seconds(20)});
  }

  static void ExpectRefused(const Result<Response>& answer) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(answer.error().message.find("certificate"), std::string::npos)
        << answer.error().message;
  }

  support::TestAuthority authority_;
};

TEST_F(TransportTls, TrustsTheGivenAuthorityByAddressAndByName) {
  const auto server = Serve("IP:127.0.0.1,DNS:localhost");
  TlsSettings tls;
  tls.ca_pem = authority_.ca_pem();
  auto answer = Ask(server->url(), tls);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
  answer = Ask("https://localhost:" + std::to_string(server->port()), tls);
  EXPECT_TRUE(answer) << answer.error().message;
}

TEST_F(TransportTls, TrustsNoOtherAuthority) {
  const auto server = Serve("IP:127.0.0.1");
  TlsSettings tls;
  tls.ca_pem = support::TestAuthority().ca_pem();
  ExpectRefused(Ask(server->url(), tls));
  EXPECT_TRUE(server->Requests().empty());
}

TEST_F(TransportTls, OneOfSeveralAuthoritiesIsEnough) {
  const auto server = Serve("IP:127.0.0.1");
  TlsSettings tls;
  tls.ca_pem = support::TestAuthority().ca_pem() + authority_.ca_pem();
  EXPECT_TRUE(Ask(server->url(), tls));
}

TEST_F(TransportTls, ACertificateForAnotherNameIsRefused) {
  const auto server = Serve("DNS:kubernetes.default.svc");
  TlsSettings tls;
  tls.ca_pem = authority_.ca_pem();
  ExpectRefused(Ask(server->url(), tls));
  tls.server_name = "kubernetes.default.svc";
  const auto answer = Ask(server->url(), tls);
  EXPECT_TRUE(answer) << answer.error().message;
}

TEST_F(TransportTls, ShowsItsCertificate) {
  const auto server = Serve("IP:127.0.0.1", authority_.ca_pem());
  TlsSettings tls;
  tls.ca_pem = authority_.ca_pem();
  EXPECT_FALSE(Ask(server->url(), tls));
  const auto identity = authority_.Issue("system:admin");
  tls.certificate_pem = identity.certificate_pem;
  tls.key_pem = identity.key_pem;
  const auto answer = Ask(server->url(), tls);
  EXPECT_TRUE(answer) << answer.error().message;
}

TEST_F(TransportTls, VerificationIsSkippedOnlyWhenTold) {
  const auto server = Serve("DNS:elsewhere");
  TlsSettings tls;
  tls.skip_verification = true;
  const auto answer = Ask(server->url(), tls);
  EXPECT_TRUE(answer) << answer.error().message;
}

TEST_F(TransportTls, BadPemIsRefusedBeforeAnythingIsSent) {
  const auto identity = authority_.Issue("me");
  const auto expect_invalid = [](const TlsSettings& tls, const std::string& part) {
    const auto answer = Ask("https://127.0.0.1:1", tls);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kInvalidInput) << answer.error().message;
    EXPECT_NE(answer.error().message.find(part), std::string::npos) << answer.error().message;
  };
  TlsSettings tls;
  expect_invalid(tls, "a CA is needed");
  tls.ca_pem = "nonsense";
  expect_invalid(tls, "the CA");
  tls.ca_pem = identity.ca_pem + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  expect_invalid(tls, "the CA");
  tls.ca_pem = identity.ca_pem;
  tls.certificate_pem = "nonsense";
  tls.key_pem = identity.key_pem;
  expect_invalid(tls, "client certificate");
  tls.certificate_pem = identity.certificate_pem;
  tls.key_pem = authority_.Issue("another").key_pem;
  expect_invalid(tls, "client key");
}

TEST_F(TransportTls, AQuietWatchStopsAtOnce) {
  const auto server = Serve("IP:127.0.0.1");
  CpprestOptions options;
  options.server = server->url();
  options.tls.ca_pem = authority_.ca_pem();
  const auto transport = MakeCpprestTransport(options);
  ASSERT_TRUE(transport);
  Lines lines;
  std::stop_source stop;
  auto watch = std::async(std::launch::async, [&] {
    return (*transport)
        ->Stream({"GET", kPodsPath + "?watch=1", "", "", seconds(600)}, lines, stop.get_token());
  });
  ASSERT_TRUE(server->WaitForWatches(1));
  server->Put(kPodsPath, Pod("a"));
  while (lines.All().empty()) std::this_thread::yield();
  const auto begin = std::chrono::steady_clock::now();
  stop.request_stop();
  const auto end = watch.get();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(1));
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(lines.Events(), std::vector<std::string>{"ADDED a"});
}

}  // namespace
}  // namespace evenkeel::kube
