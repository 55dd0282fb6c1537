#pragma once

#include <string>

#include "core/protocol/transport_settings.h"
#include "tests/support/test_certificates.h"

namespace evenkeel {

/// An authority of tests whose certificates are of the type that the transport takes.
class TestAuthority {
 public:
  [[nodiscard]] protocol::TlsIdentity Issue(const std::string& name) const {
    const support::TestIdentity issued = authority_.Issue(name);
    return {issued.ca_pem, issued.certificate_pem, issued.key_pem};
  }

 private:
  support::TestAuthority authority_;
};

}  // namespace evenkeel
