#include "operator/identity/job_identity.h"

#include <openssl/hmac.h>

#include <array>

#include "operator/identity/certificate.h"

namespace evenkeel::identity {
namespace {

constexpr auto kBefore = std::chrono::hours(24);

CertificateRequest AuthorityOf(const IdentityRequest& request) {
  CertificateRequest ca;
  ca.common_name = request.job + " authority";
  ca.basic_constraints = "critical,CA:TRUE,pathlen:0";
  ca.key_usage = "critical,keyCertSign";
  ca.not_before = request.now - kBefore;
  ca.not_after = request.now + request.lifetime;
  return ca;
}

CertificateRequest MemberOf(const IdentityRequest& request) {
  CertificateRequest member = AuthorityOf(request);
  member.basic_constraints = "critical,CA:FALSE";
  member.key_usage = "critical,digitalSignature";
  return member;
}

CertificateRequest CoordinatorOf(const IdentityRequest& request) {
  const std::string service = request.job + "-coordinator";
  const std::string in_namespace = service + "." + request.namespace_name;
  CertificateRequest coordinator = MemberOf(request);
  coordinator.common_name = service;
  coordinator.dns_names = {service, in_namespace, in_namespace + ".svc"};
  coordinator.extended_key_usage = "serverAuth";
  return coordinator;
}

CertificateRequest WorkerOf(const IdentityRequest& request) {
  CertificateRequest worker = MemberOf(request);
  worker.common_name = WorkerName(request.job);
  worker.dns_names = {WorkerName(request.job)};
  worker.extended_key_usage = "clientAuth,serverAuth";
  return worker;
}

// Empty texts on failure.
KeyPair Sign(const CertificateRequest& request, const Issuer& issuer) {
  const Key key = MakeKey();
  if (!key) return {};
  const Certificate certificate = MakeCertificate(request, *key, &issuer);
  if (!certificate) return {};
  return {ToPem(*certificate), ToPem(*key)};
}

bool Whole(const KeyPair& pair) { return !pair.certificate_pem.empty() && !pair.key_pem.empty(); }

}  // namespace

std::string WorkerName(const std::string& job) { return job + "-worker"; }

Result<JobIdentity> MakeJobIdentity(const IdentityRequest& request) {
  const auto failed = Fail(ErrorCode::kInternal,
                           "certificates for job " + request.job + " could not be made by OpenSSL");
  const Key ca_key = MakeKey();
  if (!ca_key) return failed;
  const Certificate ca = MakeCertificate(AuthorityOf(request), *ca_key, nullptr);
  if (!ca) return failed;
  const Issuer issuer{ca.get(), ca_key.get()};
  JobIdentity identity{ToPem(*ca), Fingerprint(*ca), Sign(CoordinatorOf(request), issuer),
                       Sign(WorkerOf(request), issuer)};
  const bool whole = !identity.ca_pem.empty() && !identity.fingerprint.empty() &&
                     Whole(identity.coordinator) && Whole(identity.worker);
  if (!whole) return failed;
  return identity;
}

std::string OperatorToken(const std::string& operator_key, const std::string& job_uid) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), operator_key.data(), static_cast<int>(operator_key.size()),
       reinterpret_cast<const unsigned char*>(job_uid.data()), job_uid.size(), digest.data(),
       &size);
  return Hexadecimal(digest.data(), size);
}

}  // namespace evenkeel::identity
