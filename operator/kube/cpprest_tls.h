#pragma once

#include <functional>

#include "core/base/error.h"
#include "operator/kube/tls_settings.h"

namespace boost::asio::ssl {
class context;
}

namespace evenkeel::kube {

/// Sets up each new connection's context: at least TLS 1.2, only the given authorities, our
/// certificate. Throws boost's exceptions when called, but not if this function has been called
/// before with the same settings and said that they are good.
[[nodiscard]] Result<std::function<void(boost::asio::ssl::context&)>> MakeTlsSetup(
    const TlsSettings& settings);

}  // namespace evenkeel::kube
