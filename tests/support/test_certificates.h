#pragma once

#include <string>

namespace evenkeel::support {

/// PEM texts.
struct TestIdentity {
  std::string ca_pem;
  std::string certificate_pem;
  std::string key_pem;
};

/// A certificate authority for one test; its key lives in memory only.
class TestAuthority {
 public:
  TestAuthority();
  ~TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  [[nodiscard]] std::string ca_pem() const;

  /// A key and a certificate for this DNS name, which trusts this authority.
  [[nodiscard]] TestIdentity Issue(const std::string& name) const;
  /// The same for other names: `alternatives` as OpenSSL writes them, "DNS:localhost,IP:127.0.0.1".
  [[nodiscard]] TestIdentity Issue(const std::string& name, const std::string& alternatives) const;

 private:
  struct Parts;
  Parts* parts_;
};

}  // namespace evenkeel::support
