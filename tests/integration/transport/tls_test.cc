#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "coordinator/stream_admission.h"
#include "core/protocol/tls_credentials.h"
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

// ---- Renewal ----

/// A folder of files that is replaced as the kubelet replaces the files of a Secret: all at once,
/// by the symbolic link ..data.
class SecretVolume {
 public:
  SecretVolume() {
    std::string folder = testing::TempDir() + "secret-XXXXXX";
    folder_ = ::mkdtemp(folder.data());
    for (const char* name : {"ca.crt", "tls.crt", "tls.key"}) {
      std::filesystem::create_symlink(std::filesystem::path("..data") / name, folder_ / name);
    }
  }
  ~SecretVolume() { std::filesystem::remove_all(folder_); }
  SecretVolume(const SecretVolume&) = delete;
  SecretVolume& operator=(const SecretVolume&) = delete;

  void Publish(const protocol::TlsIdentity& identity) {
    const std::string version = "..version-" + std::to_string(++versions_);
    std::filesystem::create_directory(folder_ / version);
    std::ofstream(folder_ / version / "ca.crt") << identity.ca_pem;
    std::ofstream(folder_ / version / "tls.crt") << identity.certificate_pem;
    std::ofstream(folder_ / version / "tls.key") << identity.key_pem;
    std::filesystem::create_symlink(version, folder_ / "..next");
    std::filesystem::rename(folder_ / "..next", folder_ / "..data");
  }

  /// Read again every second. Publish() comes first.
  [[nodiscard]] protocol::TlsIdentity Watch() const {
    protocol::TlsIdentity identity;
    identity.files = std::make_shared<protocol::WatchedTlsFiles>(
        protocol::TlsPaths{folder_ / "ca.crt", folder_ / "tls.crt", folder_ / "tls.key"},
        std::chrono::seconds(1));
    return identity;
  }

 private:
  std::filesystem::path folder_;
  int versions_ = 0;
};

class RenewalTest : public TlsTest {
 protected:
  /// Whether a worker with this identity gets through to the coordinator.
  bool Connects(const protocol::TlsIdentity& identity, const std::string& node) {
    const auto heard = [&] {
      const auto messages = heard_.Messages();
      return std::count_if(messages.begin(), messages.end(), [&](const auto& one) {
        const auto* hello = std::get_if<engine::Hello>(&one.second);
        return hello != nullptr && hello->node == node;
      });
    };
    const auto before = heard();
    RecordingWorker told;
    const auto connection = worker::CoordinatorConnection::Connect(Options(identity), told);
    connection->Send(HelloOf(node));
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (heard() == before && told.Reasons().empty()) {
      EXPECT_LT(std::chrono::steady_clock::now(), deadline);
      if (std::chrono::steady_clock::now() >= deadline) return false;
      std::this_thread::yield();
    }
    return heard() > before;
  }
  bool ConnectsSoon(bool wanted, const protocol::TlsIdentity& identity, const std::string& node) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < deadline) {
      if (Connects(identity, node) == wanted) return true;
    }
    return false;
  }
};

TEST_F(RenewalTest, TheKeyIsRotatedTwiceInMidRunAndNobodyRestarts) {
  const TestAuthority first;
  const TestAuthority second;
  const TestAuthority third;
  const auto worker = [](const TestAuthority& authority, const std::string& pod,
                         const std::string& bundle) {
    protocol::TlsIdentity identity = authority.IssueWorker("primes", pod, "node-of-" + pod);
    identity.ca_pem = bundle;
    return identity;
  };
  const auto server = [](const TestAuthority& authority, const std::string& bundle) {
    protocol::TlsIdentity identity = authority.Issue(kName, "serverAuth");
    identity.ca_pem = bundle;
    return identity;
  };
  const auto ca = [](const TestAuthority& authority) { return authority.Issue("any").ca_pem; };

  SecretVolume of_server;
  SecretVolume of_worker;
  of_server.Publish(server(first, ca(first)));
  of_worker.Publish(worker(first, "pod-1", ca(first)));
  coordinator::ServerOptions options;
  options.tls = of_server.Watch();
  options.client_name = "primes-worker";
  options.namespace_name = "default";
  options.job = "primes";
  Serve(options);
  const protocol::TlsIdentity watched = of_worker.Watch();
  EXPECT_TRUE(Connects(watched, "node-of-pod-1"));
  // This one stays through both rotations.
  RecordingWorker lasting;
  const auto connection =
      worker::CoordinatorConnection::Connect(Options(worker(first, "pod-2", ca(first))), lasting);
  const std::size_t before = heard_.Messages().size();
  connection->Send(HelloOf("node-of-pod-2"));
  ASSERT_TRUE(heard_.AwaitMessages(before + 1));

  const TestAuthority* authorities[] = {&first, &second, &third};
  for (int i = 1; i < 3; ++i) {
    const TestAuthority& old = *authorities[i - 1];
    const TestAuthority& next = *authorities[i];
    const std::string both = ca(old) + ca(next);
    // The bundle comes first: then both keys are trusted, whoever is renewed first.
    of_server.Publish(server(old, both));
    of_worker.Publish(worker(old, "pod-1", both));
    EXPECT_TRUE(ConnectsSoon(true, worker(next, "pod-3", both), "node-of-pod-3")) << i;
    EXPECT_TRUE(Connects(watched, "node-of-pod-1")) << i;
    of_server.Publish(server(next, both));
    // Who trusts the next key alone sees that the server has its certificate.
    EXPECT_TRUE(ConnectsSoon(true, worker(old, "pod-3", ca(next)), "node-of-pod-3")) << i;
    of_worker.Publish(worker(next, "pod-1", both));
    EXPECT_TRUE(Connects(watched, "node-of-pod-1")) << i;
    of_server.Publish(server(next, ca(next)));
    of_worker.Publish(worker(next, "pod-1", ca(next)));
    EXPECT_TRUE(ConnectsSoon(false, worker(old, "pod-3", both), "node-of-pod-3")) << i;
    // By now the worker's own certificate must be one of the next key.
    EXPECT_TRUE(ConnectsSoon(true, watched, "node-of-pod-1")) << i;
  }
  EXPECT_FALSE(Connects(worker(first, "pod-3", ca(third)), "node-of-pod-3"));
  EXPECT_TRUE(lasting.Reasons().empty());
  server_->Send(heard_.Messages()[before].first, engine::Finish{"complete"});
  EXPECT_TRUE(lasting.AwaitMessages(1));
}

TEST_F(RenewalTest, FilesThatDoNotFitTogetherLeaveTheIdentityAsItWas) {
  SecretVolume of_server;
  of_server.Publish(authority_.Issue(kName, "serverAuth"));
  coordinator::ServerOptions options;
  options.tls = of_server.Watch();
  Serve(options);
  protocol::TlsIdentity torn = authority_.Issue(kName, "serverAuth");
  torn.key_pem = torn.key_pem.substr(0, torn.key_pem.size() / 2);
  of_server.Publish(torn);
  // What the watcher has seen by then is not known here, but a later good version is used.
  const TestAuthority next;
  protocol::TlsIdentity renewed = next.Issue(kName, "serverAuth");
  renewed.ca_pem = authority_.Issue("any").ca_pem;
  EXPECT_TRUE(Connects(authority_.Issue("worker"), "a"));
  of_server.Publish(renewed);
  protocol::TlsIdentity client = authority_.Issue("worker");
  client.ca_pem = next.Issue("any").ca_pem;
  EXPECT_TRUE(ConnectsSoon(true, client, "b"));
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
