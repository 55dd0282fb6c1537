#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/worker_identity.h"

/// Identities of the pods of one job: certificates and the operator's token. All are derived from
/// the operator's key, so nothing has to be stored or read back, and all replicas of the operator
/// derive the same certificate authority.
namespace evenkeel::identity {

/// A secret of the operator, known by an id that may be public.
struct OperatorKey {
  std::string secret;
  std::string id;  ///< 16 hexadecimal digits, see KeyId(); empty: there is no such key
};

/// HKDF-SHA256 (RFC 5869) of the secret, as 16 hexadecimal digits.
[[nodiscard]] std::string KeyId(const std::string& secret);

/// A certificate with its key, as PEM texts.
struct KeyPair {
  std::string certificate_pem;
  std::string key_pem;
};

/// The times between which certificates are valid. At most 30 days.
struct CertificateWindow {
  std::chrono::system_clock::time_point not_before;
  std::chrono::system_clock::time_point not_after;
  std::int64_t number = 0;  ///< equal for all times of one window
};

/// The window in which certificates made at `now` are valid: a new one begins every 10 days, and
/// each lasts 30 days, so that a certificate is replaced 19 days before it ends at the latest. It
/// begins a day early, because boards without a clock of their own start in the past.
[[nodiscard]] CertificateWindow WindowAt(std::chrono::system_clock::time_point now);

/// The certificate authority of one job under one key of the operator. Its private key (ECDSA
/// P-256) is derived by HKDF-SHA256 from the operator's key and the UID of the job (FIPS 186-5,
/// appendix A.2.1, extra random bits), so that certificates can be made again at any time and are
/// trusted by pods that run already. Not thread-safe.
class JobAuthority {
 public:
  struct Job {
    std::string namespace_name;
    std::string name;
    std::string uid;
  };

  /// Errors: kInternal (OpenSSL has no memory or no randomness).
  [[nodiscard]] static Result<JobAuthority> Derive(const OperatorKey& key, Job job,
                                                   const CertificateWindow& window);
  JobAuthority(JobAuthority&&) noexcept;
  JobAuthority& operator=(JobAuthority&&) noexcept;
  ~JobAuthority();

  /// The authority's own certificate. Each derivation signs it anew; the key and the subject stay.
  [[nodiscard]] const std::string& certificate_pem() const { return certificate_pem_; }

  /// May only be a server, under the names of the job's Service. Errors: kInternal.
  [[nodiscard]] Result<KeyPair> IssueForCoordinator() const;
  /// Client and server. Carries the DNS name JOB-worker and the URI of this worker (see
  /// model::WorkerUri). Errors: kInternal.
  [[nodiscard]] Result<KeyPair> IssueForWorker(const std::string& pod,
                                               const std::string& node) const;

 private:
  struct Parts;
  explicit JobAuthority(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
  std::string certificate_pem_;
};

/// The DNS name that the certificate of each worker of a job carries.
[[nodiscard]] std::string WorkerDnsName(const std::string& job);

/// The token that authenticates the operator to the coordinator of the job with this uid:
/// HMAC-SHA256 (RFC 2104) of the uid with the operator's key, as hexadecimal digits.
[[nodiscard]] std::string OperatorToken(const std::string& secret, const std::string& job_uid);

/// Authenticates a text that the operator left in the cluster: HMAC-SHA256 of a fixed prefix, the
/// uid and the text, as hexadecimal digits.
[[nodiscard]] std::string Authenticator(const std::string& secret, const std::string& job_uid,
                                        const std::string& text);

}  // namespace evenkeel::identity
