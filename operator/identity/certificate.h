#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"

/// OpenSSL's objects with owners, and the few steps of making a certificate. Not thread-safe on one
/// object; everything else is.
namespace evenkeel::identity {

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct FreeCertificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
using Key = std::unique_ptr<EVP_PKEY, FreeKey>;
using Certificate = std::unique_ptr<X509, FreeCertificate>;

/// A certificate to be made. Texts are those of OpenSSL's configuration of extensions.
struct CertificateRequest {
  std::string common_name;             ///< cut to 64 bytes, as X.520 wants it
  std::vector<std::string> dns_names;  ///< empty for an authority
  std::vector<std::string> uris;       ///< further alternative names
  std::string basic_constraints;       ///< e.g. "critical,CA:FALSE"
  std::string key_usage;               ///< e.g. "critical,digitalSignature"
  std::string extended_key_usage;      ///< e.g. "serverAuth"; empty: none
  std::chrono::system_clock::time_point not_before;
  std::chrono::system_clock::time_point not_after;
};

struct Issuer {
  X509* certificate;
  EVP_PKEY* key;
};

/// A fresh key on the curve P-256. Null if there is no randomness.
[[nodiscard]] Key MakeKey();
/// Signed by `issuer`, or by itself if that is null. Null if anything is wrong with the request.
[[nodiscard]] Certificate MakeCertificate(const CertificateRequest& request, EVP_PKEY& key,
                                          const Issuer* issuer);

/// PEM texts; empty on failure.
[[nodiscard]] std::string ToPem(X509& certificate);
[[nodiscard]] std::string ToPem(EVP_PKEY& key);
/// SHA-256 of the certificate's DER form as hexadecimal digits; empty on failure.
[[nodiscard]] std::string Fingerprint(const X509& certificate);

/// Lower-case hexadecimal digits of bytes.
[[nodiscard]] std::string Hexadecimal(const unsigned char* bytes, std::size_t size);

}  // namespace evenkeel::identity
