#include "tests/support/fake_api/watch_answers.h"

#include <chrono>
#include <cstdio>
#include <utility>

#include "tests/support/fake_api/rest_answers.h"
#include "tests/support/fake_api/selectors.h"

namespace evenkeel::support {
namespace {

using nlohmann::json;

/// How often a watch looks whether its client is still there.
constexpr auto kLookAfter = std::chrono::milliseconds(50);

std::string Line(const std::string& type, const json& object) {
  return json({{"type", type}, {"object", object}}).dump() + "\n";
}

std::string Chunk(const std::string& bytes) {
  char size[20];
  std::snprintf(size, sizeof(size), "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

/// One watch, on the thread of its connection.
class WatchAnswer {
 public:
  WatchAnswer(FakeApiWorld& world, Connection& connection, const HttpRequest& request,
              ApiAddress address)
      : world_(world),
        connection_(connection),
        request_(request),
        address_(std::move(address)),
        labels_(request.Parameter("labelSelector")),
        fields_(request.Parameter("fieldSelector")) {}

  /// The error that refuses the watch before it begins; lock held.
  [[nodiscard]] std::optional<RestAnswer> Refused() const {
    if (!Streaming()) return std::nullopt;
    if (world_.streaming_lists_status != 0) {
      return Refusal(world_.streaming_lists_status,
                     "sendInitialEvents is forbidden for watch unless the WatchList feature gate is"
                     " enabled");
    }
    if (request_.Parameter("resourceVersionMatch") != "NotOlderThan") {
      return Refusal(422, "resourceVersionMatch is required with sendInitialEvents");
    }
    return std::nullopt;
  }

  bool Serve() {
    if (!connection_.Write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                           "Transfer-Encoding: chunked\r\n\r\n")) {
      return false;
    }
    std::unique_lock lock(world_.mutex);
    const auto open = world_.watches.insert(world_.watches.end(), OpenWatch{request_.target, {}});
    world_.changed.notify_all();
    const WatchEnd end = Follow(lock, *open);
    world_.watches.erase(open);
    world_.changed.notify_all();
    lock.unlock();
    return End(end);
  }

 private:
  using Steady = std::chrono::steady_clock;

  [[nodiscard]] bool Streaming() const { return request_.Parameter("sendInitialEvents") == "true"; }

  [[nodiscard]] bool Selects(const json& object) const {
    const json& metadata = object["metadata"];
    return (address_.namespace_name.empty() ||
            metadata.value("namespace", "") == address_.namespace_name) &&
           LabelsFit(object, labels_) && FieldsFit(object, fields_);
  }

  WatchEnd Follow(std::unique_lock<std::mutex>& lock, OpenWatch& open) {
    const std::string timeout = request_.Parameter("timeoutSeconds");
    const auto deadline = timeout.empty()
                              ? Steady::time_point::max()
                              : Steady::now() + std::chrono::seconds(std::stol(timeout));
    for (;;) {
      if (world_.down || connection_.PeerIsGone()) return WatchEnd::kEof;
      std::vector<std::string> lines;
      const bool stays = world_.events_held || Collect(open, lines);
      const std::size_t chunk_bytes = world_.chunk_bytes;
      if (!lines.empty()) {
        lock.unlock();
        const bool written = Write(lines, chunk_bytes);
        lock.lock();
        if (!written) return WatchEnd::kReset;
      }
      if (!stays) return WatchEnd::kClean;
      // Events from before the end are sent first.
      if (open.end && (world_.events_held || position_ == world_.store.events().size())) {
        return *open.end;
      }
      if (Steady::now() >= deadline) return WatchEnd::kClean;
      if (lines.empty()) world_.changed.wait_for(lock, kLookAfter);
    }
  }

  /// Collects the pending lines. False: they are the last ones.
  bool Collect(OpenWatch& open, std::vector<std::string>& lines) {
    if (!begun_ && !Begin(lines)) return false;
    const auto& events = world_.store.events();
    for (; position_ < events.size(); ++position_) AppendEvent(events[position_], lines);
    if (std::exchange(open.bookmark_due, false) &&
        request_.Parameter("allowWatchBookmarks") == "true") {
      lines.push_back(Bookmark(false));
    }
    return true;
  }

  bool Begin(std::vector<std::string>& lines) {
    begun_ = true;
    const std::string version = request_.Parameter("resourceVersion");
    const auto& events = world_.store.events();
    if (!Streaming() && !version.empty() && version != "0") {
      const std::int64_t after = std::stoll(version);
      if (after < world_.store.oldest()) {
        lines.push_back(Line("ERROR", Refusal(410, "too old resource version: " + version).body));
        return false;
      }
      while (position_ < events.size() && events[position_].version <= after) ++position_;
      return true;
    }
    for (const json& object : world_.store.All(address_.collection, address_.namespace_name)) {
      if (Selects(object)) lines.push_back(Line("ADDED", object));
    }
    position_ = events.size();
    if (Streaming()) lines.push_back(Bookmark(true));
    return true;
  }

  /// A change that takes an object in or out of the selection looks like ADDED or DELETED.
  void AppendEvent(const StoredEvent& event, std::vector<std::string>& lines) const {
    if (event.collection != address_.collection) return;
    const bool now = event.type != "DELETED" && Selects(event.object);
    const bool before = !event.before.is_null() && Selects(event.before);
    if (now) lines.push_back(Line(before ? "MODIFIED" : "ADDED", event.object));
    if (!now && before) lines.push_back(Line("DELETED", event.object));
  }

  [[nodiscard]] std::string Bookmark(bool end_of_initial_events) const {
    json metadata = {{"resourceVersion", std::to_string(world_.store.version())}};
    if (end_of_initial_events) metadata["annotations"]["k8s.io/initial-events-end"] = "true";
    return Line("BOOKMARK", {{"kind", "Bookmark"}, {"apiVersion", "v1"}, {"metadata", metadata}});
  }

  [[nodiscard]] bool Write(const std::vector<std::string>& lines, std::size_t chunk_bytes) {
    if (chunk_bytes == 0) {
      for (const std::string& line : lines) {
        if (!connection_.Write(Chunk(line))) return false;
      }
      return true;
    }
    std::string all;
    for (const std::string& line : lines) all += line;
    for (std::size_t at = 0; at < all.size(); at += chunk_bytes) {
      if (!connection_.Write(Chunk(all.substr(at, chunk_bytes)))) return false;
    }
    return true;
  }

  bool End(WatchEnd end) {
    static const std::string kHalfALine = R"({"type":"MODIFIED","object":{"kind":"Po)";
    switch (end) {
      case WatchEnd::kClean:
        break;
      case WatchEnd::kEof:
        return false;
      case WatchEnd::kEofInMidLine:
        (void)connection_.Write(Chunk(kHalfALine));
        return false;
      case WatchEnd::kCleanMidLine:
        if (!connection_.Write(Chunk(kHalfALine))) return false;
        break;
      case WatchEnd::kReset:
        connection_.ResetAtEnd();
        return false;
      case WatchEnd::kGone:
      case WatchEnd::kErrorEvent: {
        const RestAnswer status = end == WatchEnd::kGone
                                      ? Refusal(410, "The resourceVersion is too old")
                                      : Refusal(500, "etcd event received with PrevKv=nil");
        if (!connection_.Write(Chunk(Line("ERROR", status.body)))) return false;
        break;
      }
      case WatchEnd::kBadLine:
        if (!connection_.Write(Chunk("this is no JSON\n"))) return false;
        break;
    }
    return connection_.Write("0\r\n\r\n");
  }

  FakeApiWorld& world_;
  Connection& connection_;
  const HttpRequest& request_;
  const ApiAddress address_;
  const std::string labels_;
  const std::string fields_;
  std::size_t position_ = 0;  ///< of the next event to tell
  bool begun_ = false;
};

}  // namespace

bool WriteAnswer(Connection& connection, int status, const std::string& body,
                 std::optional<int> retry_after_seconds, std::optional<std::size_t> cut_after) {
  std::string answer = "HTTP/1.1 " + std::to_string(status) + " Status\r\n";
  answer += "Content-Type: application/json\r\n";
  if (retry_after_seconds) {
    answer += "Retry-After: " + std::to_string(*retry_after_seconds) + "\r\n";
  }
  answer += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  answer += cut_after ? body.substr(0, *cut_after) : body;
  return connection.Write(answer) && !cut_after;
}

bool ServeWatch(FakeApiWorld& world, Connection& connection, const HttpRequest& request,
                SeenRequest& seen) {
  std::unique_lock lock(world.mutex);
  const auto address = ParseAddress(request);
  RestAnswer refusal = Refusal(404, "the server could not find the requested resource");
  if (address) {
    WatchAnswer watch(world, connection, request, *address);
    const auto refused = watch.Refused();
    seen.status = refused ? refused->status : 200;
    lock.unlock();
    if (!refused) return watch.Serve();
    refusal = *refused;
  } else {
    seen.status = refusal.status;
    lock.unlock();
  }
  return WriteAnswer(connection, refusal.status, refusal.body.dump());
}

}  // namespace evenkeel::support
