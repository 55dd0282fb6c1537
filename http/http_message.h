#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/served_file.h"

/// Requests and responses as handlers see them, whatever carries them.
namespace evenkeel::http {

struct HttpRequest {
  std::string method;  ///< "GET", "HEAD", "POST", ...
  std::string target;  ///< as it came: path and query
  std::string authorization;
  std::string host{};  ///< as it came; empty if it did not
  std::string body{};  ///< at most 16 KiB
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  /// Is sent instead of `body`, piece by piece as the peer takes it.
  std::optional<ServedFile> file;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Answers requests. Called on the server's threads, several at once.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// HEAD is to be answered as GET; the server leaves the body out.
  [[nodiscard]] virtual HttpResponse Handle(const HttpRequest& request) = 0;
};

/// The path of a target without query, with %XX decoded. Nothing if that is no absolute path of
/// printable ASCII characters.
[[nodiscard]] std::optional<std::string> PathOf(std::string_view target);

[[nodiscard]] bool IsRead(const HttpRequest& request);  ///< GET or HEAD

/// One line of text as the whole answer.
[[nodiscard]] HttpResponse PlainAnswer(int status, std::string_view line);
[[nodiscard]] HttpResponse NotAllowed(std::string_view allowed_methods);
[[nodiscard]] HttpResponse NotFound();

}  // namespace evenkeel::http
