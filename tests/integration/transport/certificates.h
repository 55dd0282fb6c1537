#pragma once

#include <string>

#include "core/protocol/transport_settings.h"

namespace evenkeel {

/// A certificate authority for one test; its key lives in memory only.
class TestAuthority {
 public:
  TestAuthority();
  ~TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  /// A key and a certificate for this DNS name, which trusts this authority. `usage` is what the
  /// certificate may be used for, as OpenSSL writes it ("clientAuth"); empty: for anything.
  [[nodiscard]] protocol::TlsIdentity Issue(const std::string& name,
                                            const std::string& usage = "") const;

 private:
  struct Parts;
  Parts* parts_;
};

}  // namespace evenkeel
