#pragma once

#include <string>
#include <vector>

#include "core/model/worker_identity.h"
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

  /// The same for a worker pod of job default/`job`, on the node of this name: for both ends of a
  /// connection.
  [[nodiscard]] protocol::TlsIdentity IssueWorker(const std::string& job, const std::string& pod,
                                                  const std::string& node) const {
    return IssueUris(job + "-worker", {model::WorkerUri({"default", job, pod, node})});
  }
  /// The same with a DNS name and these URIs.
  [[nodiscard]] protocol::TlsIdentity IssueUris(const std::string& name,
                                                const std::vector<std::string>& uris) const {
    std::string alternatives = "DNS:" + name;
    for (const std::string& uri : uris) alternatives += ",URI:" + uri;
    const support::TestIdentity issued =
        authority_.Issue(name, alternatives, "clientAuth,serverAuth");
    return {issued.ca_pem, issued.certificate_pem, issued.key_pem};
  }

 private:
  support::TestAuthority authority_;
};

}  // namespace evenkeel
