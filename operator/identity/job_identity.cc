#include "operator/identity/job_identity.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>

#include <array>
#include <utility>

#include "operator/identity/certificate.h"

namespace evenkeel::identity {
namespace {

using Days = std::chrono::duration<std::int64_t, std::ratio<86400>>;

constexpr Days kRenewalPeriod{10};
constexpr Days kLifetime{30};
constexpr Days kEarlier{1};

template <auto Free>
struct OpenSslDeleter {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
template <typename T, auto Free>
using OpenSslPtr = std::unique_ptr<T, OpenSslDeleter<Free>>;

/// RFC 5869. Empty on failure.
std::vector<unsigned char> Hkdf(const std::string& secret, std::string info, std::size_t bytes) {
  std::string salt = "evenkeel.dev/job-identity/v1";
  std::string digest = "SHA256";
  std::string key = secret;
  const OpenSslPtr<EVP_KDF, EVP_KDF_free> kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  const OpenSslPtr<EVP_KDF_CTX, EVP_KDF_CTX_free> context(kdf ? EVP_KDF_CTX_new(kdf.get())
                                                              : nullptr);
  if (!context) return {};
  const std::array<OSSL_PARAM, 5> parameters{
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, key.data(), key.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt.data(), salt.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info.data(), info.size()),
      OSSL_PARAM_construct_end()};
  std::vector<unsigned char> output(bytes);
  if (EVP_KDF_derive(context.get(), output.data(), output.size(), parameters.data()) != 1) {
    return {};
  }
  return output;
}

/// The private scalar in [1, n-1] from 64 bits more than the order has, and its public point.
Key KeyOf(const std::vector<unsigned char>& bytes) {
  const OpenSslPtr<EC_GROUP, EC_GROUP_free> group(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1));
  const OpenSslPtr<BN_CTX, BN_CTX_free> context(BN_CTX_new());
  const OpenSslPtr<BIGNUM, BN_clear_free> scalar(
      BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
  const OpenSslPtr<BIGNUM, BN_free> range(group ? BN_dup(EC_GROUP_get0_order(group.get()))
                                                : nullptr);
  if (!group || !context || !scalar || !range) return nullptr;
  const OpenSslPtr<EC_POINT, EC_POINT_free> point(EC_POINT_new(group.get()));
  const bool is_derived =
      point && BN_sub_word(range.get(), 1) == 1 &&
      BN_nnmod(scalar.get(), scalar.get(), range.get(), context.get()) == 1 &&
      BN_add_word(scalar.get(), 1) == 1 &&
      EC_POINT_mul(group.get(), point.get(), scalar.get(), nullptr, nullptr, context.get()) == 1;
  if (!is_derived) return nullptr;
  std::array<unsigned char, 65> public_point{};
  const std::size_t size =
      EC_POINT_point2oct(group.get(), point.get(), POINT_CONVERSION_UNCOMPRESSED,
                         public_point.data(), public_point.size(), context.get());
  const OpenSslPtr<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free> builder(OSSL_PARAM_BLD_new());
  const bool is_described =
      size == public_point.size() && builder &&
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1 &&
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_PRIV_KEY, scalar.get()) == 1 &&
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, public_point.data(),
                                       public_point.size()) == 1;
  if (!is_described) return nullptr;
  const OpenSslPtr<OSSL_PARAM, OSSL_PARAM_free> parameters(OSSL_PARAM_BLD_to_param(builder.get()));
  const OpenSslPtr<EVP_PKEY_CTX, EVP_PKEY_CTX_free> maker(
      EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  EVP_PKEY* key = nullptr;
  const bool is_made =
      parameters && maker && EVP_PKEY_fromdata_init(maker.get()) == 1 &&
      EVP_PKEY_fromdata(maker.get(), &key, EVP_PKEY_KEYPAIR, parameters.get()) == 1;
  return Key(is_made ? key : nullptr);
}

std::string Hmac(const std::string& secret, const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  return Hexadecimal(digest.data(), size);
}

CertificateRequest RequestIn(const CertificateWindow& window) {
  CertificateRequest request;
  request.not_before = window.not_before;
  request.not_after = window.not_after;
  return request;
}

}  // namespace

std::string KeyId(const std::string& secret) {
  const auto bytes = Hkdf(secret, "key id", 8);
  return Hexadecimal(bytes.data(), bytes.size());
}

CertificateWindow WindowAt(std::chrono::system_clock::time_point now) {
  const auto day = std::chrono::floor<Days>(now.time_since_epoch());
  const std::int64_t number = day / kRenewalPeriod;
  const std::chrono::system_clock::time_point begin(number * kRenewalPeriod - kEarlier);
  return {begin, begin + kLifetime, number};
}

struct JobAuthority::Parts {
  Job job;
  CertificateWindow window;
  Key key;
  Certificate certificate;

  /// `request` lacks what all members have in common.
  [[nodiscard]] Result<KeyPair> Issue(CertificateRequest request) const {
    request.not_before = window.not_before;
    request.not_after = window.not_after;
    request.basic_constraints = "critical,CA:FALSE";
    request.key_usage = "critical,digitalSignature";
    const Issuer issuer{certificate.get(), key.get()};
    const Key own_key = MakeKey();
    const Certificate made = own_key ? MakeCertificate(request, *own_key, &issuer) : nullptr;
    KeyPair pair;
    if (made) pair = {ToPem(*made), ToPem(*own_key)};
    if (!pair.certificate_pem.empty() && !pair.key_pem.empty()) return pair;
    return Fail(ErrorCode::kInternal,
                "OpenSSL cannot make the certificate of " + request.common_name);
  }
};

JobAuthority::JobAuthority(std::unique_ptr<Parts> parts)
    : parts_(std::move(parts)), certificate_pem_(ToPem(*parts_->certificate)) {}
JobAuthority::JobAuthority(JobAuthority&&) noexcept = default;
JobAuthority& JobAuthority::operator=(JobAuthority&&) noexcept = default;
JobAuthority::~JobAuthority() = default;

Result<JobAuthority> JobAuthority::Derive(const OperatorKey& key, Job job,
                                          const CertificateWindow& window) {
  constexpr std::size_t kScalarBytes = 40;  // 256 bits and 64 more
  auto parts = std::make_unique<Parts>();
  const auto bytes = Hkdf(key.secret, "authority of job " + job.uid, kScalarBytes);
  if (!bytes.empty()) parts->key = KeyOf(bytes);
  CertificateRequest request = RequestIn(window);
  // Authorities of two keys have different subjects, so that nothing is checked against the wrong.
  request.common_name = job.uid.substr(0, 36) + " " + key.id;
  request.basic_constraints = "critical,CA:TRUE,pathlen:0";
  request.key_usage = "critical,keyCertSign";
  if (parts->key) parts->certificate = MakeCertificate(request, *parts->key, nullptr);
  if (!parts->certificate) {
    return Fail(ErrorCode::kInternal, "OpenSSL cannot make the authority of job " + job.name);
  }
  parts->job = std::move(job);
  parts->window = window;
  return JobAuthority(std::move(parts));
}

Result<KeyPair> JobAuthority::IssueForCoordinator() const {
  const std::string service = parts_->job.name + "-coordinator";
  const std::string in_namespace = service + "." + parts_->job.namespace_name;
  CertificateRequest request;
  request.common_name = service;
  request.dns_names = {service, in_namespace, in_namespace + ".svc"};
  request.extended_key_usage = "serverAuth";
  return parts_->Issue(std::move(request));
}

Result<KeyPair> JobAuthority::IssueForWorker(const std::string& pod,
                                             const std::string& node) const {
  CertificateRequest request;
  request.common_name = pod;
  request.dns_names = {WorkerDnsName(parts_->job.name)};
  request.uris = {model::WorkerUri({parts_->job.namespace_name, parts_->job.name, pod, node})};
  request.extended_key_usage = "clientAuth,serverAuth";
  return parts_->Issue(std::move(request));
}

std::string WorkerDnsName(const std::string& job) { return job + "-worker"; }

std::string OperatorToken(const std::string& secret, const std::string& job_uid) {
  return Hmac(secret, job_uid);
}

std::string Authenticator(const std::string& secret, const std::string& job_uid,
                          const std::string& text) {
  return Hmac(secret, "object of job " + job_uid + "\n" + text);
}

}  // namespace evenkeel::identity
