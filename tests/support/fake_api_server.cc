#include "tests/support/fake_api_server.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>
#include <utility>

#include "core/base/check.h"
#include "tests/support/fake_api/connection.h"
#include "tests/support/fake_api/connection_service.h"
#include "tests/support/fake_api/world.h"

namespace evenkeel::support {
namespace {

using nlohmann::json;

ObjectKey KeyOf(const std::string& collection, const json& object) {
  const json metadata = object.value("metadata", json::object());
  ObjectKey key{collection, metadata.value("namespace", std::string()),
                metadata.value("name", std::string())};
  EVENKEEL_CHECK(!key.name.empty(), "an object of the fake server needs a name");
  return key;
}

/// A connection and the thread that serves it.
struct Served {
  Served(int socket, const ServerTls* tls) : connection(socket, tls) {}

  Connection connection;
  std::atomic<bool> over{false};
  std::jthread thread;
};

}  // namespace

/// Accepts connections; each has its own thread.
class FakeApiServer::State {
 public:
  explicit State(FakeApiServerOptions options) : options_(std::move(options)) {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to closed sockets without a flag against it
    if (!options_.certificate_pem.empty()) {
      tls_ = std::make_unique<ServerTls>(options_.certificate_pem, options_.key_pem,
                                         options_.client_ca_pem);
    }
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

  void Start() {
    {
      const std::lock_guard lock(world.mutex);
      world.down = false;
    }
    if (acceptor_.joinable()) return;
    // Listening before anybody can ask for the port.
    auto listener = std::make_unique<Listener>(options_.address, port_);
    port_ = listener->port();
    acceptor_ = std::jthread([this, listener = std::move(listener)](const std::stop_token& stop) {
      Accept(*listener, stop);
    });
  }

  void Stop() {
    {
      const std::lock_guard lock(world.mutex);
      world.down = true;
    }
    world.changed.notify_all();
    if (!acceptor_.joinable()) return;
    acceptor_.request_stop();
    acceptor_.join();
    acceptor_ = {};
    for (const auto& served : served_) served->connection.Shutdown();
    served_.clear();  // joins
  }

  template <typename Count>
  bool WaitFor(const Count& count, std::size_t wanted, Duration limit) const {
    std::unique_lock lock(world.mutex);
    return world.changed.wait_for(lock, limit, [&] { return count() >= wanted; });
  }

  FakeApiWorld world;

 private:
  void Accept(const Listener& listener, const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const int socket = listener.Accept();
      served_.remove_if([](const auto& served) { return served->over.load(); });
      if (socket < 0) continue;
      Served& served = *served_.emplace_back(std::make_unique<Served>(socket, tls_.get()));
      served.thread = std::jthread([this, &served] {
        ServeConnection(world, served.connection);
        served.connection.Shutdown();
        served.over = true;
      });
    }
  }

  const FakeApiServerOptions options_;
  std::unique_ptr<ServerTls> tls_;
  std::uint16_t port_ = 0;
  std::list<std::unique_ptr<Served>> served_;  // of the acceptor while it runs
  std::jthread acceptor_;
};

FakeApiServer::FakeApiServer(FakeApiServerOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}
FakeApiServer::~FakeApiServer() = default;

std::string FakeApiServer::url() const { return state_->Url(); }
std::uint16_t FakeApiServer::port() const { return state_->port(); }

json FakeApiServer::Put(const std::string& collection, json object) {
  const ObjectKey key = KeyOf(collection, object);
  const std::lock_guard lock(state_->world.mutex);
  const json* const current = state_->world.store.Find(key);
  if (current != nullptr) {
    for (const char* const field : {"uid", "creationTimestamp", "generation"}) {
      object["metadata"][field] = (*current)["metadata"][field];
    }
  }
  json written = state_->world.store.Write(key, std::move(object));
  state_->world.changed.notify_all();
  return written;
}

std::optional<json> FakeApiServer::Find(const std::string& collection,
                                        const std::string& namespace_name,
                                        const std::string& name) const {
  const std::lock_guard lock(state_->world.mutex);
  const json* const found = state_->world.store.Find({collection, namespace_name, name});
  if (found == nullptr) return std::nullopt;
  return *found;
}

bool FakeApiServer::Erase(const std::string& collection, const std::string& namespace_name,
                          const std::string& name) {
  const std::lock_guard lock(state_->world.mutex);
  const bool there = state_->world.store.Find({collection, namespace_name, name}) != nullptr;
  state_->world.store.Remove({collection, namespace_name, name});
  state_->world.changed.notify_all();
  return there;
}

std::vector<json> FakeApiServer::All(const std::string& collection) const {
  const std::lock_guard lock(state_->world.mutex);
  return state_->world.store.All(collection);
}

std::string FakeApiServer::ResourceVersion() const {
  const std::lock_guard lock(state_->world.mutex);
  return std::to_string(state_->world.store.version());
}

void FakeApiServer::CompactHistory() {
  const std::lock_guard lock(state_->world.mutex);
  state_->world.store.Compact();
}

void FakeApiServer::Inject(Fault fault) {
  const std::lock_guard lock(state_->world.mutex);
  state_->world.faults.push_back(std::move(fault));
}

void FakeApiServer::ClearFaults() {
  const std::lock_guard lock(state_->world.mutex);
  state_->world.faults.clear();
}

void FakeApiServer::RefuseStreamingLists(int status) {
  const std::lock_guard lock(state_->world.mutex);
  state_->world.streaming_lists_status = status;
}

void FakeApiServer::SetAcceptedTokens(std::set<std::string> tokens) {
  const std::lock_guard lock(state_->world.mutex);
  state_->world.accepted_tokens = std::move(tokens);
}

void FakeApiServer::SetChunkBytes(std::size_t bytes) {
  const std::lock_guard lock(state_->world.mutex);
  state_->world.chunk_bytes = bytes;
}

void FakeApiServer::HoldEvents(bool hold) {
  const std::lock_guard lock(state_->world.mutex);
  state_->world.events_held = hold;
  state_->world.changed.notify_all();
}

std::size_t FakeApiServer::EndWatches(WatchEnd end, const RequestFilter& filter) {
  const std::lock_guard lock(state_->world.mutex);
  std::size_t count = 0;
  for (OpenWatch& watch : state_->world.watches) {
    if (watch.end || !Fits(filter, watch)) continue;
    watch.end = end;
    ++count;
  }
  state_->world.changed.notify_all();
  return count;
}

void FakeApiServer::SendBookmarks(const RequestFilter& filter) {
  const std::lock_guard lock(state_->world.mutex);
  for (OpenWatch& watch : state_->world.watches) {
    if (Fits(filter, watch)) watch.bookmark_due = true;
  }
  state_->world.changed.notify_all();
}

void FakeApiServer::GoDown() { state_->Stop(); }
void FakeApiServer::ComeUp() { state_->Start(); }

std::vector<SeenRequest> FakeApiServer::Requests(const RequestFilter& filter) const {
  const std::lock_guard lock(state_->world.mutex);
  std::vector<SeenRequest> fitting;
  for (const SeenRequest& request : state_->world.requests) {
    if (Fits(filter, request)) fitting.push_back(request);
  }
  return fitting;
}

std::size_t FakeApiServer::OpenWatches(const RequestFilter& filter) const {
  const std::lock_guard lock(state_->world.mutex);
  const auto& watches = state_->world.watches;
  return static_cast<std::size_t>(std::count_if(
      watches.begin(), watches.end(), [&](const auto& w) { return !w.end && Fits(filter, w); }));
}

bool FakeApiServer::WaitForWatches(std::size_t count, const RequestFilter& filter,
                                   Duration limit) const {
  const auto& watches = state_->world.watches;
  const auto open = [&] {
    return static_cast<std::size_t>(std::count_if(
        watches.begin(), watches.end(), [&](const auto& w) { return !w.end && Fits(filter, w); }));
  };
  return state_->WaitFor(open, count, limit);
}

bool FakeApiServer::WaitForRequests(std::size_t count, const RequestFilter& filter,
                                    Duration limit) const {
  const auto& requests = state_->world.requests;
  const auto seen = [&] {
    return static_cast<std::size_t>(std::count_if(requests.begin(), requests.end(),
                                                  [&](const auto& r) { return Fits(filter, r); }));
  };
  return state_->WaitFor(seen, count, limit);
}

}  // namespace evenkeel::support
