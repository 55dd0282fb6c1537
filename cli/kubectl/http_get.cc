#include "cli/kubectl/http_get.h"

#include <curl/curl.h>

#include "cli/human_text.h"
#include "core/base/check.h"

namespace evenkeel::cli {
namespace {

constexpr long kConnectSeconds = 10;
constexpr long kSilenceSeconds = 30;
constexpr std::size_t kMaxComplaint = 4096;

/// One transfer, as the callbacks of the library see it.
struct Transfer {
  CURL* handle;
  const BodySink& sink;
  const platform::BlockedSignals& stop;
  std::uint64_t max_bytes;
  std::uint64_t received = 0;
  std::optional<Error> refusal = {};  // of the sink, or of ours
  std::string complaint = {};         // what an answer other than 200 says

  [[nodiscard]] long Status() const {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
  }
};

std::size_t OnBody(const char* data, std::size_t, std::size_t size, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  if (transfer.Status() != 200) {
    transfer.complaint.append(data, size);
    return transfer.complaint.size() <= kMaxComplaint ? size : 0;
  }
  transfer.received += size;
  if (transfer.received > transfer.max_bytes) {
    transfer.refusal =
        Error{ErrorCode::kInternal,
              "has more than the allowed " + std::to_string(transfer.max_bytes) + " bytes"};
    return 0;
  }
  if (const auto taken = transfer.sink.write({data, size}); !taken) {
    transfer.refusal = taken.error();
    return 0;
  }
  return size;
}

int OnProgress(void* context, curl_off_t total, curl_off_t, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(context);
  if (transfer.sink.progress && transfer.received > 0) {
    transfer.sink.progress(transfer.received, total > 0
                                                  ? std::optional(static_cast<std::uint64_t>(total))
                                                  : std::nullopt);
  }
  return transfer.stop.Arrived() ? 1 : 0;
}

}  // namespace

struct HttpGet::Handle {
  Handle() : easy(curl_easy_init()) { EVENKEEL_CHECK(easy != nullptr, "no memory for HTTP"); }
  ~Handle() { curl_easy_cleanup(easy); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  CURL* easy;
};

HttpGet::HttpGet(const platform::BlockedSignals& stop)
    : handle_(std::make_unique<Handle>()), stop_(stop) {
  CURL* const easy = handle_->easy;
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http");
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, kSilenceSeconds);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, OnBody);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, OnProgress);
}

HttpGet::~HttpGet() = default;

Result<std::optional<std::uint64_t>> HttpGet::Fetch(std::uint16_t port, const std::string& path,
                                                    std::uint64_t max_bytes, const BodySink& sink) {
  CURL* const easy = handle_->easy;
  Transfer transfer{easy, sink, stop_, max_bytes};
  const std::string url = "http://127.0.0.1:" + std::to_string(port) + path;
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &transfer);
  const CURLcode code = curl_easy_perform(easy);

  if (transfer.refusal) return tl::unexpected(*std::move(transfer.refusal));
  if (stop_.Arrived()) return Fail(ErrorCode::kUnavailable, "interrupted");
  const auto failed = [&path](const std::string& what) {
    return Fail(ErrorCode::kUnavailable, "the coordinator's " + path + ": " + what);
  };
  const long status = transfer.Status();
  if (status == 404 || status == 503) return std::nullopt;
  if (status != 0 && status != 200) {
    return failed("HTTP status " + std::to_string(status) + ", " + Printable(transfer.complaint));
  }
  if (code != CURLE_OK) return failed(curl_easy_strerror(code));
  return transfer.received;
}

}  // namespace evenkeel::cli
