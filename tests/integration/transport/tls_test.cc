#include <gtest/gtest.h>

#include "coordinator/stream_admission.h"
#include "tests/integration/transport/certificates.h"
#include "tests/integration/transport/recorders.h"

namespace evenkeel {
namespace {

constexpr const char* kName = "coordinator.primes";

class TlsTest : public testing::Test {
 protected:
  TlsTest() { Serve(authority_.Issue(kName, "serverAuth"), ""); }

  void Serve(protocol::TlsIdentity identity, const std::string& client_name) {
    coordinator::ServerOptions options;
    options.tls = std::move(identity);
    options.client_name = client_name;
    Serve(options);
  }

  void Serve(const coordinator::ServerOptions& options) {
    server_.reset();
    auto started = coordinator::WorkerServer::Start(options, heard_);
    EXPECT_TRUE(started) << started.error().message;
    if (started) server_ = std::move(*started);
  }

  worker::ConnectionOptions Options(std::optional<protocol::TlsIdentity> tls) {
    worker::ConnectionOptions options;
    options.address = "127.0.0.1:" + std::to_string(server_->Port());
    options.tls = std::move(tls);
    options.server_name = kName;
    return options;
  }

  /// Expects that the server ends the stream of a worker with these options before its Hello
  /// arrives. Returns the reason that the worker gets.
  std::string ExpectRefused(const worker::ConnectionOptions& options) {
    RecordingWorker told;
    const auto connection = worker::CoordinatorConnection::Connect(options, told);
    connection->Send(HelloOf("stranger"));
    EXPECT_TRUE(told.AwaitClosed());
    EXPECT_TRUE(told.Messages().empty());
    EXPECT_TRUE(heard_.Messages().empty());
    return told.Reasons().empty() ? "" : told.Reasons().front();
  }

  TestAuthority authority_;
  RecordingServer heard_;
  std::unique_ptr<coordinator::WorkerServer> server_;
};

TEST_F(TlsTest, AWorkerOfTheJobIsAccepted) {
  RecordingWorker told;
  const auto connection =
      worker::CoordinatorConnection::Connect(Options(authority_.Issue("worker")), told);
  connection->Send(HelloOf("pi"));
  ASSERT_TRUE(heard_.AwaitMessages(1));
  EXPECT_EQ(heard_.Messages().front().second, engine::ToCoordinator{HelloOf("pi")});
  server_->Send(heard_.Messages().front().first, engine::Finish{"complete"});
  ASSERT_TRUE(told.AwaitMessages(1));
}

TEST_F(TlsTest, AClientWithoutACertificateIsRefused) {
  protocol::TlsIdentity none = authority_.Issue("worker");
  none.certificate_pem.clear();
  none.key_pem.clear();
  ExpectRefused(Options(none));
}

TEST_F(TlsTest, ACertificateOfAnotherAuthorityIsRefused) {
  const TestAuthority other;
  protocol::TlsIdentity forged = other.Issue("worker");
  forged.ca_pem = authority_.Issue("worker").ca_pem;
  ExpectRefused(Options(forged));
}

TEST_F(TlsTest, AClientWithoutTlsIsRefused) { ExpectRefused(Options(std::nullopt)); }

TEST_F(TlsTest, AWorkerTrustsOnlyItsCoordinatorsName) {
  worker::ConnectionOptions options = Options(authority_.Issue("worker"));
  options.server_name = "coordinator.sums";
  ExpectRefused(options);
}

TEST_F(TlsTest, ACertificateOfAnotherRoleIsRefused) {
  ExpectRefused(Options(authority_.Issue(kName, "serverAuth")));
}

TEST_F(TlsTest, OnlyTheNameOfTheJobsWorkersIsAccepted) {
  Serve(authority_.Issue(kName, "serverAuth"), "primes-worker");
  for (const char* name : {"sums-worker", "primes-coordinator", "x.primes-worker"}) {
    ExpectRefused(Options(authority_.Issue(name, "clientAuth")));
  }
  RecordingWorker told;
  const auto connection = worker::CoordinatorConnection::Connect(
      Options(authority_.Issue("primes-worker", "clientAuth")), told);
  connection->Send(HelloOf("pi"));
  EXPECT_TRUE(heard_.AwaitMessages(1));
}

// ---- One identity per worker ----

class WorkerIdentityTest : public TlsTest {
 protected:
  WorkerIdentityTest() {
    coordinator::ServerOptions options;
    options.tls = authority_.Issue(kName, "serverAuth");
    options.client_name = "primes-worker";
    options.namespace_name = "default";
    options.job = "primes";
    Serve(options);
  }

  /// A connection of this pod, whose Hello names `node`.
  std::unique_ptr<worker::CoordinatorConnection> Connect(const std::string& pod,
                                                         const std::string& node,
                                                         RecordingWorker& told) {
    auto connection = worker::CoordinatorConnection::Connect(
        Options(authority_.IssueWorker("primes", pod, "pi")), told);
    connection->Send(HelloOf(node));
    return connection;
  }
};

TEST_F(WorkerIdentityTest, AHelloCarriesThePodOfTheCertificate) {
  RecordingWorker told;
  const auto connection = Connect("pod-1", "pi", told);
  ASSERT_TRUE(heard_.AwaitMessages(1));
  engine::Hello expected = HelloOf("pi");
  expected.peer = "pod-1";
  EXPECT_EQ(heard_.Messages().front().second, engine::ToCoordinator{expected});
}

TEST_F(WorkerIdentityTest, ACertificateMustNameOneWorkerOfTheJob) {
  const std::string uri = model::WorkerUri({"default", "primes", "pod-1", "pi"});
  const std::vector<std::vector<std::string>> refused = {
      {},
      {uri, model::WorkerUri({"default", "primes", "pod-2", "pi"})},
      {uri, "https://example.org/"},
      {model::WorkerUri({"lab", "primes", "pod-1", "pi"})},
      {model::WorkerUri({"default", "sums", "pod-1", "pi"})},
      {"spiffe://example.org/ns/default/wj/primes/pod/pod-1/node/pi"},
      {uri + "/"},
  };
  for (const auto& uris : refused) {
    EXPECT_EQ(ExpectRefused(Options(authority_.IssueUris("primes-worker", uris))),
              "the certificate does not name one worker of job default/primes");
  }
}

TEST_F(WorkerIdentityTest, AWorkerThatClaimsAnotherNodeIsRefused) {
  RecordingWorker told;
  const auto connection = Connect("pod-1", "pi4", told);
  ASSERT_TRUE(told.AwaitClosed());
  EXPECT_EQ(told.Reasons().front(),
            "pod pod-1 has the certificate of node pi and says that it is node pi4");
  EXPECT_TRUE(heard_.Messages().empty());
}

TEST_F(WorkerIdentityTest, AThirdStreamClosesTheOldestOfTheSameWorkerOnly) {
  RecordingWorker others_told;
  const auto other = Connect("pod-2", "pi", others_told);
  ASSERT_TRUE(heard_.AwaitMessages(1));
  std::vector<RecordingWorker> told(3);
  std::vector<std::unique_ptr<worker::CoordinatorConnection>> connections;
  for (std::size_t n = 0; n < told.size(); ++n) {
    connections.push_back(Connect("pod-1", "pi", told[n]));
    ASSERT_TRUE(heard_.AwaitMessages(n + 2));
  }
  ASSERT_TRUE(told.front().AwaitClosed());
  ASSERT_TRUE(heard_.AwaitClosed(1));
  EXPECT_EQ(heard_.Closed().begin()->first, heard_.Messages().at(1).first);
  EXPECT_TRUE(told[1].Reasons().empty());
  EXPECT_TRUE(told[2].Reasons().empty());
  EXPECT_TRUE(others_told.Reasons().empty());
}

TEST_F(WorkerIdentityTest, LimitsTheRateOfStreamsOfEachWorker) {
  const worker::ConnectionOptions storm = Options(authority_.IssueWorker("primes", "pod-1", "pi"));
  std::string reason;
  for (int n = 0; n < 100 * coordinator::StreamAdmission::kBurst && reason.empty(); ++n) {
    RecordingWorker told;
    const auto connection = worker::CoordinatorConnection::Connect(storm, told);
    connection->Close();
    ASSERT_TRUE(told.AwaitClosed());
    if (told.Reasons().front() != "the coordinator closed the stream") {
      reason = told.Reasons().front();
    }
  }
  EXPECT_EQ(reason, "pod pod-1 opens streams too often");
  RecordingWorker told;
  const auto other = Connect("pod-2", "pi", told);
  EXPECT_TRUE(heard_.AwaitMessages(1));
}

TEST_F(TlsTest, AWorkerCannotPoseAsTheCoordinator) {
  const auto worker = authority_.Issue("primes-worker", "clientAuth");
  Serve(authority_.Issue("primes-worker", "clientAuth,serverAuth"), "");
  ExpectRefused(Options(worker));  // of another name
  Serve(authority_.Issue(kName, "clientAuth"), "");
  ExpectRefused(Options(worker));  // for another use
}

TEST_F(TlsTest, BadCertificatesDoNotStartAServer) {
  coordinator::ServerOptions options;
  options.tls = protocol::TlsIdentity{"no", "such", "thing"};
  RecordingServer listener;
  const auto started = coordinator::WorkerServer::Start(options, listener);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace evenkeel
