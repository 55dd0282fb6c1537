// Files over real connections: inputs from the coordinator, and from one worker to another; outputs
// to the coordinator.
#include <fcntl.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "coordinator/file_home.h"
#include "core/protocol/byte_buffers.h"
#include "core/protocol/tls_credentials.h"
#include "tests/integration/transport/certificates.h"
#include "tests/integration/transport/recorders.h"
#include "tests/unit/files/file_samples.h"
#include "tests/unit/report/temporary_folder.h"
#include "worker/cached_files.h"
#include "worker/channel.h"
#include "worker/chunk_fetcher.h"
#include "worker/chunk_host.h"
#include "worker/data_connections.h"
#include "worker/file_client.h"
#include "worker/file_prefetcher.h"

namespace evenkeel {
namespace {

using files::kLarge;
using files::SampleBytes;

constexpr const char* kServerName = "sums-coordinator";
constexpr const char* kClientName = "sums-worker";

/// The coordinator's files; may send and store wrong bytes, redirect to any address, lose answers,
/// and go away in the middle of an upload.
class FakeHome final : public protocol::ChunkSource, public protocol::FileSource {
 public:
  Result<std::vector<protocol::ListedFile>> List(std::uint64_t task,
                                                 std::string_view input) override {
    ++lists;
    return home->List(task, input);
  }
  protocol::Redirection Redirect(const protocol::ChunkCall& call) override {
    protocol::Redirection elsewhere =
        redirect.empty() ? home->Redirect(call) : protocol::Redirection{redirect, *call.digest};
    if (!elsewhere.holder.empty()) {
      const std::lock_guard lock(mutex_);
      redirected_ = true;
      changed_.notify_all();
    }
    return elsewhere;
  }
  Result<SharedBytes> Read(const protocol::ChunkCall& call) override {
    {
      std::unique_lock lock(mutex_);
      ++chunks_read;
      last_client = call.client;
      changed_.notify_all();
      changed_.wait(lock, [this] { return !holds_reads_; });
    }
    auto bytes = home->Read(call);
    if (holds_first_read.exchange(false)) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return redirected_; });
    }
    if (bytes && wrong_answers > 0) {
      --wrong_answers;
      std::string wrong = bytes->ToString();
      wrong.front() ^= 1;
      bytes = SharedBytes(std::move(wrong));
    }
    return bytes;
  }
  Result<void> Store(const protocol::StoreCall& call) override {
    {
      const std::lock_guard lock(mutex_);
      if (pieces_ == leaves_after) away_ = true;
      if (away_) {
        changed_.notify_all();
        return Lost();
      }
      ++pieces_;
    }
    protocol::StoreCall stored = call;
    if (wrong_pieces > 0 && !stored.bytes.empty()) {
      --wrong_pieces;
      stored.bytes.front() ^= 1;
    }
    auto answer = home->Store(stored);
    if (!answer) {
      const std::lock_guard lock(mutex_);
      refused_ = true;
      changed_.notify_all();
    }
    return Answer(std::move(answer));
  }
  Result<void> Commit(const protocol::UploadCall& upload,
                      const std::vector<protocol::ListedFile>& files) override {
    return Answer(home->Commit(upload, files));
  }
  void Announce(const std::string& node, const std::vector<std::uint64_t>& keys) override {
    const std::lock_guard lock(mutex_);
    announced[node] = keys;
  }
  /// From now on no chunk is sent until this is false again.
  void HoldReads(bool hold) {
    const std::lock_guard lock(mutex_);
    holds_reads_ = hold;
    changed_.notify_all();
  }
  /// Waits until so many chunks have been asked for. False after a minute.
  [[nodiscard]] bool AwaitReads(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return chunks_read >= count; });
  }
  /// Waits until the coordinator is away.
  void AwaitLeaving() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return away_; });
  }
  /// Waits until a piece of an output file has not been stored. False after a minute.
  [[nodiscard]] bool AwaitRefusal() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [this] { return refused_; });
  }
  void ComeBack() {
    const std::lock_guard lock(mutex_);
    leaves_after = -1;
    away_ = false;
  }

  std::unique_ptr<coordinator::FileHome> home;
  std::atomic<int> chunks_read{0};
  std::atomic<int> lists{0};
  std::atomic<int> wrong_answers{0};
  std::atomic<int> wrong_pieces{0};
  std::atomic<bool> holds_first_read{false};  // until a client has been redirected
  std::atomic<int> lost_answers{0};
  std::map<std::string, std::vector<std::uint64_t>> announced;
  std::string redirect;
  std::string last_client;  // address of the worker that read a chunk
  int leaves_after = -1;    // pieces of output files; -1: never

 private:
  static tl::unexpected<Error> Lost() { return Fail(ErrorCode::kUnavailable, "lost"); }
  Result<void> Answer(Result<void> answer) {
    if (lost_answers == 0) return answer;
    --lost_answers;
    return Lost();
  }

  std::mutex mutex_;  // guards what follows, leaves_after and last_client
  std::condition_variable changed_;
  int pieces_ = 0;
  bool away_ = false;
  bool refused_ = false;  // a piece of an output file
  bool redirected_ = false;
  bool holds_reads_ = false;
};

/// Lies about each chunk.
class Liar final : public protocol::ChunkSource {
 public:
  Result<SharedBytes> Read(const protocol::ChunkCall&) override {
    ++asked;
    return SharedBytes("lie");
  }
  std::atomic<int> asked{0};
};

/// A node with a cache.
struct FileNode {
  std::unique_ptr<files::ChunkCache> cache;
  std::unique_ptr<worker::CachedFiles> served;
  std::unique_ptr<worker::ChunkHost> host;
  std::unique_ptr<worker::DataConnections> connections;
  std::unique_ptr<worker::ChunkFetcher> chunks;
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

using Contents = std::map<std::string, std::string>;

/// Output files of a task on its node.
class TaskOutputs {
 public:
  TaskOutputs(const std::filesystem::path& folder, const Contents& contents) {
    for (const auto& [path, bytes] : contents) {
      const auto file = folder / std::to_string(descriptors_.size());
      files::WriteFile(file, bytes);
      descriptors_.emplace_back(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
      files_.push_back({path, descriptors_.back().Get(), static_cast<std::int64_t>(bytes.size())});
    }
  }
  [[nodiscard]] std::vector<workloads::OutputFile>& Files() { return files_; }

 private:
  std::vector<platform::FileDescriptor> descriptors_;
  std::vector<workloads::OutputFile> files_;
};

/// With and without TLS. Task n < 3 has the files "common" and "n"; task 3 has one that is missing;
/// task kManyFiles has all that AddSmallFiles has made.
class FilesTest : public testing::TestWithParam<bool> {
 protected:
  FilesTest() {
    MakeHome();
    files::WriteFile(Inputs() / "common", common_);
    for (int n = 0; n < 3; ++n) files::WriteFile(Inputs() / std::to_string(n), Own(n));
    Serve(0);
  }

  [[nodiscard]] bool Tls() const { return GetParam(); }
  [[nodiscard]] std::filesystem::path Inputs() const { return folder_.Path() / "inputs"; }
  static std::string Own(int task) { return "file of task " + std::to_string(task); }

  [[nodiscard]] std::filesystem::path Outputs() const { return folder_.Path() / "files"; }

  /// All files are of the same time.
  static workloads::FileVersion Version(const std::string& path) { return {path, 0, kModified, 0}; }

  /// The home of a coordinator that has just started.
  void MakeHome() {
    source_.home.reset();
    workloads::OutputFolder::Options options;
    options.folder = Outputs();
    options.limit_bytes = std::int64_t{16} << 20;
    outputs_.emplace(options);
    source_.home = std::make_unique<coordinator::FileHome>(
        index_,
        [this](std::uint64_t task,
               std::string_view) -> Result<std::vector<workloads::FileVersion>> {
          if (task != kManyFiles)
            return std::vector{Version("common"), Version(std::to_string(task))};
          std::vector<workloads::FileVersion> files;
          for (const std::string& name : small_files_) files.push_back(Version(name));
          return files;
        },
        *outputs_);
  }

  /// Adds files to task kManyFiles; returns their contents in the order of their names.
  std::vector<std::string> AddSmallFiles(int count) {
    std::vector<std::string> contents;
    for (int n = 0; n < count; ++n) {
      small_files_.push_back("small-" + std::to_string(1000 + n));
      contents.push_back("small file " + std::to_string(n));
      files::WriteFile(Inputs() / small_files_.back(), contents.back());
    }
    return contents;
  }

  /// The first error, or nothing if the files of the task have arrived.
  std::string Store(const FileNode& node, model::TaskIndex task, const Contents& contents) {
    TaskOutputs outputs(folder_.Path() / "task", contents);
    const auto stored = node.client->Store(task, outputs.Files(), {});
    return stored ? "" : stored.error().message;
  }

  /// The bytes of each output file at the coordinator, by INDEX/PATH; staged ones, too.
  [[nodiscard]] Contents Stored() const {
    Contents stored;
    std::error_code missing;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(Outputs(), missing)) {
      if (!entry.is_regular_file()) continue;
      stored[entry.path().lexically_relative(Outputs())] = files::BytesOf(entry.path());
    }
    return stored;
  }

  /// The connection of a worker.
  [[nodiscard]] worker::ConnectionOptions Connection(const std::string& certificate) const {
    worker::ConnectionOptions connection;
    connection.address = "127.0.0.1:" + std::to_string(server_->Port());
    if (Tls()) connection.tls = authority_.Issue(certificate, "clientAuth,serverAuth");
    connection.server_name = Tls() ? kServerName : "";
    return connection;
  }

  /// A piece of an upload of task 1.
  [[nodiscard]] v1::StoreRequest PieceRequest(std::size_t size) const {
    v1::StoreRequest piece;
    piece.set_token(Tls() ? "" : "secret");
    piece.set_task(1);
    piece.set_upload(std::string(protocol::kUploadIdBytes, 'x'));
    piece.set_begins(true);
    piece.set_path("a");
    piece.set_bytes(std::string(size, 'x'));
    return piece;
  }

  static grpc::StatusCode Send(const worker::ConnectionOptions& connection,
                               const v1::StoreRequest& piece) {
    const auto stub = v1::Files::NewStub(worker::MakeChannel(connection));
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    v1::Stored stored;
    return stub->Store(&context, piece, &stored).error_code();
  }
  /// A request for the first chunk of the common file.
  [[nodiscard]] v1::ChunkRequest FetchRequest() const {
    v1::ChunkRequest request;
    request.set_token(Tls() ? "" : "secret");
    const auto digest = protocol::Sha256Of(std::string_view(common_).substr(0, files::kChunkBytes));
    request.set_digest(digest.data(), digest.size());
    request.mutable_file()->set_path("common");
    return request;
  }
  static grpc::StatusCode Fetch(const worker::ConnectionOptions& connection,
                                const v1::ChunkRequest& request,
                                std::chrono::milliseconds patience = std::chrono::seconds(30)) {
    grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub(
        worker::MakeChannel(connection));
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + patience);
    const grpc::ByteBuffer encoded = protocol::Encode(request);
    grpc::ByteBuffer response;
    std::promise<grpc::StatusCode> ended;
    stub.UnaryCall(&context, "/evenkeel.v1.Chunks/Fetch", {}, &encoded, &response,
                   [&ended](const grpc::Status& status) { ended.set_value(status.error_code()); });
    return ended.get_future().get();
  }

  void Serve(std::uint16_t port) {
    server_.reset();
    coordinator::ServerOptions options;
    options.address = "127.0.0.1:" + std::to_string(port);
    if (Tls()) options.tls = authority_.Issue(kServerName, "serverAuth");
    options.client_name = kClientName;
    options.chunks = &source_;
    options.files = &source_;
    options.data_token = Tls() ? "" : "secret";
    auto started = coordinator::WorkerServer::Start(options, heard_);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }

  std::unique_ptr<FileNode> MakeNode(const std::string& name, const std::string& token = "secret",
                                     const std::string& certificate = kClientName,
                                     std::int64_t cache_bytes = std::int64_t{1} << 30) {
    auto node = std::make_unique<FileNode>();
    auto cache = files::ChunkCache::Open({folder_.Path() / name, cache_bytes});
    EXPECT_TRUE(cache);
    node->cache = std::move(*cache);
    const auto home = Connection(certificate);
    const std::string sent = Tls() ? "" : token;
    const std::string peer_name = Tls() ? kClientName : "";
    // Patience that is also enough on a busy machine.
    node->served = std::make_unique<worker::CachedFiles>(*node->cache, std::chrono::seconds(15));
    auto host = worker::ChunkHost::Start({home.tls, peer_name, sent, 0, 4}, *node->served);
    EXPECT_TRUE(host);
    node->host = std::move(*host);
    node->connections = std::make_unique<worker::DataConnections>(home, peer_name);
    node->chunks = std::make_unique<worker::ChunkFetcher>(
        worker::ChunkFetcher::Options{sent, node->host->Port()}, *node->connections);
    node->client =
        std::make_unique<worker::FileClient>(sent, *node->connections, *node->chunks, *node->cache);
    return node;
  }

  static constexpr std::uint64_t kManyFiles = 10;
  static constexpr std::int64_t kModified = 1'234'567'890'123'456'789;

  const std::string common_ = SampleBytes(kLarge, 1);  // three chunks
  std::vector<std::string> small_files_;
  report::TemporaryFolder folder_;
  TestAuthority authority_;
  files::OriginIndex index_{{Inputs()}};
  std::optional<workloads::OutputFolder> outputs_;
  FakeHome source_;
  RecordingServer heard_;
  std::unique_ptr<coordinator::WorkerServer> server_;
};

TEST_P(FilesTest, SeveralSmallOnesAreFetchedAtATime) {
  const std::vector<std::string> contents = AddSmallFiles(50);
  const auto node = MakeNode("a");
  source_.HoldReads(true);
  auto checked = std::async(std::launch::async, [&] { return node->Check(kManyFiles, contents); });
  EXPECT_TRUE(source_.AwaitReads(2)) << "while none has arrived";
  source_.HoldReads(false);
  EXPECT_EQ(checked.get(), "");
  EXPECT_EQ(source_.chunks_read, 50);
  EXPECT_EQ(node->Check(kManyFiles, contents), "") << "from the cache";
  EXPECT_EQ(source_.chunks_read, 50);
}

TEST_P(FilesTest, AFileThatCannotBeHadEndsTheFetchOfTheOthers) {
  const std::vector<std::string> contents = AddSmallFiles(50);
  const auto node = MakeNode("a");
  source_.wrong_answers = 1000;
  EXPECT_NE(node->Check(kManyFiles, contents), "");
  EXPECT_LT(source_.chunks_read, 50) << "a few wrong answers are enough";
  source_.wrong_answers = 0;
  EXPECT_EQ(node->Check(kManyFiles, contents), "");
}

TEST_P(FilesTest, LeaveTheCoordinatorOnce) {
  const auto first = MakeNode("a");
  EXPECT_EQ(first->Check(0, {common_, Own(0)}), "");
  EXPECT_EQ(source_.chunks_read, 4);
  const model::DataTransfer came = first->client->TakeTransfer();
  EXPECT_EQ(came.bytes, static_cast<std::int64_t>(common_.size() + Own(0).size()));
  EXPECT_GT(came.time, Duration::zero());
  EXPECT_EQ(first->Check(1, {common_, Own(1)}), "");
  EXPECT_EQ(first->client->TakeTransfer().bytes, static_cast<std::int64_t>(Own(1).size()));
  EXPECT_EQ(source_.chunks_read, 5) << "the common file was in the cache";
  for (const char* name : {"b", "c"}) EXPECT_EQ(MakeNode(name)->Check(1, {common_, Own(1)}), "");
  EXPECT_EQ(source_.chunks_read, 5) << "the others got them from the first";
}

TEST_P(FilesTest, LeaveTheCoordinatorOnceForWorkersThatAskAtTheSameTime) {
  const auto first = MakeNode("a");
  const auto second = MakeNode("b");
  source_.holds_first_read = true;
  auto waiting = std::async(std::launch::async, [&] { return first->Check(0, {common_, Own(0)}); });
  EXPECT_EQ(second->Check(0, {common_, Own(0)}), "");
  EXPECT_EQ(waiting.get(), "");
  EXPECT_EQ(source_.chunks_read, 4);
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

TEST_P(FilesTest, WaitForRoomInTheCacheWhileOtherTasksHoldTheirs) {
  const std::string common(500, 'c');
  files::WriteFile(Inputs() / "common", common);
  const auto own = [](int task) { return std::string(1000, static_cast<char>('0' + task)); };
  for (int n = 0; n < 3; ++n) files::WriteFile(Inputs() / std::to_string(n), own(n));
  const auto node = MakeNode("a", "secret", kClientName, 1999);  // for the files of one task
  std::vector<std::thread> tasks;
  for (int n = 0; n < 3; ++n) {
    tasks.emplace_back([&, n] {
      for (int run = 0; run < 200; ++run) ASSERT_EQ(node->Check(n, {common, own(n)}), "");
    });
  }
  for (std::thread& task : tasks) task.join();
}

TEST_P(FilesTest, OfTasksThatWaitAreFetchedAhead) {
  const auto node = MakeNode("a");
  worker::FilePrefetcher prefetcher(*node->client);
  prefetcher.Expect({{0, "", true}, {1, "", true}});
  ASSERT_TRUE(source_.AwaitReads(5));
  prefetcher.Expect({{0, "", false}, {1, "", true}});
  EXPECT_EQ(node->Check(0, {common_, Own(0)}), "");
  EXPECT_EQ(node->Check(1, {common_, Own(1)}), "");
  EXPECT_EQ(source_.chunks_read, 5) << "each chunk once";
}

TEST_P(FilesTest, OfATaskAreListedOnce) {
  const auto node = MakeNode("a");
  ASSERT_TRUE(node->client->FetchAhead(0, "", std::int64_t{1} << 30, {}));
  ASSERT_TRUE(node->client->FetchAhead(1, "before", std::int64_t{1} << 30, {}));
  EXPECT_EQ(source_.lists, 2);
  EXPECT_EQ(node->Check(0, {common_, Own(0)}), "");
  EXPECT_EQ(source_.lists, 2);
  EXPECT_EQ(node->Check(0, {common_, Own(0)}), "");
  EXPECT_EQ(source_.lists, 3) << "a list is for one run of a task";
  EXPECT_EQ(node->Check(1, {common_, Own(1)}), "");
  EXPECT_EQ(source_.lists, 4) << "its input is another one now";
}

TEST_P(FilesTest, AreFetchedAheadAfterThoseOfTasksThatRun) {
  const auto node = MakeNode("a");
  worker::FilePrefetcher prefetcher(*node->client);
  source_.HoldReads(true);
  auto running = std::async(std::launch::async, [&] { return node->Check(0, {common_, Own(0)}); });
  ASSERT_TRUE(source_.AwaitReads(1));
  prefetcher.Expect({{0, "", false}, {1, "", true}});
  source_.HoldReads(false);
  EXPECT_EQ(running.get(), "");
  EXPECT_TRUE(source_.AwaitReads(5));
}

TEST_P(FilesTest, AreNotFetchedForTasksThatWentToOthers) {
  const auto node = MakeNode("a");
  worker::FilePrefetcher prefetcher(*node->client);
  source_.HoldReads(true);
  prefetcher.Expect({{0, "", true}, {3, "", true}, {2, "", true}});
  ASSERT_TRUE(source_.AwaitReads(1));
  prefetcher.Expect({{3, "", true}, {2, "", true}});  // 3 has a file that is missing
  source_.HoldReads(false);
  ASSERT_TRUE(source_.AwaitReads(5));  // what was on its way, and those of task 2
  EXPECT_EQ(node->Check(2, {common_, Own(2)}), "");
  EXPECT_FALSE(node->cache->Find(protocol::Sha256Of(Own(0)), {}));
}

TEST_P(FilesTest, FetchedAheadUseHalfOfTheCache) {
  const std::string common(500, 'c');
  files::WriteFile(Inputs() / "common", common);
  for (int n = 0; n < 3; ++n) {
    files::WriteFile(Inputs() / std::to_string(n), std::string(1000, static_cast<char>('0' + n)));
  }
  const auto node = MakeNode("a", "secret", kClientName, 6100);  // twice two tasks, and some
  worker::FilePrefetcher prefetcher(*node->client);
  prefetcher.Expect({{0, "", true}, {1, "", true}, {2, "", true}});
  ASSERT_TRUE(source_.AwaitReads(3));
  EXPECT_EQ(source_.chunks_read, 3);
  // A task that has ended makes room.
  prefetcher.Expect({{1, "", true}, {2, "", true}});
  ASSERT_TRUE(source_.AwaitReads(4));
  EXPECT_EQ(source_.chunks_read, 4);
}

TEST_P(FilesTest, ComeFromTheCoordinatorIfAWorkerIsGone) {
  { EXPECT_EQ(MakeNode("a")->Check(0, {common_, Own(0)}), ""); }
  EXPECT_EQ(MakeNode("b")->Check(0, {common_, Own(0)}), "");
  EXPECT_EQ(source_.chunks_read, 8);
}

TEST_P(FilesTest, WithWrongBytesFromAWorkerComeFromTheCoordinator) {
  Liar liar;
  protocol::TrafficCounter traffic;
  protocol::ChunkService service({Tls() ? "" : "secret", Tls() ? kClientName : "", 1}, liar,
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
  EXPECT_LE(liar.asked, 2) << "a liar is not asked again; two requests may be in progress";
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

TEST_P(FilesTest, OfAnEarlierJobAreInTheCacheOfANode) {
  EXPECT_EQ(MakeNode("a")->Check(0, {common_, Own(0)}), "");
  MakeHome();
  Serve(0);
  source_.chunks_read = 0;
  EXPECT_EQ(MakeNode("a")->Check(0, {common_, Own(0)}), "");
  EXPECT_EQ(source_.chunks_read, 0);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.Path() / "a")) {
    ASSERT_TRUE(entry.is_regular_file()) << entry.path();
    ASSERT_EQ(::chmod(entry.path().c_str(), 0644), 0);
    files::WriteFile(entry.path(), "lie");
  }
  EXPECT_EQ(MakeNode("a")->Check(0, {common_, Own(0)}), "");
  EXPECT_EQ(source_.chunks_read, 4) << "others could have changed them";
}

TEST_P(FilesTest, OfAnEarlierJobAreAnnounced) {
  const auto fresh = MakeNode("a");
  fresh->client->Announce("pi", {});
  EXPECT_TRUE(source_.announced.empty()) << "there is nothing to announce";
  EXPECT_EQ(fresh->Check(0, {common_, Own(0)}), "");
  const auto node = MakeNode("a");
  node->client->Announce("pi", {});
  ASSERT_TRUE(source_.announced.contains("pi"));
  const auto& keys = source_.announced.at("pi");
  for (const std::string& bytes : {common_, Own(0)}) {
    const auto key = files::VersionKey(static_cast<std::int64_t>(bytes.size()), kModified);
    EXPECT_EQ(std::count(keys.begin(), keys.end(), key), 1);
  }
  const auto stranger = Tls() ? MakeNode("a", "", "other-worker") : MakeNode("a", "guessed");
  source_.announced.clear();
  stranger->client->Announce("pi", {});
  EXPECT_TRUE(source_.announced.empty());
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
            "the coordinator refuses to exchange data: " +
                std::string(Tls() ? "the certificate does not have the name sums-worker"
                                  : "the token is wrong"));
  EXPECT_EQ(source_.chunks_read, 0);
}

TEST_P(FilesTest, AreRefusedToUnauthenticatedClientsWhileAllReadersAreBusy) {
  const std::vector<std::string> contents = AddSmallFiles(4);
  const auto node = MakeNode("a");
  source_.HoldReads(true);
  auto checked = std::async(std::launch::async, [&] { return node->Check(kManyFiles, contents); });
  EXPECT_TRUE(source_.AwaitReads(2)) << "as many as the server has readers";
  const auto ours = Connection(kClientName);
  EXPECT_EQ(Fetch(ours, FetchRequest(), std::chrono::milliseconds(500)),
            grpc::StatusCode::DEADLINE_EXCEEDED)
      << "others have to wait";
  auto guessed = FetchRequest();
  guessed.set_token("guessed");
  EXPECT_EQ(Fetch(ours, guessed), grpc::StatusCode::PERMISSION_DENIED);
  const auto strange = Connection(Tls() ? "other-worker" : kClientName);
  EXPECT_EQ(Fetch(strange, Tls() ? FetchRequest() : guessed), grpc::StatusCode::PERMISSION_DENIED);
  auto malformed = FetchRequest();
  malformed.clear_digest();
  EXPECT_EQ(Fetch(ours, malformed), grpc::StatusCode::INVALID_ARGUMENT);
  source_.HoldReads(false);
  EXPECT_EQ(checked.get(), "");
}

TEST_P(FilesTest, ChunksThatNoFileHasAreRefused) {
  const auto connection = Connection(kClientName);
  const auto refused = [&](const std::function<void(v1::ChunkRequest&)>& change) {
    v1::ChunkRequest request = FetchRequest();
    change(request);
    return Fetch(connection, request);
  };
  EXPECT_EQ(Fetch(connection, FetchRequest()), grpc::StatusCode::OK);
  constexpr auto kMalformed = grpc::StatusCode::INVALID_ARGUMENT;
  EXPECT_EQ(refused([](auto& request) { request.clear_place(); }), kMalformed);
  EXPECT_EQ(refused([](auto& request) { request.clear_digest(); }), kMalformed);
  EXPECT_EQ(refused([](auto& request) { request.set_digest("short"); }), kMalformed);
  EXPECT_EQ(refused([](auto& request) { request.mutable_file()->set_chunk(~std::uint64_t{0}); }),
            kMalformed);
  const auto block = [&](std::uint64_t offset, std::uint64_t size) {
    return refused([=](auto& request) {
      request.mutable_block()->set_offset(offset);
      request.mutable_block()->set_size(size);
    });
  };
  EXPECT_EQ(block(0, 0), kMalformed);
  EXPECT_EQ(block(0, protocol::kMaxPieceBytes + 1), kMalformed);
  EXPECT_EQ(block(~std::uint64_t{0}, 1), kMalformed);
  constexpr auto kImpossible = grpc::StatusCode::FAILED_PRECONDITION;
  EXPECT_EQ(block(0, 1), kImpossible) << "there are no blocks here";
  EXPECT_EQ(refused([](auto& request) { request.mutable_file()->set_chunk(3); }), kImpossible);
  EXPECT_EQ(refused([](auto& request) { request.mutable_file()->set_path("../secret"); }),
            kImpossible);
  EXPECT_EQ(refused([](auto& request) { request.set_digest(std::string(32, 'x')); }), kImpossible);
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

TEST_P(FilesTest, OfOutputsTravelToTheCoordinator) {
  const auto node = MakeNode("a");
  EXPECT_EQ(Store(*node, 1, {{"large", common_}, {"deep/er/empty", ""}, {"b", "2"}}), "");
  EXPECT_EQ(Store(*node, 2, {{"b", "of task 2"}}), "");
  EXPECT_EQ(
      Stored(),
      (Contents{
          {"1/large", common_}, {"1/deep/er/empty", ""}, {"1/b", "2"}, {"2/b", "of task 2"}}));
  EXPECT_EQ(Store(*MakeNode("b"), 1, {{"b", "of another run"}}), "");
  EXPECT_EQ(Store(*node, 2, {}), "");
  EXPECT_EQ(Stored(), (Contents{{"1/b", "of another run"}}));
}

TEST_P(FilesTest, OfOutputsAreSentAgainToACoordinatorThatHasRestarted) {
  const auto node = MakeNode("a");
  ASSERT_EQ(Store(*node, 1, {{"a", "old"}}), "");
  source_.leaves_after = 4;
  auto storing = std::async(std::launch::async, [&] {
    return Store(*node, 1, {{"large", common_}, {"small", "s"}});
  });
  source_.AwaitLeaving();
  const std::uint16_t port = server_->Port();
  server_.reset();
  MakeHome();
  ASSERT_TRUE(outputs_->RemoveStaged());
  EXPECT_EQ(Stored(), (Contents{{"1/a", "old"}})) << "until all files are there";
  source_.ComeBack();
  Serve(port);
  EXPECT_EQ(storing.get(), "");
  EXPECT_EQ(Stored(), (Contents{{"1/large", common_}, {"1/small", "s"}}));
}

TEST_P(FilesTest, OfOutputsArriveOnceIfAnswersAreLost) {
  const auto node = MakeNode("a");
  source_.lost_answers = 2;  // of the piece, and then of the commit
  EXPECT_EQ(Store(*node, 1, {{"a", "1"}}), "");
  EXPECT_EQ(source_.lost_answers, 0);
  EXPECT_EQ(Stored(), (Contents{{"1/a", "1"}}));
  source_.lost_answers = 1;
  EXPECT_EQ(Store(*node, 1, {}), "");
  EXPECT_EQ(Stored(), Contents{});
}

TEST_P(FilesTest, OfOutputsThatArriveWithWrongBytesAreSentAgain) {
  const auto node = MakeNode("a");
  source_.wrong_pieces = 1;
  EXPECT_EQ(Store(*node, 1, {{"a", common_}}), "");
  EXPECT_EQ(source_.wrong_pieces, 0);
  EXPECT_EQ(Stored(), (Contents{{"1/a", common_}}));
}

TEST_P(FilesTest, OfOutputsAreNotTakenFromUnauthenticatedClients) {
  const auto node = Tls() ? MakeNode("a", "", "other-worker") : MakeNode("a", "guessed");
  const std::string refused =
      "the coordinator refuses to exchange data: " +
      std::string(Tls() ? "the certificate does not have the name sums-worker"
                        : "the token is wrong");
  EXPECT_EQ(Store(*node, 1, {{"a", "1"}}), refused);
  EXPECT_EQ(Store(*node, 1, {}), refused) << "of Commit";
  EXPECT_EQ(Stored(), Contents{});
}

TEST_P(FilesTest, OfOutputsHaveLimits) {
  const auto node = MakeNode("a");
  EXPECT_EQ(Store(*node, 1, {{"a", std::string((std::size_t{16} << 20) + 1, 'x')}}),
            "output a makes more than 16777216 bytes of output files");
  EXPECT_EQ(Store(*node, 1, {{"../a", "x"}}),
            "output ../a must not contain empty components, . or ..");
  EXPECT_EQ(Stored(), Contents{}) << "refused uploads leave nothing";
  const auto connection = Connection(kClientName);
  constexpr auto kMost = static_cast<std::size_t>(protocol::kMaxPieceBytes);
  EXPECT_EQ(Send(connection, PieceRequest(kMost)), grpc::StatusCode::OK);
  EXPECT_EQ(Send(connection, PieceRequest(kMost + 1)), grpc::StatusCode::INVALID_ARGUMENT);
  auto other = PieceRequest(1);
  other.set_upload("too short");
  EXPECT_EQ(Send(connection, other), grpc::StatusCode::INVALID_ARGUMENT);
  other = PieceRequest(1);
  other.set_upload(std::string(protocol::kUploadIdBytes, 'y'));
  other.set_begins(false);
  EXPECT_EQ(Send(connection, other), grpc::StatusCode::ABORTED);
}

TEST_P(FilesTest, OfOutputsAreNotTakenByWorkers) {
  const auto node = MakeNode("a");
  ASSERT_EQ(node->Check(0, {common_, Own(0)}), "");
  auto connection = Connection(kClientName);
  connection.address = source_.last_client;
  if (Tls()) connection.server_name = kClientName;
  EXPECT_EQ(Send(connection, PieceRequest(1)), grpc::StatusCode::UNIMPLEMENTED);
}

TEST_P(FilesTest, OfOutputsThatChangeFailTheTask) {
  const auto node = MakeNode("a");
  for (const std::int64_t wrong : {2, 4}) {
    TaskOutputs outputs(folder_.Path() / "task", {{"a", "123"}});
    outputs.Files().front().size_bytes = wrong;
    const auto changed = node->client->Store(1, outputs.Files(), {});
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(changed.error().message, "output a changed after the command had ended");
  }
  for (const auto& [path, bytes] : Stored()) EXPECT_TRUE(path.starts_with(".staged")) << path;
}

TEST_P(FilesTest, OfOutputsWaitForRoomAtTheCoordinator) {
  const auto node = MakeNode("a");
  TaskOutputs outputs(folder_.Path() / "task", {{"a", common_}});
  // A limit on the size of a file stands for a full disk.
  ASSERT_NE(::signal(SIGXFSZ, SIG_IGN), SIG_ERR);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{100, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  auto stored =
      std::async(std::launch::async, [&] { return node->client->Store(1, outputs.Files(), {}); });
  EXPECT_TRUE(source_.AwaitRefusal());
  EXPECT_TRUE(source_.home->Trouble().starts_with("output files cannot be stored: "));
  EXPECT_EQ(Stored(), Contents{});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_TRUE(stored.get());
  EXPECT_EQ(source_.home->Trouble(), "");
  EXPECT_EQ(Stored(), (Contents{{"1/a", common_}}));
}

TEST_P(FilesTest, OfOutputsWaitForTheCoordinatorUntilTheTaskIsStopped) {
  const auto node = MakeNode("a");
  source_.leaves_after = 3;
  std::stop_source stop;
  TaskOutputs outputs(folder_.Path() / "task", {{"a", common_}});
  auto storing = std::async(std::launch::async, [&] {
    return node->client->Store(1, outputs.Files(), stop.get_token());
  });
  source_.AwaitLeaving();
  stop.request_stop();
  const auto ended = storing.get();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kUnavailable);
}

INSTANTIATE_TEST_SUITE_P(Open, FilesTest, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Tls, FilesTest, testing::Values(true));

}  // namespace
}  // namespace evenkeel
