#include "cli/kubectl/coordinator_pages.h"

#include <utility>

#include "cli/kubectl/coordinator_pod.h"

namespace evenkeel::cli {
namespace {

constexpr Duration kFirstPause = std::chrono::seconds(1);
/// Time for kubectl to notice and report that the other side has closed the connection.
constexpr Duration kLastWords = std::chrono::seconds(1);

}  // namespace

CoordinatorPages::CoordinatorPages(Kubectl& kubectl, Options options,
                                   const platform::BlockedSignals& stop)
    : kubectl_(kubectl), options_(std::move(options)), stop_(stop), fetcher_(stop) {}

Result<std::optional<std::uint64_t>> CoordinatorPages::Try(
    const std::string& path, std::uint64_t max_bytes,
    const std::function<Result<BodySink>()>& make_sink) {
  if (!forward_) {
    const auto pod = FindCoordinator(kubectl_, options_.name_space, options_.job);
    if (!pod) return tl::unexpected(pod.error());
    auto opened = PortForward::Open(kubectl_, *pod, kPagesPort, 0, stop_);
    if (!opened) return tl::unexpected(opened.error());
    forward_.emplace(*std::move(opened));
  }
  const auto sink = make_sink();
  if (!sink) return tl::unexpected(sink.error());
  auto fetched = fetcher_.Fetch(forward_->LocalPort(), path, max_bytes, *sink);
  if (fetched) {
    forward_->Lives(Duration::zero(), stop_);  // takes what kubectl wrote, so that its pipe is free
    return fetched;
  }
  Error error = fetched.error();
  if (!forward_->Lives(kLastWords, stop_)) {
    error.message += " (kubectl port-forward: " + forward_->Complaint() + ")";
  }
  forward_.reset();
  return tl::unexpected(std::move(error));
}

Result<std::optional<std::uint64_t>> CoordinatorPages::Fetch(
    const std::string& path, std::uint64_t max_bytes,
    const std::function<Result<BodySink>()>& make_sink) {
  Duration pause = kFirstPause;
  for (int attempt = 1;; ++attempt) {
    auto fetched = Try(path, max_bytes, make_sink);
    if (fetched || fetched.error().code != ErrorCode::kUnavailable) return fetched;
    if (attempt >= options_.attempts || stop_.Arrived()) return fetched;
    if (options_.tell) options_.tell(fetched.error().message + "; trying again");
    if (stop_.WaitFor(pause)) return fetched;
    pause *= 2;
  }
}

Result<std::optional<std::string>> CoordinatorPages::FetchText(const std::string& path,
                                                               std::uint64_t max_bytes) {
  std::string text;
  const auto fetched = Fetch(path, max_bytes, [&text]() -> Result<BodySink> {
    text.clear();
    return BodySink{[&text](std::string_view bytes) -> Result<void> {
                      text += bytes;
                      return {};
                    },
                    {}};
  });
  if (!fetched) return tl::unexpected(fetched.error());
  if (!*fetched) return std::nullopt;
  return text;
}

}  // namespace evenkeel::cli
