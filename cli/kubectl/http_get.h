#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "platform/signals.h"

namespace evenkeel::cli {

/// Takes a body as it comes.
struct BodySink {
  /// Takes the next bytes; an error ends the transfer with it.
  std::function<Result<void>(std::string_view bytes)> write;
  /// Told about once a second, and more often while bytes come: how many came so far, and how many
  /// there will be, if the server says it. May be empty.
  std::function<void(std::uint64_t received, std::optional<std::uint64_t> total)> progress;
};

/// Plain HTTP from a port of this machine, without proxies and redirections. Connections are used
/// again. Used by one thread.
class HttpGet {
 public:
  /// `stop` must outlive it; a signal ends a transfer within a second.
  explicit HttpGet(const platform::BlockedSignals& stop);
  ~HttpGet();
  HttpGet(const HttpGet&) = delete;
  HttpGet& operator=(const HttpGet&) = delete;

  /// Hands the body of an answer of status 200 to `sink`. Returns how many bytes it had; nothing if
  /// there is no such page (404), or not yet (503). Errors: kUnavailable (no answer, another
  /// status, a body that ends early, 30 s without a byte, more than `max_bytes`), those of the
  /// sink.
  [[nodiscard]] Result<std::optional<std::uint64_t>> Fetch(std::uint16_t port,
                                                           const std::string& path,
                                                           std::uint64_t max_bytes,
                                                           const BodySink& sink);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
  const platform::BlockedSignals& stop_;
};

}  // namespace evenkeel::cli
