// Chunks of a file over mutual TLS on the loopback: through the production service and stub of
// gRPC, through a plain TLS stream, and as a worker fetches input files; and what the cryptography
// alone costs. bench/byte_path.py runs it. One server answers both ways, from the same source.
//   byte_path serve FILE CA CERT KEY CHECKS      prints "GRPC-PORT TLS-PORT"; then, for each line
//                                                of its standard input, the CPU seconds so far
//   byte_path fetch WAY PORT FILE CA CERT KEY CHECKS SINK ROUNDS
//                                                fetches the whole file, once to warm up, and
//                                                prints "ready"; again ROUNDS times after a line of
//                                                its standard input; prints seconds and CPU seconds
//   byte_path cipher PORT CA CERT KEY            prints version and cipher that a server negotiates
//   byte_path crypto                             prints rates in MB/s of one core
// gRPC uses the cipher that is faster, as in production; with SYSTEM_CIPHERS=1 in the environment,
// the one that OpenSSL prefers. WAY: grpc, tls, files (the client of a worker with its cache; SINK
// is its folder) or tls-files (the same cache, filled over plain streams). CHECKS: sha256 (the
// server checks what it reads, and the client what it receives) or none. SINK: a file to write, or
// "none".
#include <arpa/inet.h>
#include <fcntl.h>
#include <grpcpp/generic/generic_stub.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "coordinator/file_home.h"
#include "coordinator/worker_server.h"
#include "core/protocol/byte_buffers.h"
#include "core/protocol/tls_cipher.h"
#include "files/chunk_cache.h"
#include "files/origin_index.h"
#include "worker/channel.h"
#include "worker/chunk_fetcher.h"
#include "worker/data_connections.h"
#include "worker/file_client.h"
#include "workloads/output_folder.h"

namespace {

using evenkeel::Result;
using evenkeel::SharedBytes;
using evenkeel::files::Chunk;
using evenkeel::files::FileContent;
using evenkeel::platform::FileDescriptor;
using evenkeel::protocol::ChunkCall;
using evenkeel::protocol::ChunkSource;
using evenkeel::protocol::FilePlace;

constexpr const char* kToken = "token";
constexpr const char* kCipher = "TLS_AES_256_GCM_SHA384";  // which gRPC negotiates, too

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "byte_path: %s\n", why.c_str());
  ERR_print_errors_fp(stderr);
  std::exit(1);
}

template <typename T>
T Must(Result<T> result) {
  if (!result) Die(result.error().message);
  return std::move(*result);
}

void Require(bool condition, const std::string& why) {
  if (!condition) Die(why);
}

double CpuSeconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Paths of the CA, the certificate and the key of both ends.
struct Identity {
  explicit Identity(char** paths) : ca(paths[0]), certificate(paths[1]), key(paths[2]) {}
  [[nodiscard]] evenkeel::protocol::TlsIdentity Pem() const {
    return {ReadFile(ca), ReadFile(certificate), ReadFile(key)};
  }
  std::string ca;
  std::string certificate;
  std::string key;
};

/// Reads chunks of one file without checking them.
class UncheckedSource final : public evenkeel::protocol::ChunkSource {
 public:
  explicit UncheckedSource(const std::string& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    Require(::fstat(file_.Get(), &status) == 0, "no file to send");
    size_ = status.st_size;
  }
  Result<SharedBytes> Read(const ChunkCall& call) override {
    const std::size_t place = std::get<FilePlace>(call.place).chunk;
    const auto size = static_cast<std::size_t>(evenkeel::files::ChunkBytes(size_, place));
    auto bytes = std::make_shared_for_overwrite<char[]>(size);
    const auto offset = static_cast<off_t>(place) * evenkeel::files::kChunkBytes;
    const ssize_t count = ::pread(file_.Get(), bytes.get(), size, offset);
    Require(count == static_cast<ssize_t>(size), "the file cannot be read");
    const std::string_view whole(bytes.get(), size);
    return SharedBytes(std::move(bytes), {whole});
  }

 private:
  const FileDescriptor file_;
  std::int64_t size_ = 0;
};

class NoStreams final : public evenkeel::coordinator::StreamListener {
 public:
  void OnMessage(evenkeel::coordinator::StreamId, evenkeel::engine::ToCoordinator) override {}
  void OnClosed(evenkeel::coordinator::StreamId) override {}
};

using TlsContext = std::unique_ptr<SSL_CTX, decltype(&::SSL_CTX_free)>;

/// For both ends: TLS 1.3 with certificates on both sides.
TlsContext MakeContext(const SSL_METHOD* method, const Identity& identity) {
  TlsContext context(::SSL_CTX_new(method), &::SSL_CTX_free);
  SSL_CTX* const c = context.get();
  Require(c != nullptr && ::SSL_CTX_set_min_proto_version(c, TLS1_3_VERSION) == 1 &&
              ::SSL_CTX_set_ciphersuites(c, kCipher) == 1 &&
              ::SSL_CTX_use_certificate_chain_file(c, identity.certificate.c_str()) == 1 &&
              ::SSL_CTX_use_PrivateKey_file(c, identity.key.c_str(), SSL_FILETYPE_PEM) == 1 &&
              ::SSL_CTX_load_verify_locations(c, identity.ca.c_str(), nullptr) == 1,
          "the certificates are no good");
  ::SSL_CTX_set_verify(c, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  // Several records for each call of recv(2).
  ::SSL_CTX_set_read_ahead(c, 1);
  ::SSL_CTX_set_default_read_buffer_len(c, std::size_t{256} << 10);
  return context;
}

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// One end of a TLS stream over a connected socket.
class TlsStream {
 public:
  TlsStream(SSL_CTX* context, FileDescriptor socket)
      : socket_(std::move(socket)), ssl_(::SSL_new(context), &::SSL_free) {
    const int yes = 1;
    ::setsockopt(socket_.Get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Require(ssl_ != nullptr && ::SSL_set_fd(ssl_.get(), socket_.Get()) == 1, "no TLS");
  }
  [[nodiscard]] SSL* Ssl() const { return ssl_.get(); }

  /// False at the end of the stream.
  [[nodiscard]] bool Read(void* into, std::size_t size) {
    auto* at = static_cast<char*>(into);
    while (size > 0) {
      std::size_t done = 0;
      if (::SSL_read_ex(ssl_.get(), at, size, &done) != 1) return false;
      at += done;
      size -= done;
    }
    return true;
  }
  [[nodiscard]] bool Write(const void* from, std::size_t size) {
    std::size_t done = 0;
    return ::SSL_write_ex(ssl_.get(), from, size, &done) == 1;
  }

 private:
  FileDescriptor socket_;
  std::unique_ptr<SSL, decltype(&::SSL_free)> ssl_;
};

std::unique_ptr<TlsStream> ConnectTls(SSL_CTX* context, int port, const char* protocols = "") {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = Loopback(port);
  const void* const where = &address;
  Require(::connect(socket.Get(), static_cast<const sockaddr*>(where), sizeof address) == 0,
          "no connection");
  auto stream = std::make_unique<TlsStream>(context, std::move(socket));
  const auto length = static_cast<unsigned>(std::strlen(protocols));
  const void* const names = protocols;
  if (length > 0) {
    ::SSL_set_alpn_protos(stream->Ssl(), static_cast<const unsigned char*>(names), length);
  }
  ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(stream->Ssl()), "127.0.0.1");
  Require(::SSL_connect(stream->Ssl()) == 1, "the handshake failed");
  return stream;
}

/// A request of the plain stream. The answer is its size, 8 bytes, and the chunk.
struct PlainRequest {
  std::uint64_t place = 0;
  evenkeel::protocol::Sha256Digest digest{};
};

/// Answers requests for chunks of a file, with a thread for each connection.
class PlainServer {
 public:
  PlainServer(const Identity& identity, ChunkSource& source, std::string path)
      : context_(MakeContext(::TLS_server_method(), identity)),
        source_(source),
        path_(std::move(path)),
        listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = Loopback(0);
    void* const where = &address;
    socklen_t size = sizeof address;
    Require(::bind(listening_.Get(), static_cast<const sockaddr*>(where), size) == 0 &&
                ::listen(listening_.Get(), 16) == 0 &&
                ::getsockname(listening_.Get(), static_cast<sockaddr*>(where), &size) == 0,
            "cannot listen");
    port_ = ntohs(address.sin_port);
    std::thread([this] { Accept(); }).detach();  // until the process ends
  }
  [[nodiscard]] int Port() const { return port_; }

 private:
  void Accept() {
    for (;;) {
      FileDescriptor socket(::accept4(listening_.Get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket.IsOpen()) return;
      auto stream = std::make_shared<TlsStream>(context_.get(), std::move(socket));
      std::thread([this, stream] { Answer(*stream); }).detach();
    }
  }
  void Answer(TlsStream& stream) {
    if (::SSL_accept(stream.Ssl()) != 1) return;
    PlainRequest request;
    while (stream.Read(&request, sizeof request)) {
      ChunkCall call;
      call.digest = request.digest;
      call.place = FilePlace{path_, static_cast<std::size_t>(request.place)};
      const SharedBytes bytes = Must(source_.Read(call));
      const std::uint64_t size = bytes.Size();
      if (!stream.Write(&size, sizeof size)) return;
      for (const std::string_view part : bytes.Parts()) {
        if (!stream.Write(part.data(), part.size())) return;
      }
    }
  }

  TlsContext context_;
  ChunkSource& source_;
  const std::string path_;
  FileDescriptor listening_;
  int port_ = 0;
};

int Serve(const std::string& file, const Identity& identity, bool checks) {
  const std::filesystem::path path(file);
  const std::string name = path.filename();
  evenkeel::files::OriginIndex index({path.parent_path()});
  evenkeel::workloads::OutputFolder outputs({path.parent_path() / "outputs"});
  evenkeel::coordinator::FileHome home(
      index,
      [&name](std::uint64_t,
              std::string_view) -> Result<std::vector<evenkeel::workloads::FileVersion>> {
        return std::vector{evenkeel::workloads::FileVersion{name, 0, 0, 0}};
      },
      outputs);
  UncheckedSource unchecked(file);
  ChunkSource& source = checks ? static_cast<ChunkSource&>(home) : unchecked;
  PlainServer plain(identity, source, name);
  evenkeel::coordinator::ServerOptions options;
  options.tls = identity.Pem();
  options.chunks = &source;
  options.files = &home;
  options.data_token = kToken;
  NoStreams streams;
  const auto server = Must(evenkeel::coordinator::WorkerServer::Start(options, streams));
  std::cout << server->Port() << ' ' << plain.Port() << std::endl;
  for (std::string line; std::getline(std::cin, line);) std::cout << CpuSeconds() << std::endl;
  std::_Exit(0);  // threads of the plain stream still run
}

/// Takes chunks as a worker would: checks them, and writes them to a file.
class Sink {
 public:
  Sink(const std::string& path, bool checks) : checks_(checks) {
    if (path == "none") return;
    file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    Require(file_.IsOpen(), "no file to write");
  }
  void Take(SharedBytes bytes, const evenkeel::protocol::Sha256Digest& digest) {
    if (checks_) {
      const Chunk chunk(std::move(bytes));
      Require(chunk.Digest() == digest, "wrong bytes");
      Write(chunk.Bytes());
    } else {
      Write(bytes);
    }
  }
  /// The next file.
  void Restart() {
    if (!file_.IsOpen()) return;
    Require(::ftruncate(file_.Get(), 0) == 0, "no file");
    place_ = 0;
  }

 private:
  void Write(const SharedBytes& bytes) {
    if (!file_.IsOpen()) return;
    Require(evenkeel::files::WriteChunk(file_, place_++, bytes) == 0, "the disk is full");
  }
  const bool checks_;
  FileDescriptor file_;
  std::size_t place_ = 0;  // of the next chunk
};

using FetchChunk = std::function<SharedBytes(const ChunkCall&)>;

evenkeel::worker::ConnectionOptions Connection(int port, const Identity& identity) {
  evenkeel::worker::ConnectionOptions connection;
  connection.address = "127.0.0.1:" + std::to_string(port);
  connection.tls = identity.Pem();
  return connection;
}

/// As worker::ChunkFetcher asks the coordinator.
FetchChunk OverGrpc(int port, const Identity& identity) {
  using Stub = grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer>;
  auto connection = Connection(port, identity);
  connection.read_ahead_bytes = evenkeel::files::kChunkBytes;
  const auto stub = std::make_shared<Stub>(evenkeel::worker::MakeChannel(connection));
  return [stub](const ChunkCall& call) {
    evenkeel::v1::ChunkRequest request;
    request.set_token(kToken);
    request.set_digest(std::string(call.digest->data(), call.digest->size()));
    evenkeel::protocol::SetPlace(call.place, request);
    const grpc::ByteBuffer encoded = evenkeel::protocol::Encode(request);
    grpc::ByteBuffer response;
    grpc::ClientContext context;
    const auto ended = std::make_shared<std::promise<grpc::Status>>();
    stub->UnaryCall(&context, "/evenkeel.v1.Chunks/Fetch", {}, &encoded, &response,
                    [ended](const grpc::Status& status) { ended->set_value(status); });
    const grpc::Status status = ended->get_future().get();
    Require(status.ok(), status.error_message());
    return evenkeel::protocol::BytesOf(response);
  };
}

FetchChunk OverTls(int port, const Identity& identity) {
  const auto context = std::make_shared<TlsContext>(MakeContext(::TLS_client_method(), identity));
  const std::shared_ptr<TlsStream> stream = ConnectTls(context->get(), port);
  return [context, stream](const ChunkCall& call) {
    const PlainRequest request{std::get<FilePlace>(call.place).chunk, *call.digest};
    std::uint64_t size = 0;
    Require(stream->Write(&request, sizeof request) && stream->Read(&size, sizeof size), "closed");
    auto bytes = std::make_shared_for_overwrite<char[]>(static_cast<std::size_t>(size));
    Require(stream->Read(bytes.get(), static_cast<std::size_t>(size)), "closed");
    const std::string_view whole(bytes.get(), static_cast<std::size_t>(size));
    return SharedBytes(std::move(bytes), {whole});
  };
}

/// Runs the rounds when a line comes, and prints what they took.
void Measure(int rounds, const std::function<void()>& round) {
  round();
  std::cout << "ready" << std::endl;
  std::string line;
  std::getline(std::cin, line);
  const double cpu = CpuSeconds();
  const double begin = Now();
  for (int n = 0; n < rounds; ++n) round();
  const double seconds = Now() - begin;
  std::cout << seconds << ' ' << CpuSeconds() - cpu << std::endl;
}

ChunkCall CallFor(const std::string& name, const FileContent& content, std::size_t place) {
  ChunkCall call;
  call.place = FilePlace{name, place};
  call.digest = content.chunks[place];
  return call;
}

int Fetch(const std::string& way, int port, const std::string& file, const Identity& identity,
          bool checks, const std::string& sink_path, int rounds) {
  const std::filesystem::path path(file);
  evenkeel::files::OriginIndex index({path.parent_path()});
  const auto content = Must(index.ContentOf(path.filename()));
  const FetchChunk fetch = way == "grpc" ? OverGrpc(port, identity) : OverTls(port, identity);
  Sink sink(sink_path, checks);
  Measure(rounds, [&] {
    sink.Restart();
    for (std::size_t place = 0; place < content.chunks.size(); ++place) {
      sink.Take(fetch(CallFor(path.filename(), content, place)), content.chunks[place]);
    }
  });
  return 0;
}

/// Takes the file into the cache of a worker, which is empty before each round.
void FillCaches(const std::string& folder, int rounds,
                const std::function<void(evenkeel::files::ChunkCache&)>& fill) {
  int number = 0;
  Measure(rounds, [&] {
    const std::string own = folder + "/" + std::to_string(number++);
    fill(*Must(evenkeel::files::ChunkCache::Open({own, std::int64_t{1} << 40, true})));
    std::filesystem::remove_all(own);
  });
}

/// By the client of a worker.
int FetchFiles(int port, const Identity& identity, const std::string& folder, int rounds) {
  FillCaches(folder, rounds, [&](evenkeel::files::ChunkCache& cache) {
    evenkeel::worker::DataConnections connections(Connection(port, identity), "");
    evenkeel::worker::ChunkFetcher chunks({kToken}, connections);
    evenkeel::worker::FileClient client(kToken, connections, chunks, cache);
    static_cast<void>(Must(client.Acquire(0, "", {})));
    client.Release(0);
  });
  return 0;
}

/// Over plain streams, one for each thread that fetches.
int FetchFilesOverTls(int port, const std::string& file, const Identity& identity,
                      const std::string& folder, int rounds) {
  const std::filesystem::path path(file);
  evenkeel::files::OriginIndex index({path.parent_path()});
  const auto content = Must(index.ContentOf(path.filename()));
  FillCaches(folder, rounds, [&](evenkeel::files::ChunkCache& cache) {
    std::mutex mutex;
    std::vector<FetchChunk> idle;
    const auto fetch = [&](std::size_t place, const std::stop_token&) -> Result<Chunk> {
      std::unique_lock lock(mutex);
      if (idle.empty()) idle.push_back(OverTls(port, identity));
      const FetchChunk stream = std::move(idle.back());
      idle.pop_back();
      lock.unlock();
      Chunk chunk(stream(CallFor(path.filename(), content, place)));
      Require(chunk.Digest() == content.chunks[place], "wrong bytes");
      lock.lock();
      idle.push_back(stream);
      return chunk;
    };
    static_cast<void>(Must(cache.Get(content, fetch, {})));
  });
  return 0;
}

int PrintCipher(int port, const Identity& identity) {
  const TlsContext context = MakeContext(::TLS_client_method(), identity);
  // All that OpenSSL has: the server chooses.
  ::SSL_CTX_set_ciphersuites(context.get(), TLS_DEFAULT_CIPHERSUITES);
  const auto stream = ConnectTls(context.get(), port, "\x02h2");
  std::printf("%s %s\n", ::SSL_get_version(stream->Ssl()), ::SSL_get_cipher(stream->Ssl()));
  return 0;
}

/// MB/s of CPU time of something that takes `bytes` at a time.
double Rate(std::size_t bytes, const std::function<void()>& work) {
  work();
  const double begin = CpuSeconds();
  double done = 0;
  while (CpuSeconds() - begin < 0.5) {
    work();
    done += static_cast<double>(bytes);
  }
  return done / (CpuSeconds() - begin) / 1e6;
}

/// AES-256-GCM in records as of TLS.
double CipherRate(bool encrypts) {
  constexpr int kRecord = 16 << 10;
  constexpr int kRecords = 64;
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&::EVP_CIPHER_CTX_free)> context(
      ::EVP_CIPHER_CTX_new(), &::EVP_CIPHER_CTX_free);
  std::array<unsigned char, 32> key{};
  std::array<unsigned char, 12> nonce{};
  std::vector<unsigned char> from(static_cast<std::size_t>(kRecord) * kRecords, 'x');
  std::vector<unsigned char> to(from.size());
  EVP_CIPHER_CTX* const c = context.get();
  ::EVP_CipherInit_ex(c, ::EVP_aes_256_gcm(), nullptr, key.data(), nonce.data(), encrypts ? 1 : 0);
  return Rate(from.size(), [&] {
    for (int n = 0; n < kRecords; ++n) {
      int size = 0;
      const auto at = static_cast<std::size_t>(n) * kRecord;
      std::array<unsigned char, 16> tag{};
      ::EVP_CipherInit_ex(c, nullptr, nullptr, nullptr, nonce.data(), encrypts ? 1 : 0);
      ::EVP_CipherUpdate(c, to.data() + at, &size, from.data() + at, kRecord);
      if (encrypts) {
        ::EVP_CipherFinal_ex(c, to.data() + at, &size);
        ::EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_GET_TAG, 16, tag.data());
      } else {  // the tag is wrong, which takes as long to notice
        ::EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_SET_TAG, 16, tag.data());
        static_cast<void>(::EVP_CipherFinal_ex(c, to.data() + at, &size));
      }
    }
  });
}

int PrintCryptoRates() {
  const std::string chunk(static_cast<std::size_t>(evenkeel::files::kChunkBytes), 'x');
  std::string other = chunk;
  const double sha256 = Rate(chunk.size(), [&] {
    static_cast<void>(evenkeel::protocol::Sha256Of(std::string_view(chunk)));
  });
  const double copy = Rate(chunk.size(), [&] {
    std::memcpy(other.data(), chunk.data(), chunk.size());
    asm volatile("" : : "r"(other.data()) : "memory");  // it is used
  });
  std::printf("{\"encrypt\": %.1f, \"decrypt\": %.1f, \"sha256\": %.1f, \"copy\": %.1f}\n",
              CipherRate(true), CipherRate(false), sha256, copy);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  if (std::getenv("SYSTEM_CIPHERS") == nullptr) evenkeel::protocol::PreferFasterTlsCipher();
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "serve" && argc == 7) {
    return Serve(argv[2], Identity(argv + 3), std::string(argv[6]) == "sha256");
  }
  if (what == "fetch" && argc == 11) {
    const std::string way = argv[2];
    const int port = std::atoi(argv[3]);
    const Identity identity(argv + 5);
    const int rounds = std::atoi(argv[10]);
    if (way == "files") return FetchFiles(port, identity, argv[9], rounds);
    if (way == "tls-files") return FetchFilesOverTls(port, argv[4], identity, argv[9], rounds);
    return Fetch(way, port, argv[4], identity, std::string(argv[8]) == "sha256", argv[9], rounds);
  }
  if (what == "cipher" && argc == 6) return PrintCipher(std::atoi(argv[2]), Identity(argv + 3));
  if (what == "crypto" && argc == 2) return PrintCryptoRates();
  Die("serve, fetch, cipher or crypto");
}
