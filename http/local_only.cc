#include "http/local_only.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace evenkeel::http {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"localhost", "127.0.0.1", "[::1]"};
constexpr std::size_t kLongest = 32;
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool NamesThisHost(std::string_view host) {
  if (host.empty()) return true;
  if (host.size() > kLongest) return false;
  std::string lower(host);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(kNames.begin(), kNames.end(), [&lower](std::string_view name) {
    if (!lower.starts_with(name)) return false;
    const std::string_view port = std::string_view(lower).substr(name.size());
    return port.empty() || (port.size() > 1 && port.front() == ':' &&
                            std::all_of(port.begin() + 1, port.end(), IsDigit));
  });
}

HttpResponse LocalOnly::Handle(const HttpRequest& request) {
  HttpResponse response;
  if (!NamesThisHost(request.host)) {
    response = PlainAnswer(421, "this is served to localhost, 127.0.0.1 and [::1] only");
  } else if (!IsRead(request)) {
    response = NotAllowed("GET, HEAD");
  } else {
    response = inner_.Handle(request);
  }
  response.headers.emplace_back("Content-Security-Policy", kPolicy);
  response.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  return response;
}

}  // namespace evenkeel::http
