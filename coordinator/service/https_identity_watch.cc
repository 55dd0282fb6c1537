#include "coordinator/service/https_identity_watch.h"

#include <utility>

#include "core/base/log.h"
#include "platform/files.h"

namespace evenkeel::coordinator {
namespace {

constexpr std::size_t kMaxIdentityFileBytes = 256 << 10;

}  // namespace

HttpsIdentityWatch::HttpsIdentityWatch(http::HttpServer& server, std::string certificate_file,
                                       std::string key_file, http::HttpIdentity identity,
                                       Duration interval)
    : server_(server),
      certificate_file_(std::move(certificate_file)),
      key_file_(std::move(key_file)),
      interval_(interval),
      identity_(std::move(identity)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void HttpsIdentityWatch::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, stop, interval_, [&stop] { return stop.stop_requested(); })) {
    ReadAgain();
  }
}

void HttpsIdentityWatch::ReadAgain() {
  auto certificate = platform::ReadRegularFile(certificate_file_, kMaxIdentityFileBytes);
  auto key = platform::ReadRegularFile(key_file_, kMaxIdentityFileBytes);
  Result<void> used;
  if (!certificate) {
    used = tl::unexpected(certificate.error());
  } else if (!key) {
    used = tl::unexpected(key.error());
  } else if (*certificate == identity_.certificate_pem && *key == identity_.key_pem) {
    return;
  } else {
    http::HttpIdentity next{std::move(*certificate), std::move(*key)};
    used = server_.UseIdentity(next);
    if (used) identity_ = std::move(next);
  }
  const std::string error = used ? std::string() : used.error().message;
  if (!error.empty() && error != last_error_) {
    Log(LogLevel::kWarning, "the HTTPS certificate stays as it was: " + error);
  }
  last_error_ = error;
}

}  // namespace evenkeel::coordinator
