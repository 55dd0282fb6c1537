#pragma once

#include <memory>
#include <string>
#include <vector>

#include "operator/kube/body_pipe.h"
#include "operator/kube/cpprest_transport.h"
#include "operator/kube/server_address.h"

namespace evenkeel::kube {

/// Puts requests to cpprestsdk and lets the answers run into pipes. Thread-safe.
class CpprestHttp {
 public:
  /// Errors as of MakeCpprestTransport.
  [[nodiscard]] static Result<std::unique_ptr<CpprestHttp>> Make(const ServerAddress& server,
                                                                 const CpprestOptions& options);
  ~CpprestHttp();

  enum class Connection {
    kShared,  ///< one of the pool; silence ends it after kLongestSilence
    kOwn      ///< closed afterwards; silence ends it a little after Request::timeout
  };
  static constexpr Duration kLongestSilence = std::chrono::seconds(65);

  /// Starts a request, without waiting. `token` empty: no Authorization. An Error (kInvalidInput)
  /// if it cannot be sent; otherwise `pipe` tells.
  [[nodiscard]] Result<void> Begin(const Request& request, const std::string& token,
                                   Connection connection, const std::shared_ptr<BodyPipe>& pipe);

 private:
  struct Parts;
  explicit CpprestHttp(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace evenkeel::kube
