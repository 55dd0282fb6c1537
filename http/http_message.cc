#include "http/http_message.h"

#include <algorithm>

#include "platform/text.h"

namespace evenkeel::http {

std::optional<std::string> PathOf(std::string_view target) {
  target = target.substr(0, target.find_first_of("?#"));
  if (target.empty() || target.front() != '/') return std::nullopt;
  auto path = platform::DecodePercent(target);
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (!path || !std::all_of(path->begin(), path->end(), is_printable)) return std::nullopt;
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

}  // namespace evenkeel::http
