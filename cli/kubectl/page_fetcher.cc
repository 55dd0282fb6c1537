#include "cli/kubectl/page_fetcher.h"

#include "cli/human_text.h"

namespace evenkeel::cli {
namespace {

constexpr Duration kMaxSilence = std::chrono::seconds(30);
constexpr std::size_t kShownTargetBytes = 200;

}  // namespace

Result<std::optional<std::uint64_t>> PageFetcher::Fetch(std::uint16_t port, const std::string& path,
                                                        std::uint64_t max_bytes,
                                                        const BodySink& sink) {
  std::uint64_t received = 0;
  bool sink_failed = false;
  http::HttpCall call;
  call.peer.address = "127.0.0.1:" + std::to_string(port);
  call.method = "GET";
  call.target = path;
  call.max_body_bytes = max_bytes;
  call.timeout.reset();
  call.max_silence = kMaxSilence;
  call.on_body = [&](std::string_view bytes, std::optional<std::uint64_t> total) -> Result<void> {
    received += bytes.size();
    auto written = sink.write(bytes);
    sink_failed = !written;
    if (written && sink.progress) sink.progress(received, total);
    return written;
  };
  const auto reply = client_.SendAndWait(std::move(call), [this] { return stop_.Arrived(); });

  if (sink_failed) return tl::unexpected<Error>(reply.error());
  if (stop_.Arrived()) return Fail(ErrorCode::kUnavailable, "interrupted");
  const std::string page = "the coordinator's " + Printable(path, kShownTargetBytes) + ": ";
  if (!reply) return Fail(reply.error().code, page + reply.error().message);
  if (reply->status == 404 || reply->status == 503) return std::nullopt;
  if (reply->status != 200) {
    return Fail(ErrorCode::kUnavailable, page + "HTTP status " + std::to_string(reply->status) +
                                             ", " + Printable(reply->body));
  }
  return received;
}

}  // namespace evenkeel::cli
