#pragma once

#include <string_view>

#include "http/http_message.h"

namespace evenkeel::http {

/// Whether a Host header names this machine itself: localhost, 127.0.0.1 or [::1], with any port or
/// none. Empty, as without the header, counts too: a browser always sends it.
[[nodiscard]] bool NamesThisHost(std::string_view host);

/// Lets GET and HEAD through to another handler if they are meant for this host: a page from
/// elsewhere whose name was made to lead here cannot read what is served. Adds headers that keep
/// pages from loading anything from elsewhere and from being framed. Thread-safe.
class LocalOnly final : public HttpHandler {
 public:
  /// `inner` must outlive this.
  explicit LocalOnly(HttpHandler& inner) : inner_(inner) {}

  [[nodiscard]] HttpResponse Handle(const HttpRequest& request) override;

 private:
  HttpHandler& inner_;
};

}  // namespace evenkeel::http
