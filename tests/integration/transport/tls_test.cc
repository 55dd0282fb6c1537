#include <gtest/gtest.h>

#include "tests/integration/transport/certificates.h"
#include "tests/integration/transport/recorders.h"

namespace evenkeel {
namespace {

constexpr const char* kName = "coordinator.primes";

class TlsTest : public testing::Test {
 protected:
  TlsTest() { Serve(authority_.Issue(kName, "serverAuth"), ""); }

  void Serve(protocol::TlsIdentity identity, const std::string& client_name) {
    server_.reset();
    coordinator::ServerOptions options;
    options.tls = std::move(identity);
    options.client_name = client_name;
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

  /// Expects that a worker with these options is turned away before it is heard.
  void ExpectRefused(const worker::ConnectionOptions& options) {
    RecordingWorker told;
    const auto connection = worker::CoordinatorConnection::Connect(options, told);
    engine::Hello hello;
    hello.node = "stranger";
    connection->Send(hello);
    EXPECT_TRUE(told.AwaitClosed());
    EXPECT_TRUE(told.Messages().empty());
    EXPECT_TRUE(heard_.Messages().empty());
  }

  TestAuthority authority_;
  RecordingServer heard_;
  std::unique_ptr<coordinator::WorkerServer> server_;
};

TEST_F(TlsTest, AWorkerOfTheJobIsHeardAndAnswered) {
  RecordingWorker told;
  const auto connection =
      worker::CoordinatorConnection::Connect(Options(authority_.Issue("worker")), told);
  engine::Hello hello;
  hello.node = "pi";
  connection->Send(hello);
  ASSERT_TRUE(heard_.AwaitMessages(1));
  EXPECT_EQ(heard_.Messages().front().second, engine::ToCoordinator{hello});
  server_->Send(heard_.Messages().front().first, engine::Finish{"complete"});
  ASSERT_TRUE(told.AwaitMessages(1));
}

TEST_F(TlsTest, AStrangerWithoutACertificateIsRefused) {
  protocol::TlsIdentity none = authority_.Issue("worker");
  none.certificate_pem.clear();
  none.key_pem.clear();
  ExpectRefused(Options(none));
}

TEST_F(TlsTest, AStrangerWithAnotherAuthoritysCertificateIsRefused) {
  const TestAuthority other;
  protocol::TlsIdentity forged = other.Issue("worker");
  forged.ca_pem = authority_.Issue("worker").ca_pem;
  ExpectRefused(Options(forged));
}

TEST_F(TlsTest, AStrangerWithoutTlsIsRefused) { ExpectRefused(Options(std::nullopt)); }

TEST_F(TlsTest, AWorkerTrustsOnlyItsCoordinatorsName) {
  worker::ConnectionOptions options = Options(authority_.Issue("worker"));
  options.server_name = "coordinator.sums";
  ExpectRefused(options);
}

TEST_F(TlsTest, ACertificateOfAnotherRoleIsRefused) {
  ExpectRefused(Options(authority_.Issue(kName, "serverAuth")));
}

TEST_F(TlsTest, OnlyTheNameOfTheJobsWorkersIsLetIn) {
  Serve(authority_.Issue(kName, "serverAuth"), "primes-worker");
  for (const char* name : {"sums-worker", "primes-coordinator", "x.primes-worker"}) {
    ExpectRefused(Options(authority_.Issue(name, "clientAuth")));
  }
  RecordingWorker told;
  const auto connection = worker::CoordinatorConnection::Connect(
      Options(authority_.Issue("primes-worker", "clientAuth")), told);
  engine::Hello hello;
  hello.node = "pi";
  connection->Send(hello);
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
