#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/time.h"
#include "kubernetes/credentials.h"
#include "kubernetes/pacing.h"

/// HTTP to an API server (or to a coordinator), without any HTTP library's types.
namespace evenkeel::kube {

struct Request {
  std::string method;        ///< "GET", "POST", ...
  std::string target;        ///< path and query, percent-encoded: "/api/v1/nodes?limit=500"
  std::string content_type;  ///< of the body; empty: no body
  std::string body;
  /// Send: until the whole answer is there. Stream: the longest silence.
  Duration timeout = std::chrono::seconds(30);
  std::string accept = "application/json";  ///< media type of the answer
};

struct Response {
  int status = 0;  ///< of HTTP
  std::string body;
  std::optional<Duration> retry_after;  ///< at most one hour; only the form in seconds is read
};

/// Takes the lines of a stream, without their ends.
class LineSink {
 public:
  virtual ~LineSink() = default;
  /// False: no more. Called on the thread that called Stream(); `line` lives until it returns.
  virtual bool OnLine(std::string_view line) = 0;
};

/// One API server. Thread-safe; calls block.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Asks and reads the whole answer, whatever its status. An Error (kUnavailable: network, TLS,
  /// timeout, answer larger than allowed; kInvalidInput: a request that cannot be sent) only if no
  /// whole answer came; the server may have executed the request.
  [[nodiscard]] virtual Result<Response> Send(const Request& request) = 0;

  /// A watch: hands over each line of a 2xx answer as soon as it is there and returns at its end.
  /// Other answers come back as a Response with the (bounded) body. A stop and a sink that wants no
  /// more end it without an Error, within a second; the status is 0 if there was no answer yet. An
  /// Error if the stream broke: no answer, silence longer than `timeout`, an end in mid-line, a
  /// line of more than 8 MiB.
  [[nodiscard]] virtual Result<Response> Stream(const Request& request, LineSink& sink,
                                                std::stop_token stop) = 0;
};

/// Access to one API server. The targets must outlive every object that receives it.
struct ServerAccess {
  Transport& transport;
  const Clock& clock;
  Waiter& waiter;                 ///< for the pauses between requests
  TokenSource* tokens = nullptr;  ///< told of a 401; may be null
};

}  // namespace evenkeel::kube
