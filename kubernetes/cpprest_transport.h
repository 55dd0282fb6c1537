#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kubernetes/credentials.h"
#include "kubernetes/transport.h"

namespace evenkeel::kube {

struct CpprestOptions {
  std::string server;  ///< "https://10.43.0.1:443", see ParseServerAddress
  TlsSettings tls;
  std::shared_ptr<TokenSource> tokens;  ///< null: no Authorization header
  std::string user_agent = "evenkeel";
  std::size_t max_body_bytes = 64u << 20;  ///< of answers to Send
  std::size_t max_line_bytes = 8u << 20;   ///< of lines of Stream
  bool keep_connections = true;            ///< false: each Send has its own, as each Stream has
};

/// HTTP/1.1 on cpprestsdk. Checks the address and the certificates at once (kInvalidInput),
/// connects when it is used. Requests of Send share a pool of connections, each Stream has its own.
/// A server that started again meanwhile fails the first Send over an old connection, unless the
/// library can send it again, which it does if the connection ends before the answer begins, even
/// with a POST. Where one answer decides, keep no connections.
///
/// Redirects are not followed, proxies from the environment are not used.
///
/// The library keeps a header or a chunk in memory until it is whole, whatever its size, so only
/// servers whose certificate was checked may be trusted with it. Its thread pool (4 threads a
/// process) is made with the first transport and, as it is joined at exit, lookups of names that
/// hang can delay the end of main().
[[nodiscard]] Result<std::unique_ptr<Transport>> MakeCpprestTransport(CpprestOptions options);

}  // namespace evenkeel::kube
