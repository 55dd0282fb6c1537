// Input files over real connections: from the coordinator, and from one worker to another.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "coordinator/file_home.h"
#include "core/protocol/tls_credentials.h"
#include "tests/integration/transport/certificates.h"
#include "tests/integration/transport/recorders.h"
#include "tests/unit/files/file_samples.h"
#include "tests/unit/report/temporary_folder.h"
#include "worker/file_client.h"

namespace evenkeel {
namespace {

using files::kLarge;
using files::SampleBytes;

constexpr const char* kServerName = "sums-coordinator";
constexpr const char* kClientName = "sums-worker";

/// The coordinator's files; may send wrong bytes, or redirect to any address.
class FakeHome final : public protocol::FileSource {
 public:
  explicit FakeHome(coordinator::FileHome& home) : home_(home) {}
  Result<std::vector<protocol::ListedFile>> List(std::uint64_t task) override {
    return home_.List(task);
  }
  std::string Redirect(const protocol::ChunkCall& call) override {
    return redirect.empty() ? home_.Redirect(call) : redirect;
  }
  Result<std::string> Read(const protocol::ChunkCall& call) override {
    ++chunks_read;
    auto bytes = home_.Read(call);
    if (bytes && wrong_answers > 0) {
      --wrong_answers;
      bytes->front() ^= 1;
    }
    return bytes;
  }
  std::atomic<int> chunks_read{0};
  std::atomic<int> wrong_answers{0};
  std::string redirect;

 private:
  coordinator::FileHome& home_;
};

/// Lies about each chunk.
class Liar final : public protocol::FileSource {
 public:
  Result<std::vector<protocol::ListedFile>> List(std::uint64_t) override {
    return InvalidInput("");
  }
  std::string Redirect(const protocol::ChunkCall&) override { return {}; }
  Result<std::string> Read(const protocol::ChunkCall&) override {
    ++asked;
    return "lie";
  }
  std::atomic<int> asked{0};
};

/// A node with a cache.
struct FileNode {
  std::unique_ptr<files::ChunkCache> cache;
  std::unique_ptr<worker::FileClient> client;

  /// The first error, or nothing if the task has these files with these bytes.
  std::string Check(model::TaskIndex task, const std::vector<std::string>& contents) {
    const auto inputs = client->Acquire(task, "", {});
    if (!inputs) return inputs.error().message;
    if (inputs->size() != contents.size()) return "another number of files";
    for (std::size_t n = 0; n < contents.size(); ++n) {
      if (files::BytesOf((*inputs)[n].source) != contents[n]) return "wrong bytes";
    }
    client->Release(task);
    return "";
  }
};

/// With and without TLS. Task n < 3 has the files "common" and "n"; task 3 has one that is missing.
class FilesTest : public testing::TestWithParam<bool> {
 protected:
  FilesTest() {
    files::WriteFile(Inputs() / "common", common_);
    for (int n = 0; n < 3; ++n) files::WriteFile(Inputs() / std::to_string(n), Own(n));
    Serve(0);
  }

  [[nodiscard]] bool Tls() const { return GetParam(); }
  [[nodiscard]] std::filesystem::path Inputs() const { return folder_.Path() / "inputs"; }
  static std::string Own(int task) { return "file of task " + std::to_string(task); }

  void Serve(std::uint16_t port) {
    server_.reset();
    coordinator::ServerOptions options;
    options.address = "127.0.0.1:" + std::to_string(port);
    if (Tls()) options.tls = authority_.Issue(kServerName, "serverAuth");
    options.client_name = kClientName;
    options.files = &source_;
    options.block_token = Tls() ? "" : "secret";
    auto started = coordinator::WorkerServer::Start(options, heard_);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }

  std::unique_ptr<FileNode> MakeNode(const std::string& name, const std::string& token = "secret",
                                     const std::string& certificate = kClientName) {
    auto node = std::make_unique<FileNode>();
    auto cache = files::ChunkCache::Open({folder_.Path() / name, std::int64_t{1} << 30});
    EXPECT_TRUE(cache);
    node->cache = std::move(*cache);
    worker::FileClient::Options options;
    options.home.address = "127.0.0.1:" + std::to_string(server_->Port());
    if (Tls()) options.home.tls = authority_.Issue(certificate, "clientAuth,serverAuth");
    options.home.server_name = Tls() ? kServerName : "";
    options.token = Tls() ? "" : token;
    options.peer_name = Tls() ? kClientName : "";
    auto client = worker::FileClient::Start(options, *node->cache);
    EXPECT_TRUE(client);
    node->client = std::move(*client);
    return node;
  }

  const std::string common_ = SampleBytes(kLarge, 1);  // three chunks
  report::TemporaryFolder folder_;
  TestAuthority authority_;
  files::OriginIndex index_{{Inputs()}};
  coordinator::FileHome home_{
      index_,
      [](std::uint64_t task) {
        return Result<std::vector<std::string>>({"common", std::to_string(task)});
      },
      true};
  FakeHome source_{home_};
  RecordingServer heard_;
  std::unique_ptr<coordinator::WorkerServer> server_;
};

TEST_P(FilesTest, LeaveTheCoordinatorOnce) {
  const auto first = MakeNode("a");
  EXPECT_EQ(first->Check(0, {common_, Own(0)}), "");
  EXPECT_EQ(source_.chunks_read, 4);
  EXPECT_EQ(first->Check(1, {common_, Own(1)}), "");
  EXPECT_EQ(source_.chunks_read, 5) << "the common file was in the cache";
  for (const char* name : {"b", "c"}) EXPECT_EQ(MakeNode(name)->Check(1, {common_, Own(1)}), "");
  EXPECT_EQ(source_.chunks_read, 5) << "the others got them from the first";
}

TEST_P(FilesTest, AreFetchedOnceForManyTasks) {
  const auto node = MakeNode("a");
  std::vector<std::thread> tasks;
  for (int n = 0; n < 3; ++n) {
    tasks.emplace_back([&, n] { EXPECT_EQ(node->Check(n, {common_, Own(n)}), ""); });
  }
  for (std::thread& task : tasks) task.join();
  EXPECT_EQ(source_.chunks_read, 6);
}

TEST_P(FilesTest, ComeFromTheCoordinatorIfAWorkerIsGone) {
  { EXPECT_EQ(MakeNode("a")->Check(0, {common_, Own(0)}), ""); }
  EXPECT_EQ(MakeNode("b")->Check(0, {common_, Own(0)}), "");
  EXPECT_EQ(source_.chunks_read, 8);
}

TEST_P(FilesTest, WithWrongBytesFromAWorkerComeFromTheCoordinator) {
  Liar liar;
  protocol::TrafficCounter traffic;
  protocol::FileService service({Tls() ? "" : "secret", Tls() ? kClientName : "", 1}, liar,
                                traffic);
  grpc::ServerBuilder builder;
  int port = 0;
  std::optional<protocol::TlsIdentity> identity;
  if (Tls()) identity = authority_.Issue(kClientName, "clientAuth,serverAuth");
  builder.AddListeningPort("127.0.0.1:0", protocol::ServerCredentialsOf(identity), &port);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  source_.redirect = "127.0.0.1:" + std::to_string(port);
  EXPECT_EQ(MakeNode("a")->Check(0, {common_, Own(0)}), "");
  EXPECT_EQ(liar.asked, 1) << "a liar is not asked again";
  EXPECT_EQ(source_.chunks_read, 4);
  server->Shutdown(std::chrono::system_clock::now());
}

TEST_P(FilesTest, WithWrongBytesFromTheCoordinatorAreFetchedAgain) {
  source_.wrong_answers = 2;
  EXPECT_EQ(MakeNode("a")->Check(0, {common_, Own(0)}), "");
  source_.wrong_answers = 1000;
  EXPECT_EQ(MakeNode("b", "secret")->Check(2, {common_, Own(2)}),
            "the coordinator sends wrong bytes of common");
}

TEST_P(FilesTest, CorruptedInACacheAreNotServedAndFetchedAgain) {
  const auto first = MakeNode("a");
  EXPECT_EQ(first->Check(0, {common_, Own(0)}), "");
  for (const auto& entry : std::filesystem::directory_iterator(folder_.Path() / "a")) {
    if (!entry.is_regular_file()) continue;
    ASSERT_EQ(::chmod(entry.path().c_str(), 0644), 0);
    files::WriteFile(entry.path(), "lie");
  }
  EXPECT_EQ(MakeNode("b")->Check(0, {common_, Own(0)}), "");
  EXPECT_EQ(source_.chunks_read, 8);
  EXPECT_EQ(first->Check(0, {common_, Own(0)}), "");
}

TEST_P(FilesTest, ThatAreMissingOrHaveChangedFailTheTask) {
  const auto node = MakeNode("a");
  EXPECT_EQ(node->Check(3, {}), "input 3: there is no such file");
  EXPECT_EQ(node->Check(0, {common_, Own(0)}), "");
  files::WriteFile(Inputs() / "0", "other bytes");
  EXPECT_EQ(node->Check(0, {}), "input 0: changed while the job ran");
  const auto failed = node->client->Acquire(0, "", {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(node->Check(1, {common_, Own(1)}), "") << "other tasks go on";
}

TEST_P(FilesTest, AreNotServedToUnauthenticatedClients) {
  const auto node = Tls() ? MakeNode("a", "", "other-worker") : MakeNode("a", "guessed");
  EXPECT_EQ(node->Check(0, {}),
            "the coordinator refuses to exchange files: " +
                std::string(Tls() ? "the certificate does not have the name sums-worker"
                                  : "the token is wrong"));
  EXPECT_EQ(source_.chunks_read, 0);
}

TEST_P(FilesTest, WaitForTheCoordinatorAndResume) {
  const auto node = MakeNode("a");
  EXPECT_EQ(node->Check(0, {common_, Own(0)}), "");
  const std::uint16_t port = server_->Port();
  server_.reset();
  auto waiting = std::async(std::launch::async, [&] { return node->Check(1, {common_, Own(1)}); });
  Serve(port);
  EXPECT_EQ(waiting.get(), "");
  EXPECT_EQ(source_.chunks_read, 5) << "nothing is fetched twice";
}

TEST_P(FilesTest, WaitsForTheCoordinatorEndWithTheTask) {
  const auto node = MakeNode("a");
  server_.reset();
  std::stop_source stop;
  auto waiting = std::async(std::launch::async,
                            [&] { return node->client->Acquire(0, "", stop.get_token()); });
  stop.request_stop();
  const auto ended = waiting.get();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kUnavailable);
}

INSTANTIATE_TEST_SUITE_P(Open, FilesTest, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Tls, FilesTest, testing::Values(true));

}  // namespace
}  // namespace evenkeel
