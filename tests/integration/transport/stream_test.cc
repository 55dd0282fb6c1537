#include <gtest/gtest.h>

#include <atomic>

#include "core/protocol/limits.h"
#include "tests/integration/transport/recorders.h"

namespace evenkeel {
namespace {

using coordinator::StreamId;
using coordinator::WorkerServer;
using worker::CoordinatorConnection;

engine::Recall RecallNumber(std::uint64_t number) { return {engine::RecallId{number}, 1}; }
engine::GiveBack AnswerTo(std::uint64_t number) { return {engine::RecallId{number}, {}}; }

class StreamTest : public testing::Test {
 protected:
  void StartServer(coordinator::ServerOptions options = {}) {
    auto started = WorkerServer::Start(options, heard_);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }

  std::unique_ptr<CoordinatorConnection> Connect(RecordingWorker& listener) {
    worker::ConnectionOptions options;
    options.address = "127.0.0.1:" + std::to_string(server_->Port());
    return CoordinatorConnection::Connect(options, listener);
  }

  /// Connects, sends a Hello and returns the server's id of the stream.
  StreamId Introduce(CoordinatorConnection& connection) {
    const std::size_t before = heard_.Messages().size();
    connection.Send(HelloOf("pi"));
    EXPECT_TRUE(heard_.AwaitMessages(before + 1));
    return heard_.Messages().at(before).first;
  }

  RecordingServer heard_;
  RecordingWorker told_;
  std::unique_ptr<WorkerServer> server_;
};

TEST_F(StreamTest, MessagesArriveInOrderBothWays) {
  constexpr std::uint64_t kMessages = 10000;
  heard_.on_message = [this](StreamId stream, const engine::ToCoordinator& message) {
    if (const auto* answer = std::get_if<engine::GiveBack>(&message)) {
      server_->Send(stream, RecallNumber(answer->recall.value));
    }
  };
  StartServer();
  const auto connection = Connect(told_);
  for (std::uint64_t n = 0; n < kMessages; ++n) connection->Send(AnswerTo(n));
  ASSERT_TRUE(told_.AwaitMessages(kMessages));

  const auto heard = heard_.Messages();
  const auto told = told_.Messages();
  ASSERT_EQ(heard.size(), kMessages);
  ASSERT_EQ(told.size(), kMessages);
  for (std::uint64_t n = 0; n < kMessages; ++n) {
    ASSERT_EQ(heard[n].second, engine::ToCoordinator{AnswerTo(n)});
    ASSERT_EQ(told[n], engine::ToWorker{RecallNumber(n)});
  }
  const protocol::Traffic at_worker = connection->Counters();
  const protocol::Traffic at_server = server_->Counters();
  EXPECT_EQ(at_worker.messages_sent, static_cast<std::int64_t>(kMessages));
  EXPECT_EQ(at_worker.bytes_sent, at_server.bytes_received);
  EXPECT_EQ(at_worker.bytes_received, at_server.bytes_sent);
  EXPECT_LT(at_worker.writes, at_worker.messages_sent / 2) << "a burst must not cost a write each";
}

TEST_F(StreamTest, ALargeResultArrivesWhole) {
  StartServer();
  const auto connection = Connect(told_);
  engine::Report report;
  const std::string bytes(1024 * 1024, 'r');
  report.completed.push_back(
      {{5, 6}, {}, {}, {}, false, model::PackedResults::OfEqualSize(1, 1024 * 1024, bytes)});
  connection->Send(report);
  ASSERT_TRUE(heard_.AwaitMessages(1));
  EXPECT_EQ(heard_.Messages().front().second, engine::ToCoordinator{report});
}

TEST_F(StreamTest, AWorkersCloseIsReportedOnceAfterItsLastMessage) {
  StartServer();
  auto connection = Connect(told_);
  const StreamId stream = Introduce(*connection);
  connection->Send(engine::Goodbye{});
  connection->Close();
  ASSERT_TRUE(heard_.AwaitClosed(1));
  ASSERT_TRUE(told_.AwaitClosed());
  EXPECT_EQ(heard_.Messages().back().second, engine::ToCoordinator{engine::Goodbye{}});
  connection.reset();
  server_->Shutdown();
  EXPECT_EQ(heard_.Closed(), (std::map<StreamId, int>{{stream, 1}}));
  EXPECT_EQ(told_.Reasons(), std::vector<std::string>{"the coordinator closed the stream"});
}

TEST_F(StreamTest, TheServersCloseIsReportedOnceAfterItsLastMessage) {
  StartServer();
  auto connection = Connect(told_);
  const StreamId stream = Introduce(*connection);
  server_->Send(stream, engine::Refusal{"not of this job"});
  server_->Close(stream);
  server_->Close(stream);
  ASSERT_TRUE(told_.AwaitClosed());
  ASSERT_TRUE(heard_.AwaitClosed(1));
  EXPECT_EQ(told_.Messages(), std::vector<engine::ToWorker>{engine::Refusal{"not of this job"}});
  connection->Send(engine::Goodbye{});
  server_->Send(stream, engine::Finish{"late"});
  connection.reset();
  server_->Shutdown();
  EXPECT_EQ(heard_.Closed(), (std::map<StreamId, int>{{stream, 1}}));
  EXPECT_EQ(told_.Reasons().size(), 1u);
  EXPECT_EQ(told_.Messages().size(), 1u);
}

TEST_F(StreamTest, AVanishedWorkerIsReportedAsClosed) {
  StartServer();
  auto connection = Connect(told_);
  const StreamId stream = Introduce(*connection);
  connection.reset();
  ASSERT_TRUE(heard_.AwaitClosed(1));
  EXPECT_EQ(heard_.Closed(), (std::map<StreamId, int>{{stream, 1}}));
  EXPECT_EQ(told_.Reasons(), std::vector<std::string>{"cut by this side"})
      << "told before the destructor returned";
}

TEST_F(StreamTest, ShutdownDeliversWhatIsQueuedAndEndsEveryStream) {
  StartServer();
  constexpr std::size_t kWorkers = 8;
  std::vector<RecordingWorker> told(kWorkers);
  std::vector<std::unique_ptr<CoordinatorConnection>> connections;
  for (RecordingWorker& listener : told) {
    connections.push_back(Connect(listener));
    server_->Send(Introduce(*connections.back()), engine::Finish{"complete"});
  }
  server_->Shutdown();
  EXPECT_EQ(heard_.Closed().size(), kWorkers);
  for (RecordingWorker& listener : told) {
    ASSERT_TRUE(listener.AwaitClosed());
    EXPECT_EQ(listener.Messages(), std::vector<engine::ToWorker>{engine::Finish{"complete"}});
  }
}

/// A worker that hangs in its first message until it is let go.
class HangingWorker final : public worker::ConnectionListener {
 public:
  void OnMessage(engine::ToWorker) override { let_go_.wait(false); }
  void OnClosed(const std::string&) override {}
  void Release() {
    let_go_ = true;
    let_go_.notify_all();
  }

 private:
  std::atomic<bool> let_go_{false};
};

TEST_F(StreamTest, AWorkerThatDoesNotReadIsDisconnected) {
  StartServer();
  HangingWorker hanging;
  worker::ConnectionOptions options;
  options.address = "127.0.0.1:" + std::to_string(server_->Port());
  const auto connection = CoordinatorConnection::Connect(options, hanging);
  const StreamId stream = Introduce(*connection);
  const std::string reason(static_cast<std::size_t>(protocol::kMaxTextBytes), 'x');
  // The maximum of queued messages, and as many for the transport's buffers.
  const std::int64_t enough = 2 * protocol::kMaxQueuedBytes / protocol::kMaxTextBytes;
  for (std::int64_t n = 0; n < enough; ++n) server_->Send(stream, engine::Finish{reason});
  EXPECT_TRUE(heard_.AwaitClosed(1));
  hanging.Release();
}

TEST_F(StreamTest, AWorkerWithoutACoordinatorGetsAnError) {
  StartServer();
  worker::ConnectionOptions options;
  options.address = "127.0.0.1:" + std::to_string(server_->Port());
  server_->Shutdown();
  const auto connection = CoordinatorConnection::Connect(options, told_);
  connection->Send(HelloOf("pi"));
  ASSERT_TRUE(told_.AwaitClosed());
  EXPECT_NE(told_.Reasons().front().find("connect"), std::string::npos) << told_.Reasons().front();
}

TEST_F(StreamTest, StreamsBeyondTheLimitAreRefusedWithAReason) {
  coordinator::ServerOptions options;
  options.max_streams = 1;
  StartServer(options);
  const auto first = Connect(told_);
  Introduce(*first);
  RecordingWorker second_told;
  const auto second = Connect(second_told);
  ASSERT_TRUE(second_told.AwaitClosed());
  EXPECT_EQ(second_told.Reasons().front(), "the coordinator takes no more workers now");
  EXPECT_EQ(heard_.Messages().size(), 1u);
}

TEST_F(StreamTest, ASecondHelloEndsTheStream) {
  StartServer();
  const auto connection = Connect(told_);
  for (int n = 0; n < 1000; ++n) connection->Send(HelloOf("pi"));
  ASSERT_TRUE(told_.AwaitClosed());
  EXPECT_EQ(told_.Reasons().front(), "a second Hello on one stream");
  EXPECT_EQ(heard_.Messages().size(), 1u);
}

TEST_F(StreamTest, APortThatIsTakenIsRefused) {
  StartServer();
  coordinator::ServerOptions options;
  options.address = "127.0.0.1:" + std::to_string(server_->Port());
  RecordingServer other;
  const auto second = WorkerServer::Start(options, other);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace evenkeel
