#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "core/base/error.h"

/// Who is who among the pods of one job: certificates and the operator's token.
namespace evenkeel::identity {

/// A certificate with its key, as PEM texts.
struct KeyPair {
  std::string certificate_pem;
  std::string key_pem;
};

/// What the two Secrets of a job hold. The key of the authority is not among it: it signed these
/// two certificates and is gone, so nobody can ever sign a third.
struct JobIdentity {
  std::string ca_pem;
  std::string fingerprint;  ///< SHA-256 of the authority's certificate, 64 hexadecimal digits
  KeyPair coordinator;      ///< may only be a server, under the names of the job's Service
  KeyPair worker;  ///< shared by all workers, so that a replaced pod fits; client and server
};

struct IdentityRequest {
  std::string namespace_name;
  std::string job;
  std::chrono::system_clock::time_point now;
  /// From now on; the certificates are valid from a day before `now`, because boards without a
  /// clock of their own start in the past.
  std::chrono::seconds lifetime{};
};

/// The name that a worker's certificate carries and that coordinators insist on.
[[nodiscard]] std::string WorkerName(const std::string& job);

/// Makes an authority of one use (ECDSA P-256) and the two certificates. Takes about a millisecond.
/// Errors: kInternal (no randomness, no memory).
[[nodiscard]] Result<JobIdentity> MakeJobIdentity(const IdentityRequest& request);

/// What the operator shows to the coordinator of the job with this uid: HMAC-SHA256 (RFC 2104) of
/// the uid under the operator's key, as hexadecimal digits. Any replica of the operator with the
/// same key comes to the same token, so none has to be stored or read back.
[[nodiscard]] std::string OperatorToken(const std::string& operator_key,
                                        const std::string& job_uid);

}  // namespace evenkeel::identity
