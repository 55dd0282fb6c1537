#include "tests/support/test_certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

#include "core/base/check.h"

namespace evenkeel::support {
namespace {

template <auto kFree>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Bio = std::unique_ptr<BIO, Freed<BIO_free>>;

std::string Text(const Bio& bio) {
  const char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

void AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  EVENKEEL_CHECK(extension != nullptr, "a bad certificate extension");
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

/// Valid from an hour ago for a day.
Certificate Unsigned(const std::string& name, EVP_PKEY* key, long serial) {
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 24 * 3600);
  X509_set_pubkey(certificate.get(), key);
  const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC, text, -1,
                             -1, 0);
  return certificate;
}

std::string Pem(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return Text(bio);
}

std::string Pem(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return Text(bio);
}

}  // namespace

struct TestAuthority::Parts {
  Key key;
  Certificate certificate;
};

TestAuthority::TestAuthority() : parts_(new Parts) {
  parts_->key.reset(EVP_EC_gen("P-256"));
  parts_->certificate = Unsigned("test authority", parts_->key.get(), 1);
  X509* own = parts_->certificate.get();
  X509_set_issuer_name(own, X509_get_subject_name(own));
  AddExtension(own, own, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(own, own, NID_subject_key_identifier, "hash");
  EVENKEEL_CHECK(X509_sign(own, parts_->key.get(), EVP_sha256()) > 0, "signing failed");
}

TestAuthority::~TestAuthority() { delete parts_; }

std::string TestAuthority::ca_pem() const { return Pem(parts_->certificate.get()); }

TestIdentity TestAuthority::Issue(const std::string& name) const {
  return Issue(name, "DNS:" + name);
}

TestIdentity TestAuthority::Issue(const std::string& name, const std::string& alternatives,
                                  const std::string& usage) const {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = Unsigned(name, key.get(), 2);
  X509* issuer = parts_->certificate.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer));
  AddExtension(certificate.get(), issuer, NID_subject_alt_name, alternatives);
  if (!usage.empty()) AddExtension(certificate.get(), issuer, NID_ext_key_usage, usage);
  // All authorities have the same name; this distinguishes them.
  AddExtension(certificate.get(), issuer, NID_authority_key_identifier, "keyid");
  EVENKEEL_CHECK(X509_sign(certificate.get(), parts_->key.get(), EVP_sha256()) > 0,
                 "signing failed");
  return {Pem(issuer), Pem(certificate.get()), Pem(key.get())};
}

}  // namespace evenkeel::support
