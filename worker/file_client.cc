#include "worker/file_client.h"

#include <chrono>
#include <future>
#include <utility>

#include "core/base/log.h"
#include "core/protocol/limits.h"
#include "core/protocol/server_setup.h"
#include "core/protocol/tls_credentials.h"
#include "worker/channel.h"

namespace evenkeel::worker {
namespace {

constexpr const char* kList = "/evenkeel.v1.Files/List";
constexpr const char* kFetch = "/evenkeel.v1.Files/Fetch";
// Time limit of a request to another worker; then the coordinator gets the request.
constexpr auto kChunkPatience = std::chrono::seconds(20);
constexpr auto kRetryPause = std::chrono::milliseconds(500);
constexpr std::size_t kMaxFilePeers = 64;
// With so many distrusted peers, all chunks are fetched from the coordinator.
constexpr std::size_t kMaxDistrustedFilePeers = 1024;
// Wrong bytes from the coordinator, one after the other, before the fetch fails.
constexpr int kMaxWrongAnswers = 5;

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    const void* const begin = slice.begin();
    bytes.append(static_cast<const char*>(begin), slice.size());
  }
  return bytes;
}

tl::unexpected<Error> Stopped() {
  return Fail(ErrorCode::kUnavailable, "the task was stopped while it waited for its files");
}

}  // namespace

/// Serves chunks of the cache.
class FileClient::Source final : public protocol::FileSource {
 public:
  explicit Source(files::ChunkCache& cache) : cache_(cache) {}
  Result<std::vector<protocol::ListedFile>> List(std::uint64_t task) override {
    return InvalidInput("only the coordinator knows the files of task " + std::to_string(task));
  }
  std::string Redirect(const protocol::ChunkCall& call) override {
    static_cast<void>(call);
    return {};
  }
  Result<std::string> Read(const protocol::ChunkCall& call) override {
    auto bytes = cache_.Find(call.digest);
    if (!bytes) return Fail(ErrorCode::kUnavailable, "the chunk is not here");
    return std::move(*bytes);
  }

 private:
  files::ChunkCache& cache_;
};

/// One request and what came back.
struct FileClient::Answer {
  grpc::ClientContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
  std::promise<grpc::Status> ended;
  grpc::Status status;
};

FileClient::FileClient(Options options, files::ChunkCache& cache)
    : options_(std::move(options)), cache_(cache), source_(std::make_unique<Source>(cache)) {}

FileClient::~FileClient() {
  if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
}

Result<std::unique_ptr<FileClient>> FileClient::Start(const Options& options,
                                                      files::ChunkCache& cache) {
  std::unique_ptr<FileClient> client(new FileClient(options, cache));
  if (auto listening = client->Listen(); !listening) return tl::unexpected(listening.error());
  return client;
}

Result<void> FileClient::Listen() {
  const auto& tls = options_.home.tls;
  service_ = std::make_unique<protocol::FileService>(
      protocol::FileService::Options{options_.token, tls ? options_.peer_name : "", 1}, *source_,
      traffic_);
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(protocol::kMaxTextBytes);
  protocol::LimitPeers(builder, "file peers");
  int port = 0;
  const std::string address = tls ? "[::]:" : "127.0.0.1:";
  builder.AddListeningPort(address + std::to_string(options_.port),
                           protocol::ServerCredentialsOf(tls), &port);
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || port == 0) {
    return Fail(ErrorCode::kUnavailable, "no port to serve files to other workers on");
  }
  port_ = static_cast<std::uint16_t>(port);
  return {};
}

Result<std::vector<workloads::InputFile>> FileClient::Acquire(model::TaskIndex task,
                                                              const std::stop_token& stop) {
  const auto list = List(task, stop);
  if (!list) return tl::unexpected(list.error());
  std::vector<workloads::InputFile> inputs;
  Pins pins;
  for (const protocol::ListedFile& file : *list) {
    auto pin = cache_.Get(
        {file.size_bytes, file.chunks},
        [&](std::size_t place) { return FetchChunk(file, place, stop); }, stop);
    if (!pin) return tl::unexpected(pin.error());
    inputs.push_back({file.path, (*pin)->Path(), file.size_bytes});
    pins.push_back(std::move(*pin));
  }
  const std::lock_guard lock(mutex_);
  pins_.emplace(task, std::move(pins));
  return inputs;
}

void FileClient::Release(model::TaskIndex task) {
  Pins last_use;  // removed after the lock is released
  const std::lock_guard lock(mutex_);
  const auto found = pins_.find(task);
  if (found == pins_.end()) return;
  last_use = std::move(found->second);
  pins_.erase(found);
}

std::shared_ptr<FileClient::Stub> FileClient::StubFor(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  if (stubs_.size() >= kMaxFilePeers && !stubs_.contains(peer)) stubs_.clear();
  auto& stub = stubs_[peer];
  if (stub == nullptr) {
    ConnectionOptions connection = options_.home;
    connection.read_ahead_bytes = files::kChunkBytes;  // lets a chunk arrive before it is read
    if (!peer.empty()) {
      connection.address = peer;
      connection.server_name = options_.peer_name;
    }
    stub = std::make_shared<Stub>(MakeChannel(connection));
  }
  return stub;
}

std::shared_ptr<FileClient::Answer> FileClient::Ask(const std::string& peer, const char* method,
                                                    const std::string& request,
                                                    const std::stop_token& stop) {
  const auto answer = std::make_shared<Answer>();
  const grpc::Slice encoded(request);
  answer->request = grpc::ByteBuffer(&encoded, 1);
  if (peer.empty()) {
    answer->context.set_wait_for_ready(true);
  } else {
    answer->context.set_deadline(std::chrono::system_clock::now() + kChunkPatience);
  }
  std::future<grpc::Status> ended = answer->ended.get_future();
  StubFor(peer)->UnaryCall(
      &answer->context, method, {}, &answer->request, &answer->response,
      [answer](const grpc::Status& status) { answer->ended.set_value(status); });
  const std::stop_callback cancel(stop, [&answer] { answer->context.TryCancel(); });
  answer->status = ended.get();
  return answer;
}

Result<std::shared_ptr<FileClient::Answer>> FileClient::AskHome(const char* method,
                                                                const std::string& request,
                                                                const std::stop_token& stop) {
  for (;;) {
    auto answer = Ask("", method, request, stop);
    if (stop.stop_requested()) return Stopped();
    switch (answer->status.error_code()) {
      case grpc::StatusCode::OK:
      case grpc::StatusCode::NOT_FOUND:
        return answer;
      case grpc::StatusCode::FAILED_PRECONDITION:
        return InvalidInput(answer->status.error_message());
      case grpc::StatusCode::UNAVAILABLE:
        break;
      default:
        return Fail(ErrorCode::kUnavailable,
                    "the coordinator does not send files: " + answer->status.error_message());
    }
    std::mutex alone;
    std::unique_lock lock(alone);
    std::condition_variable_any never;
    never.wait_for(lock, stop, kRetryPause, [] { return false; });
  }
}

Result<std::vector<protocol::ListedFile>> FileClient::List(model::TaskIndex task,
                                                           const std::stop_token& stop) {
  v1::FileListRequest request;
  request.set_token(options_.token);
  request.set_task(static_cast<std::uint64_t>(task));
  const auto answer = AskHome(kList, request.SerializeAsString(), stop);
  if (!answer) return tl::unexpected(answer.error());
  v1::FileList list;
  std::vector<protocol::ListedFile> files;
  bool right = (*answer)->status.ok() && list.ParseFromString(BytesOf((*answer)->response)) &&
               list.files_size() <= static_cast<int>(workloads::kMaxInputFiles);
  for (const v1::ListedFile& listed : list.files()) {
    constexpr std::size_t kDigest = sizeof(protocol::Sha256Digest);
    const std::string& digests = listed.digests();
    protocol::ListedFile file{listed.path(), static_cast<std::int64_t>(listed.size()), {}};
    for (std::size_t at = 0; at + kDigest <= digests.size(); at += kDigest) {
      digests.copy(file.chunks.emplace_back().data(), kDigest, at);
    }
    right = right && digests.size() % kDigest == 0 && workloads::PathMistake(file.path).empty() &&
            files::IsConsistent({file.size_bytes, file.chunks});
    files.push_back(std::move(file));
  }
  if (!right) return Fail(ErrorCode::kUnavailable, "the coordinator sent a malformed file list");
  return files;
}

Result<std::string> FileClient::FetchChunk(const protocol::ListedFile& file, std::size_t place,
                                           const std::stop_token& stop) {
  const protocol::Sha256Digest& digest = file.chunks[place];
  v1::ChunkRequest request;
  request.set_token(options_.token);
  request.set_digest(std::string(digest.data(), digest.size()));
  request.set_path(file.path);
  request.set_place(place);
  request.set_port(port_);
  for (int wrong = 0; wrong < kMaxWrongAnswers;) {
    const auto answer = AskHome(kFetch, request.SerializeAsString(), stop);
    if (!answer) return tl::unexpected(answer.error());
    if ((*answer)->status.ok()) {
      std::string bytes = BytesOf((*answer)->response);
      if (protocol::Sha256Of(bytes) == digest) return bytes;
      ++wrong;
      continue;
    }
    const std::string holder = (*answer)->status.error_message();
    if (request.only_here() || holder.empty()) {
      return Fail(ErrorCode::kUnavailable, "the coordinator does not send a chunk");
    }
    request.set_only_here(true);  // if the other worker does not send it
    if (!Trusts(holder)) continue;
    const auto sent = Ask(holder, kFetch, request.SerializeAsString(), stop);
    if (stop.stop_requested()) return Stopped();
    if (!sent->status.ok()) continue;
    std::string bytes = BytesOf(sent->response);
    if (protocol::Sha256Of(bytes) == digest) return bytes;
    Distrust(holder);
  }
  return Fail(ErrorCode::kUnavailable,
              "the coordinator sends wrong bytes of " + workloads::ShownPath(file.path));
}

bool FileClient::Trusts(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  return distrusted_.size() < kMaxDistrustedFilePeers && !distrusted_.contains(peer);
}

void FileClient::Distrust(const std::string& peer) {
  {
    const std::lock_guard lock(mutex_);
    if (distrusted_.size() >= kMaxDistrustedFilePeers || !distrusted_.insert(peer).second) return;
  }
  Log(LogLevel::kWarning, "worker " + peer +
                              " sent wrong bytes of an input file; the chunk comes from the "
                              "coordinator, and no other chunk is fetched from that worker");
}

}  // namespace evenkeel::worker
