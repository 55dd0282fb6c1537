#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "core/base/time.h"
#include "tests/support/test_api.h"

namespace evenkeel::support {

struct InMemoryApiServerOptions {
  std::string certificate_pem{};  ///< with `key_pem`: HTTPS
  std::string key_pem{};
  std::string client_ca_pem{};        ///< clients must show a certificate that this CA signed
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
  std::string method{};
  std::string target_part{};  ///< a part of the target as sent
  std::optional<bool> watch{};
};

/// Something that goes wrong with the requests that fit.
struct Fault {
  RequestFilter filter{};
  int skip = 0;          ///< number of matching requests that succeed before
  int times = 1;         ///< -1: until ClearFaults()
  Duration delay{};      ///< before the answer
  int status = 0;        ///< answered instead; 0: none
  std::string reason{};  ///< of that answer's Status; empty: the usual one
  std::optional<int> retry_after_seconds{};
  bool reset = false;                           ///< the connection is reset instead of an answer
  std::optional<std::size_t> cut_body_after{};  ///< the connection ends within the body
  std::string raw_answer{};  ///< these very bytes instead of an answer, then the connection ends
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

/// ApiObjects behind HTTP, on a port of its own choice, with faults. Thread-safe.
class InMemoryApiServer final : public TestApi {
 public:
  explicit InMemoryApiServer(InMemoryApiServerOptions options = {});
  ~InMemoryApiServer() override;
  InMemoryApiServer(const InMemoryApiServer&) = delete;
  InMemoryApiServer& operator=(const InMemoryApiServer&) = delete;

  /// "http://127.0.0.1:PORT", "https://[::1]:PORT"
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::uint16_t port() const;

  nlohmann::json Put(const std::string& collection, nlohmann::json object) override;
  [[nodiscard]] std::optional<nlohmann::json> Find(const std::string& collection,
                                                   const std::string& namespace_name,
                                                   const std::string& name) const override;
  bool Erase(const std::string& collection, const std::string& namespace_name,
             const std::string& name) override;
  [[nodiscard]] std::vector<nlohmann::json> All(const std::string& collection) const override;
  [[nodiscard]] std::string ResourceVersion() const override;
  /// Forgets the history: watches from an older resourceVersion get 410 as an ERROR event, older
  /// continue tokens 410 as the status. Open watches continue.
  void CompactHistory();

  // Misbehavior; all of it is off at first.

  void Inject(Fault fault);
  void ClearFaults();
  /// Streaming lists are refused with this status; 0: served.
  void RefuseStreamingLists(int status);
  /// Other tokens get 401; an empty set admits all, also without a token.
  void SetAcceptedTokens(std::set<std::string> tokens);
  /// Bytes of a chunk in streams: lines are split and joined without regard to their ends. 0: one
  /// line a chunk.
  void SetChunkBytes(std::size_t bytes);
  /// While held back, watches say nothing; afterwards all of it.
  void HoldEvents(bool hold);
  /// Ends the open watches that fit; how many there were.
  std::size_t EndWatches(WatchEnd end, const RequestFilter& filter = {});
  /// To the open watches that asked for bookmarks.
  void SendBookmarks();
  /// No more listening, all connections are closed; the objects stay.
  void GoDown();
  /// Listens again on the same port.
  void ComeUp();

  // The received requests.

  [[nodiscard]] std::vector<SeenRequest> Requests(const RequestFilter& filter = {}) const;
  [[nodiscard]] std::size_t OpenWatches(const RequestFilter& filter = {}) const;
  /// Waits until this number of matching watches is open, at most a minute. False: timeout.
  [[nodiscard]] bool WaitForWatches(std::size_t count, const RequestFilter& filter = {}) const;
  /// The same for requests seen since the start.
  [[nodiscard]] bool WaitForRequests(std::size_t count, const RequestFilter& filter = {}) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace evenkeel::support
