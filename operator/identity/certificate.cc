#include "operator/identity/certificate.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <array>
#include <ctime>

namespace evenkeel::identity {
namespace {

constexpr std::size_t kMaxCommonName = 64;
constexpr std::size_t kSerialBytes = 16;

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;

bool SetSerial(X509& certificate) {
  std::array<unsigned char, kSerialBytes> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return false;
  bytes[0] &= 0x7f;  // a serial number is positive (RFC 5280, 4.1.2.2)
  bytes[0] |= 0x40;  // and all of ours are of one length
  const std::unique_ptr<BIGNUM, void (*)(BIGNUM*)> number(
      BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr), BN_free);
  return number != nullptr &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(&certificate)) != nullptr;
}

// As GeneralizedTime from 2050 on, so that 32-bit clocks elsewhere are their own business.
bool SetTime(ASN1_TIME* field, std::chrono::system_clock::time_point at) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch());
  const auto days = static_cast<int>(seconds.count() / 86400);
  const auto rest = static_cast<long>(seconds.count() % 86400);
  return ASN1_TIME_adj(field, 0, days, rest) != nullptr;
}

bool SetName(X509& certificate, const std::string& common_name) {
  const std::string cut = common_name.substr(0, kMaxCommonName);
  X509_NAME* const name = X509_get_subject_name(&certificate);
  return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(cut.data()),
                                    static_cast<int>(cut.size()), -1, 0) == 1;
}

bool AddExtension(X509& certificate, X509V3_CTX& context, int kind, const std::string& value) {
  if (value.empty()) return true;
  const std::unique_ptr<X509_EXTENSION, void (*)(X509_EXTENSION*)> extension(
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()), X509_EXTENSION_free);
  return extension != nullptr && X509_add_ext(&certificate, extension.get(), -1) == 1;
}

std::string AlternativeNames(const CertificateRequest& request) {
  std::string text;
  for (const auto& name : request.dns_names) text += (text.empty() ? "DNS:" : ",DNS:") + name;
  for (const auto& uri : request.uris) text += (text.empty() ? "URI:" : ",URI:") + uri;
  return text;
}

bool AddExtensions(X509& certificate, const CertificateRequest& request, X509* issuer) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, &certificate, nullptr, nullptr, 0);
  return AddExtension(certificate, context, NID_basic_constraints, request.basic_constraints) &&
         AddExtension(certificate, context, NID_key_usage, request.key_usage) &&
         AddExtension(certificate, context, NID_ext_key_usage, request.extended_key_usage) &&
         AddExtension(certificate, context, NID_subject_alt_name, AlternativeNames(request)) &&
         AddExtension(certificate, context, NID_subject_key_identifier, "hash") &&
         AddExtension(certificate, context, NID_authority_key_identifier, "keyid:always");
}

std::string Text(BIO& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(&bio, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

}  // namespace

Key MakeKey() { return Key(EVP_EC_gen("P-256")); }

Certificate MakeCertificate(const CertificateRequest& request, EVP_PKEY& key,
                            const Issuer* issuer) {
  Certificate certificate(X509_new());
  if (!certificate) return nullptr;
  constexpr long kVersion3 = 2;
  X509* const signer = issuer != nullptr ? issuer->certificate : certificate.get();
  const bool made =
      X509_set_version(certificate.get(), kVersion3) == 1 && SetSerial(*certificate) &&
      SetTime(X509_getm_notBefore(certificate.get()), request.not_before) &&
      SetTime(X509_getm_notAfter(certificate.get()), request.not_after) &&
      X509_set_pubkey(certificate.get(), &key) == 1 && SetName(*certificate, request.common_name) &&
      X509_set_issuer_name(certificate.get(), X509_get_subject_name(signer)) == 1 &&
      AddExtensions(*certificate, request, signer) &&
      X509_sign(certificate.get(), issuer != nullptr ? issuer->key : &key, EVP_sha256()) > 0;
  return made ? std::move(certificate) : nullptr;
}

std::string ToPem(X509& certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_X509(bio.get(), &certificate) != 1) return {};
  return Text(*bio);
}

std::string ToPem(EVP_PKEY& key) {
  const Bio bio(BIO_new(BIO_s_secmem()));
  if (!bio || PEM_write_bio_PrivateKey(bio.get(), &key, nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return {};
  return Text(*bio);
}

std::string Fingerprint(const X509& certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (X509_digest(&certificate, EVP_sha256(), digest.data(), &size) != 1) return {};
  return Hexadecimal(digest.data(), size);
}

std::string Hexadecimal(const unsigned char* bytes, std::size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(size * 2);
  for (std::size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 0xf];
  }
  return text;
}

}  // namespace evenkeel::identity
