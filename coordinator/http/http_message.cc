#include "coordinator/http/http_message.h"

namespace evenkeel::coordinator {
namespace {

/// -1 if it is none.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<std::string> PathOf(std::string_view target) {
  target = target.substr(0, target.find_first_of("?#"));
  if (target.empty() || target.front() != '/') return std::nullopt;
  std::string path;
  for (std::size_t at = 0; at < target.size(); ++at) {
    char c = target[at];
    if (c == '%') {
      if (target.size() - at < 3) return std::nullopt;
      const int high = HexDigit(target[at + 1]);
      const int low = HexDigit(target[at + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      at += 2;
    }
    if (c < ' ' || c > '~') return std::nullopt;
    path += c;
  }
  return path;
}

bool IsRead(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

HttpResponse PlainAnswer(int status, std::string_view line) {
  HttpResponse response;
  response.status = status;
  response.body = std::string(line) + "\n";
  return response;
}

HttpResponse NotAllowed(std::string_view allowed_methods) {
  HttpResponse response = PlainAnswer(405, "only " + std::string(allowed_methods));
  response.headers.emplace_back("Allow", allowed_methods);
  return response;
}

HttpResponse NotFound() { return PlainAnswer(404, "there is nothing here"); }

}  // namespace evenkeel::coordinator
