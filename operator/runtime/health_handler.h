#pragma once

#include <functional>
#include <string>
#include <utility>

#include "http/http_message.h"

namespace evenkeel::operating {

/// /healthz, /readyz and /metrics of the operator. Thread-safe as far as its questions are.
class HealthHandler final : public http::HttpHandler {
 public:
  struct Questions {
    std::function<bool()> healthy;  ///< false: this process should be started anew
    std::function<bool()> ready;    ///< all of the cluster has been seen
    std::function<std::string()> metrics;
  };
  explicit HealthHandler(Questions questions) : questions_(std::move(questions)) {}

  [[nodiscard]] http::HttpResponse Handle(const http::HttpRequest& request) override;

 private:
  Questions questions_;
};

}  // namespace evenkeel::operating
