#include "worker/socket_wait.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <system_error>

namespace evenkeel::worker {
namespace {

constexpr Duration kBetweenAttempts = std::chrono::milliseconds(200);

/// 0, or the errno of what was wrong.
int TryToConnect(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return ENAMETOOLONG;
  path.copy(static_cast<char*>(address.sun_path), path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return errno;
  const auto* const any = reinterpret_cast<const sockaddr*>(&address);
  const int error = ::connect(socket, any, sizeof address) == 0 ? 0 : errno;
  ::close(socket);
  return error;
}

}  // namespace

Result<void> AwaitSocket(const std::filesystem::path& path, Duration patience,
                         const std::stop_token& stop) {
  const auto until = std::chrono::steady_clock::now() + patience;
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  while (const int error = TryToConnect(path.native())) {
    if (std::chrono::steady_clock::now() >= until) {
      return Fail(ErrorCode::kUnavailable, "no launcher at " + path.native() + ": " +
                                               std::generic_category().message(error));
    }
    stopped.wait_for(lock, stop, kBetweenAttempts, [] { return false; });
    if (stop.stop_requested()) return {};
  }
  return {};
}

}  // namespace evenkeel::worker
