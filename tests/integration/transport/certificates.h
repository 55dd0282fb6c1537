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

  /// A key and a certificate for this DNS name, which trusts this authority.
  [[nodiscard]] protocol::TlsIdentity Issue(const std::string& name) const;

 private:
  struct Parts;
  Parts* parts_;
};

}  // namespace evenkeel
