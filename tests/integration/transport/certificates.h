#pragma once

#include <string>

#include "core/protocol/transport_settings.h"
#include "tests/support/test_certificates.h"

namespace evenkeel {

/// An authority of tests whose certificates are of the type that the transport takes.
class TestAuthority {
 public:
  /// A key and a certificate for this DNS name, which trusts this authority. `usage` is what the
  /// certificate may be used for, as OpenSSL writes it ("clientAuth"); empty: for anything.
  [[nodiscard]] protocol::TlsIdentity Issue(const std::string& name,
                                            const std::string& usage = "") const {
    const support::TestIdentity issued = authority_.Issue(name, "DNS:" + name, usage);
    return {issued.ca_pem, issued.certificate_pem, issued.key_pem};
  }

 private:
  support::TestAuthority authority_;
};

}  // namespace evenkeel
