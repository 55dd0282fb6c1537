#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "http/http_client.h"
#include "platform/signals.h"

namespace evenkeel::cli {

/// Takes a body as it comes.
struct BodySink {
  /// Takes the next bytes; an error ends the transfer with it.
  std::function<Result<void>(std::string_view bytes)> write;
  /// Told after each piece: how many bytes came so far, and how many there will be, if the server
  /// says it. May be empty.
  std::function<void(std::uint64_t received, std::optional<std::uint64_t> total)> progress;
};

/// Plain HTTP from a port of this machine. Connections are reused. Used by one thread.
class PageFetcher {
 public:
  /// `stop` must outlive it; a signal ends a transfer within a second.
  explicit PageFetcher(const platform::BlockedSignals& stop) : stop_(stop) {}

  /// Hands the body of an answer of status 200 to `sink`, on a thread of its own. Returns how many
  /// bytes it had; nothing if there is no such page (404), or not yet (503). Errors: kUnavailable
  /// (no answer, another status, a body that ends early, 30 s without a byte), kInternal (more than
  /// `max_bytes`), those of the sink.
  [[nodiscard]] Result<std::optional<std::uint64_t>> Fetch(std::uint16_t port,
                                                           const std::string& path,
                                                           std::uint64_t max_bytes,
                                                           const BodySink& sink);

 private:
  const platform::BlockedSignals& stop_;
  http::HttpClient client_;
};

}  // namespace evenkeel::cli
