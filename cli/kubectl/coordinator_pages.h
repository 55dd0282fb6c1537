#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/kubectl/kubectl.h"
#include "cli/kubectl/page_fetcher.h"
#include "cli/kubectl/port_forward.h"

namespace evenkeel::cli {

/// The pages of a job's coordinator, through a port forwarded by kubectl. When that breaks, or the
/// coordinator is replaced by another, it is set up again. Used by one thread.
class CoordinatorPages {
 public:
  struct Options {
    std::string name_space;
    std::string job;
    int attempts = 5;  ///< at one page; the pauses between them double from 1 s
    /// Hears why something is tried again, a line each. May be empty.
    std::function<void(const std::string& line)> tell;
  };
  /// `kubectl` and `stop` must outlive it.
  CoordinatorPages(Kubectl& kubectl, Options options, const platform::BlockedSignals& stop);

  /// Hands a page to a sink that `make_sink` makes anew for each attempt. Returns its size; nothing
  /// if there is no such page, or not yet. Errors: as of FindCoordinator and PageFetcher::Fetch, of
  /// the last attempt.
  [[nodiscard]] Result<std::optional<std::uint64_t>> Fetch(
      const std::string& path, std::uint64_t max_bytes,
      const std::function<Result<BodySink>()>& make_sink);

  /// A whole page as text.
  [[nodiscard]] Result<std::optional<std::string>> FetchText(const std::string& path,
                                                             std::uint64_t max_bytes);

 private:
  [[nodiscard]] Result<std::optional<std::uint64_t>> Try(
      const std::string& path, std::uint64_t max_bytes,
      const std::function<Result<BodySink>()>& make_sink);

  Kubectl& kubectl_;
  Options options_;
  const platform::BlockedSignals& stop_;
  PageFetcher fetcher_;
  std::optional<PortForward> forward_;
};

}  // namespace evenkeel::cli
