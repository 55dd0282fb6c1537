// Peers that speak HTTP/2 and gRPC correctly and ask for too much.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/protocol/evenkeel.grpc.pb.h"
#include "core/protocol/server_setup.h"
#include "core/protocol/translation.h"
#include "tests/integration/transport/recorders.h"

namespace evenkeel {
namespace {

/// One call that sends a Hello and stays open until it is cancelled or refused.
class OpenCall final : public grpc::ClientBidiReactor<v1::WorkerMessage, v1::CoordinatorMessage> {
 public:
  OpenCall(v1::Coordinator::Stub& stub, const std::string& node, const std::string& metadata) {
    if (!metadata.empty()) context_.AddMetadata("x-test", metadata);
    for (auto& item : protocol::ToProto(engine::ToCoordinator{HelloOf(node)})) {
      *hello_.add_items() = item;
    }
    stub.async()->Work(&context_, this);
    StartWrite(&hello_);
    StartRead(&answer_);
    StartCall();
  }
  ~OpenCall() override {
    context_.TryCancel();
    static_cast<void>(AwaitStatus());
  }

  void OnDone(const grpc::Status& status) override {
    const std::lock_guard lock(mutex_);
    status_ = status;
    done_.notify_all();
  }

  /// The status with which the call ended.
  [[nodiscard]] grpc::Status AwaitStatus() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return status_.has_value(); });
    return *status_;
  }

 private:
  grpc::ClientContext context_;
  v1::WorkerMessage hello_;
  v1::CoordinatorMessage answer_;
  std::mutex mutex_;
  std::condition_variable done_;
  std::optional<grpc::Status> status_;
};

class HostilePeerTest : public testing::Test {
 protected:
  HostilePeerTest() {
    auto started = coordinator::WorkerServer::Start({}, heard_);
    EXPECT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
    stub_ = v1::Coordinator::NewStub(grpc::CreateChannel(
        "ipv4:127.0.0.1:" + std::to_string(server_->Port()), grpc::InsecureChannelCredentials()));
  }

  /// Expects that a worker on a separate connection is served.
  void ExpectOthersAreServed() {
    const std::size_t before = heard_.Messages().size();
    RecordingWorker told;
    worker::ConnectionOptions options;
    options.address = "127.0.0.1:" + std::to_string(server_->Port());
    const auto connection = worker::CoordinatorConnection::Connect(options, told);
    connection->Send(HelloOf("other"));
    EXPECT_TRUE(heard_.AwaitMessages(before + 1));
    EXPECT_EQ(heard_.Messages().back().second, engine::ToCoordinator{HelloOf("other")});
  }

  RecordingServer heard_;
  std::unique_ptr<coordinator::WorkerServer> server_;
  std::unique_ptr<v1::Coordinator::Stub> stub_;
};

TEST_F(HostilePeerTest, OneConnectionHasABoundedNumberOfStreams) {
  std::map<std::string, std::unique_ptr<OpenCall>> calls;
  constexpr std::size_t kMost = protocol::kMaxStreamsPerConnection;
  for (std::size_t n = 0; n < 3 * kMost; ++n) {
    const std::string node = "pi-" + std::to_string(n);
    calls[node] = std::make_unique<OpenCall>(*stub_, node, "");
  }
  ASSERT_TRUE(heard_.AwaitMessages(kMost));
  ExpectOthersAreServed();
  EXPECT_EQ(heard_.Messages().size(), kMost + 1);
  calls.erase(std::get<engine::Hello>(heard_.Messages().front().second).node);
  EXPECT_TRUE(heard_.AwaitMessages(kMost + 2)) << "the next one was only waiting";
}

TEST_F(HostilePeerTest, OversizedMetadataEndTheCall) {
  OpenCall call(*stub_, "pi", std::string(std::size_t{16} * protocol::kMaxMetadataBytes, 'm'));
  EXPECT_EQ(call.AwaitStatus().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(heard_.Messages().empty());
  ExpectOthersAreServed();
}

TEST_F(HostilePeerTest, AHelloWithTooManyRangesEndsTheStream) {
  RecordingWorker told;
  worker::ConnectionOptions options;
  options.address = "127.0.0.1:" + std::to_string(server_->Port());
  const auto connection = worker::CoordinatorConnection::Connect(options, told);
  engine::Hello hello = HelloOf("pi");
  hello.held.assign(1'000'000, {engine::GrantId{1}, {0, 1}});
  connection->Send(hello);
  ASSERT_TRUE(told.AwaitClosed());
  EXPECT_EQ(told.Reasons().front(),
            "protocol error of the peer: Hello with more than 100000 held ranges");
  ExpectOthersAreServed();
}

}  // namespace
}  // namespace evenkeel
