#include "core/base/random_bytes.h"

#include <sys/random.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

namespace evenkeel {

Result<void> FillWithRandomBytes(std::span<char> bytes) {
  while (!bytes.empty()) {
    const ssize_t filled = ::getrandom(bytes.data(), bytes.size(), 0);
    if (filled > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(filled));
    } else if (errno != EINTR) {
      return Fail(ErrorCode::kUnavailable, std::string("getrandom: ") + std::strerror(errno));
    }
  }
  return {};
}

}  // namespace evenkeel
