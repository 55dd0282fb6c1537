#pragma once

#include <functional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "http/http_message.h"

namespace evenkeel::controller {

/// /healthz, /readyz and /metrics of the operator. Thread-safe as far as its questions are.
class HealthHandler final : public http::HttpHandler {
 public:
  struct Questions {
    std::function<bool()> healthy;         ///< false: this process should be started anew
    std::function<bool()> ready;           ///< all of the cluster has been seen
    std::function<std::string()> metrics;  ///< empty: there are none at this address
  };
  explicit HealthHandler(Questions questions) : questions_(std::move(questions)) {}

  [[nodiscard]] http::HttpResponse Handle(const http::HttpRequest& request) override;

 private:
  Questions questions_;
};

/// Asks an http URL such as "http://evenkeel:8080/readyz" once and returns the body of the answer;
/// an Error if none came within ten seconds or its status is not 200. For checks in images without
/// a shell. Blocks.
[[nodiscard]] Result<std::string> Probe(const std::string& url);

}  // namespace evenkeel::controller
