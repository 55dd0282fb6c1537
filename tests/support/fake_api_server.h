#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

/// An API server in the test's process that can inject faults.
namespace evenkeel::support {

struct FakeApiServerOptions {
  std::string certificate_pem;  ///< with `key_pem`: HTTPS
  std::string key_pem;
  std::string client_ca_pem;          ///< clients must show a certificate that this CA signed
  std::string address = "127.0.0.1";  ///< or "::1"
};

struct SeenRequest {
  std::string method;
  std::string target;  ///< path and query as sent
  std::string content_type;
  std::string authorization;
  std::string user_agent;
  std::string body;
  int status = 0;  ///< of the answer; 0: none was given (yet)
};

/// Selects requests; an empty field matches all.
struct RequestFilter {
  std::string method;
  std::string target_part;    ///< a part of the target as sent
  std::optional<bool> watch;  ///< only watches, or all but watches
};

/// Something that goes wrong with the requests that fit.
struct Fault {
  RequestFilter filter;
  int skip = 0;        ///< number of matching requests that succeed before
  int times = 1;       ///< -1: until ClearFaults()
  Duration delay{};    ///< before the answer
  int status = 0;      ///< answered instead; 0: none
  std::string reason;  ///< of that answer's Status; empty: the usual one
  std::optional<int> retry_after_seconds;
  bool reset = false;  ///< the connection is reset instead of an answer
  std::optional<std::size_t>
      cut_body_after;      ///< the connection ends after this many bytes of the body
  std::string raw_answer;  ///< these very bytes instead of an answer, then the connection ends
};

/// How open watches end.
enum class WatchEnd {
  kClean,         ///< in good order, as after timeoutSeconds
  kEof,           ///< the connection ends between two lines
  kEofInMidLine,  ///< the connection ends within a line
  kCleanMidLine,  ///< in good order for HTTP, but within a line
  kReset,         ///< connection reset
  kGone,          ///< an ERROR event with code 410, then in good order
  kErrorEvent,    ///< an ERROR event with code 500, then in good order
  kBadLine        ///< a line that is not JSON, then in good order
};

/// Keeps objects of any resource in memory and serves GET, LIST (limit, continue, label and field
/// selectors), POST, PUT, PATCH (merge and apply), DELETE (preconditions, finalizers), the status
/// subresource, and WATCH with bookmarks and streaming lists, on a port of its own choice.
///
/// A collection is the path of all objects of a resource: "/api/v1/pods",
/// "/apis/batch.evenkeel.dev/v1alpha1/weightedjobs". Any collection is served, none needs to be
/// announced. Items of lists and watches look as the real server's: built-in kinds carry no
/// apiVersion and kind in lists. Writes that change nothing keep the resourceVersion and make no
/// event. A write to an object leaves its status alone, one to status all else.
///
/// Thread-safe. All faults are off at first.
class FakeApiServer {
 public:
  explicit FakeApiServer(FakeApiServerOptions options = {});
  ~FakeApiServer();
  FakeApiServer(const FakeApiServer&) = delete;
  FakeApiServer& operator=(const FakeApiServer&) = delete;

  /// "http://127.0.0.1:PORT", "https://[::1]:PORT"
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::uint16_t port() const;

  // The stored objects. These calls act like writes of another client: watchers see them.

  /// Creates or replaces, status and all. Returns it with uid, resourceVersion and the like.
  nlohmann::json Put(const std::string& collection, nlohmann::json object);
  [[nodiscard]] std::optional<nlohmann::json> Find(const std::string& collection,
                                                   const std::string& namespace_name,
                                                   const std::string& name) const;
  /// Removes it at once, whatever its finalizers. False: it was not there.
  bool Erase(const std::string& collection, const std::string& namespace_name,
             const std::string& name);
  [[nodiscard]] std::vector<nlohmann::json> All(const std::string& collection) const;
  /// The newest of all.
  [[nodiscard]] std::string ResourceVersion() const;
  /// Forgets the history: watches from an older resourceVersion get 410 as an ERROR event, older
  /// continue tokens 410 as the status. Open watches continue.
  void CompactHistory();

  // Misbehaviour.

  void Inject(Fault fault);
  void ClearFaults();
  /// Streaming lists are refused with this status (400, 422, ...); 0: served.
  void RefuseStreamingLists(int status);
  /// Other tokens get 401; an empty set admits all, also without a token.
  void SetAcceptedTokens(std::set<std::string> tokens);
  /// Bytes of a chunk in streams: lines are split and joined without regard to their ends. 0: one
  /// line a chunk.
  void SetChunkBytes(std::size_t bytes);
  /// While held back, open watches say nothing, new ones neither; afterwards all of it.
  void HoldEvents(bool hold);
  /// Ends the open watches that fit; how many there were.
  std::size_t EndWatches(WatchEnd end, const RequestFilter& filter = {});
  /// To the open watches that fit and that asked for bookmarks.
  void SendBookmarks(const RequestFilter& filter = {});
  /// No more listening, all connections are closed; the objects stay.
  void GoDown();
  /// Listens again on the same port.
  void ComeUp();

  // The received requests.

  [[nodiscard]] std::vector<SeenRequest> Requests(const RequestFilter& filter = {}) const;
  [[nodiscard]] std::size_t OpenWatches(const RequestFilter& filter = {}) const;
  /// Waits until this number of matching watches is open, at most `limit`. False: timeout.
  [[nodiscard]] bool WaitForWatches(std::size_t count, const RequestFilter& filter = {},
                                    Duration limit = std::chrono::seconds(10)) const;
  /// The same for requests seen since the start.
  [[nodiscard]] bool WaitForRequests(std::size_t count, const RequestFilter& filter = {},
                                     Duration limit = std::chrono::seconds(10)) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace evenkeel::support
