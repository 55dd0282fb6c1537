#include "tests/support/in_memory_api_server.h"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include "tests/support/api_objects.h"

namespace evenkeel::support {
namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using net::ip::tcp;
using nlohmann::json;
using BeastError = boost::system::error_code;

bool Fits(const RequestFilter& filter, const std::string& method, const std::string& target) {
  return (filter.method.empty() || filter.method == method) &&
         target.find(filter.target_part) != std::string::npos &&
         (!filter.watch || *filter.watch == ApiRequest{method, target}.IsWatch());
}

std::string Chunk(const std::string& bytes) {
  char size[20];
  std::snprintf(size, sizeof(size), "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

/// The last chunks of a watch. The end of the HTTP body follows unless the connection has to break.
std::string LastWords(WatchEnd end) {
  constexpr const char* kHalfALine = R"({"type":"MODIFIED","object":{"kind":"Po)";
  const auto error = [](const ApiAnswer& status) {
    return Chunk(json({{"type", "ERROR"}, {"object", status.body}}).dump() + "\n");
  };
  switch (end) {
    case WatchEnd::kEofInMidLine:
    case WatchEnd::kCleanMidLine:
      return Chunk(kHalfALine);
    case WatchEnd::kGone:
      return error(Refusal(410, "The resourceVersion is too old"));
    case WatchEnd::kErrorEvent:
      return error(Refusal(500, "etcd event received with PrevKv=nil"));
    case WatchEnd::kBadLine:
      return Chunk("this is no JSON\n");
    default:
      return {};
  }
}

/// One connection: bytes in and out, with TLS or without.
class Peer {
 public:
  Peer(tcp::socket socket, net::ssl::context* tls) : stream_(std::move(socket), Context(tls)) {
    plain_ = tls == nullptr;
  }

  [[nodiscard]] bool Open() {
    BeastError error;
    if (!plain_) stream_.handshake(net::ssl::stream_base::server, error);
    return !error;
  }
  [[nodiscard]] bool Read(http::request<http::string_body>& request) {
    BeastError error;
    http::request_parser<http::string_body> parser;
    parser.body_limit(64 << 20);
    if (plain_) {
      http::read(stream_.next_layer(), buffer_, parser, error);
    } else {
      http::read(stream_, buffer_, parser, error);
    }
    request = parser.release();
    return !error;
  }
  bool Write(const std::string& bytes) {
    BeastError error;
    if (plain_) {
      net::write(stream_.next_layer(), net::buffer(bytes), error);
    } else {
      net::write(stream_, net::buffer(bytes), error);
    }
    return !error;
  }
  [[nodiscard]] bool IsGone() {
    char byte = 0;
    return ::recv(Handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }
  /// The other side sees a reset, not an end.
  void Reset() {
    const std::lock_guard lock(closing_);
    BeastError ignored;
    stream_.next_layer().set_option(net::socket_base::linger(true, 0), ignored);
    stream_.next_layer().close(ignored);
  }
  /// Wakes reads and writes, which fail from now on. Any thread.
  void Shutdown() {
    const std::lock_guard lock(closing_);
    if (stream_.next_layer().is_open()) ::shutdown(Handle(), SHUT_RDWR);
  }

 private:
  static net::ssl::context& Context(net::ssl::context* tls) {
    static net::ssl::context unused(net::ssl::context::tls_server);
    return tls != nullptr ? *tls : unused;
  }
  [[nodiscard]] int Handle() { return stream_.next_layer().native_handle(); }

  boost::beast::ssl_stream<tcp::socket> stream_;
  boost::beast::flat_buffer buffer_;
  bool plain_ = true;
  std::mutex closing_;
};

struct OpenWatch {
  ApiObjects::Watch watch;
  std::optional<WatchEnd> end{};  // how it has to end, once it has to
};

/// A connection and the thread that serves it.
struct Served {
  Served(tcp::socket socket, net::ssl::context* tls) : peer(std::move(socket), tls) {}
  Peer peer;
  std::atomic<bool> over{false};
  std::jthread thread;
};

}  // namespace

/// Accepts connections; each has its own thread.
class InMemoryApiServer::State {
 public:
  explicit State(InMemoryApiServerOptions options) : options_(std::move(options)) {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to closed sockets without a flag against it
    if (!options_.certificate_pem.empty()) MakeTls();
    Start();
  }
  ~State() { Stop(); }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string Url() const {
    const bool is_ipv6 = options_.address.find(':') != std::string::npos;
    return std::string(tls_ ? "https://" : "http://") +
           (is_ipv6 ? "[" + options_.address + "]" : options_.address) + ":" +
           std::to_string(port_);
  }

  /// Runs `act` under the lock and wakes all waiting threads.
  template <typename Act>
  decltype(auto) With(const Act& act) {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
    return act();
  }
  template <typename Look>
  auto Looking(const Look& look) const {
    const std::lock_guard lock(mutex_);
    return look();
  }
  void Start() {
    With([this] { down = false; });
    if (acceptor_) return;
    // Listening before anybody can ask for the port.
    acceptor_.emplace(io_, tcp::endpoint(net::ip::make_address(options_.address), port_));
    port_ = acceptor_->local_endpoint().port();
    accepting_ = std::jthread([this] { Accept(); });
  }

  void Stop() {
    With([this] { down = true; });
    if (!acceptor_) return;
    ::shutdown(acceptor_->native_handle(), SHUT_RDWR);  // wakes accept()
    accepting_.join();
    acceptor_.reset();
    for (const auto& served : served_) served->peer.Shutdown();
    served_.clear();  // joins
  }

  template <typename Condition>
  bool WaitFor(const Condition& condition) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), condition);
  }

  [[nodiscard]] std::size_t CountWatches(const RequestFilter& filter) const {
    return static_cast<std::size_t>(
        std::count_if(watches.begin(), watches.end(), [&](const OpenWatch& one) {
          return !one.end && Fits(filter, "GET", one.watch.request.target);
        }));
  }

  // Guarded by the lock.
  ApiObjects objects;
  std::list<Fault> faults;
  std::set<std::string> tokens;
  std::size_t chunk_bytes = 0;
  bool events_held = false;
  bool down = false;
  std::deque<SeenRequest> requests;  // grows at its end only: references stay good
  std::list<OpenWatch> watches;

 private:
  void MakeTls() {
    tls_.emplace(net::ssl::context::tls_server);
    tls_->use_certificate_chain(net::buffer(options_.certificate_pem));
    tls_->use_private_key(net::buffer(options_.key_pem), net::ssl::context::pem);
    if (options_.client_ca_pem.empty()) return;
    tls_->add_certificate_authority(net::buffer(options_.client_ca_pem));
    tls_->set_verify_mode(net::ssl::verify_peer | net::ssl::verify_fail_if_no_peer_cert);
  }

  void Accept() {
    for (;;) {
      BeastError error;
      tcp::socket socket = acceptor_->accept(io_, error);
      if (error) return;
      served_.remove_if([](const auto& served) { return served->over.load(); });
      Served& served = *served_.emplace_back(
          std::make_unique<Served>(std::move(socket), tls_ ? &*tls_ : nullptr));
      served.thread = std::jthread([this, &served] {
        Serve(served.peer);
        served.peer.Shutdown();
        served.over = true;
      });
    }
  }

  void Serve(Peer& peer) {
    http::request<http::string_body> request;
    if (!peer.Open()) return;
    while (peer.Read(request)) {
      const auto header = [&](http::field field) { return std::string(request[field]); };
      SeenRequest& seen = With([&]() -> SeenRequest& {
        return requests.emplace_back(
            SeenRequest{std::string(request.method_string()), std::string(request.target()),
                        header(http::field::content_type), header(http::field::authorization),
                        header(http::field::user_agent), request.body()});
      });
      if (!AnswerOne(peer, seen)) return;
    }
  }

  /// The fault that this request meets, which is used up by it. Lock held.
  std::optional<Fault> TakeFault(const SeenRequest& seen) {
    for (Fault& fault : faults) {
      if (fault.times == 0 || !Fits(fault.filter, seen.method, seen.target)) continue;
      if (fault.skip-- > 0) continue;
      fault.skip = 0;
      if (fault.times > 0) --fault.times;
      return fault;
    }
    return std::nullopt;
  }

  /// False: the connection ends.
  bool AnswerOne(Peer& peer, SeenRequest& seen) {
    const ApiRequest request{seen.method, seen.target, seen.content_type, seen.body};
    std::unique_lock lock(mutex_);
    const Fault fault = TakeFault(seen).value_or(Fault{});
    if (changed_.wait_for(lock, fault.delay, [this] { return down; })) return false;
    if (fault.reset) {
      peer.Reset();
      return false;
    }
    if (!fault.raw_answer.empty()) {
      lock.unlock();
      peer.Write(fault.raw_answer);
      return false;
    }
    ApiAnswer answer;
    const bool admitted = tokens.empty() || (seen.authorization.starts_with("Bearer ") &&
                                             tokens.contains(seen.authorization.substr(7)));
    if (fault.status != 0) {
      answer = Refusal(fault.status, "told to fail", fault.reason);
    } else if (!admitted) {
      answer = Refusal(401, "Unauthorized");
    } else if (!request.IsWatch()) {
      answer = objects.Answer(request);
    } else if (auto refused = objects.RefuseWatch(request)) {
      answer = *std::move(refused);
    } else {
      seen.status = 200;
      return ServeWatch(peer, request, lock);
    }
    seen.status = answer.status;
    changed_.notify_all();
    lock.unlock();
    const std::string body = answer.body.dump();
    std::string text = "HTTP/1.1 " + std::to_string(answer.status) +
                       " Status\r\nContent-Type: application/json\r\n";
    if (fault.retry_after_seconds) {
      text += "Retry-After: " + std::to_string(*fault.retry_after_seconds) + "\r\n";
    }
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    return peer.Write(text + body.substr(0, fault.cut_body_after.value_or(body.size()))) &&
           !fault.cut_body_after;
  }

  bool ServeWatch(Peer& peer, const ApiRequest& request, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    const bool begun = peer.Write(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n");
    lock.lock();
    // A test that sees the watch may change objects at once: what the watch begins with is
    // collected before the lock is released.
    const auto open = watches.insert(watches.end(), OpenWatch{{request}});
    changed_.notify_all();
    const WatchEnd end = begun ? Follow(peer, *open, lock) : WatchEnd::kEof;
    watches.erase(open);
    changed_.notify_all();
    lock.unlock();
    if (end == WatchEnd::kReset) {
      peer.Reset();
      return false;
    }
    if (!peer.Write(LastWords(end))) return false;
    const bool breaks = end == WatchEnd::kEof || end == WatchEnd::kEofInMidLine;
    return !breaks && peer.Write("0\r\n\r\n");
  }

  /// Tells what happens until the watch ends.
  WatchEnd Follow(Peer& peer, OpenWatch& open, std::unique_lock<std::mutex>& lock) {
    using Steady = std::chrono::steady_clock;
    const std::string& target = open.watch.request.target;
    const std::size_t limit = target.find("timeoutSeconds=");
    const auto deadline =
        limit == std::string::npos
            ? Steady::time_point::max()
            : Steady::now() +
                  std::chrono::seconds(std::stol(target.substr(target.find('=', limit) + 1)));
    for (;;) {
      if (down || peer.IsGone()) return WatchEnd::kEof;
      std::vector<std::string> lines;
      const bool stays = events_held || objects.Collect(open.watch, lines);
      if (!lines.empty() && !Tell(peer, lines, lock)) return WatchEnd::kReset;
      if (!stays) return WatchEnd::kClean;
      // Events from before the end are sent first.
      if (open.end && (events_held || objects.IsCurrent(open.watch))) return *open.end;
      if (Steady::now() >= deadline) return WatchEnd::kClean;
      // Looks now and then whether the client is still there.
      if (lines.empty()) changed_.wait_for(lock, std::chrono::milliseconds(50));
    }
  }

  bool Tell(Peer& peer, const std::vector<std::string>& lines, std::unique_lock<std::mutex>& lock) {
    std::string all;
    std::string chunks;
    for (const std::string& line : lines) {
      all += line;
      if (chunk_bytes == 0) chunks += Chunk(line);
    }
    for (std::size_t at = 0; chunk_bytes > 0 && at < all.size(); at += chunk_bytes) {
      chunks += Chunk(all.substr(at, chunk_bytes));
    }
    lock.unlock();
    const bool written = peer.Write(chunks);
    lock.lock();
    return written;
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  const InMemoryApiServerOptions options_;
  net::io_context io_;
  std::optional<net::ssl::context> tls_;
  std::uint16_t port_ = 0;
  std::optional<tcp::acceptor> acceptor_;
  std::list<std::unique_ptr<Served>> served_;  // of the accepting thread while it runs
  std::jthread accepting_;
};

InMemoryApiServer::InMemoryApiServer(InMemoryApiServerOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}
InMemoryApiServer::~InMemoryApiServer() = default;

std::string InMemoryApiServer::url() const { return state_->Url(); }
std::uint16_t InMemoryApiServer::port() const { return state_->port(); }

json InMemoryApiServer::Put(const std::string& collection, json object) {
  return state_->With([&] { return state_->objects.Put(collection, std::move(object)); });
}
std::optional<json> InMemoryApiServer::Find(const std::string& collection,
                                            const std::string& namespace_name,
                                            const std::string& name) const {
  return state_->Looking([&] { return state_->objects.Find(collection, namespace_name, name); });
}
bool InMemoryApiServer::Erase(const std::string& collection, const std::string& namespace_name,
                              const std::string& name) {
  return state_->With([&] { return state_->objects.Erase(collection, namespace_name, name); });
}
std::vector<json> InMemoryApiServer::All(const std::string& collection) const {
  return state_->Looking([&] { return state_->objects.All(collection); });
}
std::string InMemoryApiServer::ResourceVersion() const {
  return state_->Looking([&] { return std::to_string(state_->objects.version()); });
}
void InMemoryApiServer::CompactHistory() {
  state_->With([&] { state_->objects.Compact(); });
}

void InMemoryApiServer::Inject(Fault fault) {
  state_->With([&] { state_->faults.push_back(std::move(fault)); });
}
void InMemoryApiServer::ClearFaults() {
  state_->With([&] { state_->faults.clear(); });
}
void InMemoryApiServer::RefuseStreamingLists(int status) {
  state_->With([&] { state_->objects.streaming_lists_status = status; });
}
void InMemoryApiServer::SetAcceptedTokens(std::set<std::string> tokens) {
  state_->With([&] { state_->tokens = std::move(tokens); });
}
void InMemoryApiServer::SetChunkBytes(std::size_t bytes) {
  state_->With([&] { state_->chunk_bytes = bytes; });
}
void InMemoryApiServer::HoldEvents(bool hold) {
  state_->With([&] { state_->events_held = hold; });
}
std::size_t InMemoryApiServer::EndWatches(WatchEnd end, const RequestFilter& filter) {
  return state_->With([&] {
    const std::size_t count = state_->CountWatches(filter);
    for (OpenWatch& one : state_->watches) {
      if (!one.end && Fits(filter, "GET", one.watch.request.target)) one.end = end;
    }
    return count;
  });
}
void InMemoryApiServer::SendBookmarks() {
  state_->With([&] {
    for (OpenWatch& one : state_->watches) one.watch.bookmark_due = true;
  });
}
void InMemoryApiServer::GoDown() { state_->Stop(); }
void InMemoryApiServer::ComeUp() { state_->Start(); }

std::vector<SeenRequest> InMemoryApiServer::Requests(const RequestFilter& filter) const {
  return state_->Looking([&] {
    std::vector<SeenRequest> fitting;
    std::copy_if(state_->requests.begin(), state_->requests.end(), std::back_inserter(fitting),
                 [&](const auto& request) { return Fits(filter, request.method, request.target); });
    return fitting;
  });
}
std::size_t InMemoryApiServer::OpenWatches(const RequestFilter& filter) const {
  return state_->Looking([&] { return state_->CountWatches(filter); });
}
bool InMemoryApiServer::WaitForWatches(std::size_t count, const RequestFilter& filter) const {
  return state_->WaitFor([&] { return state_->CountWatches(filter) >= count; });
}
bool InMemoryApiServer::WaitForRequests(std::size_t count, const RequestFilter& filter) const {
  return state_->WaitFor([&] {
    const auto seen = std::count_if(
        state_->requests.begin(), state_->requests.end(),
        [&](const auto& request) { return Fits(filter, request.method, request.target); });
    return static_cast<std::size_t>(seen) >= count;
  });
}

}  // namespace evenkeel::support
