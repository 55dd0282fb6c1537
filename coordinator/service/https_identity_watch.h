#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/time.h"
#include "http/http_server.h"

namespace evenkeel::coordinator {

/// Reads the certificate of an HTTPS server from its files again and again, on a thread of its own,
/// so that it is renewed without a restart. Files that cannot be used leave it as it was.
class HttpsIdentityWatch {
 public:
  /// `server` uses `identity`, which was read from these files, and must outlive this object.
  HttpsIdentityWatch(http::HttpServer& server, std::string certificate_file, std::string key_file,
                     http::HttpIdentity identity, Duration interval = std::chrono::seconds(10));

 private:
  void Run(const std::stop_token& stop);
  void ReadAgain();

  http::HttpServer& server_;
  const std::string certificate_file_;
  const std::string key_file_;
  const Duration interval_;
  http::HttpIdentity identity_;  // of the thread, as the next one
  std::string last_error_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;
};

}  // namespace evenkeel::coordinator
