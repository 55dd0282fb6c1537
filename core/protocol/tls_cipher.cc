#include "core/protocol/tls_cipher.h"

#include <openssl/bio.h>
#include <openssl/conf.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/base/log.h"

namespace evenkeel::protocol {
namespace {

// Three records of full size take 1 ms at 50 MB/s.
constexpr std::size_t kMeasuredBytes = 48 << 10;
constexpr int kMeasurements = 4;  // the first one warms up

using Seconds = std::chrono::duration<double>;

/// The shortest time for encrypting kMeasuredBytes; infinite if OpenSSL does not have the cipher.
Seconds TimeOf(const EVP_CIPHER* cipher) {
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&::EVP_CIPHER_CTX_free)> context(
      ::EVP_CIPHER_CTX_new(), &::EVP_CIPHER_CTX_free);
  const std::array<unsigned char, EVP_MAX_KEY_LENGTH> key{};
  const std::array<unsigned char, EVP_MAX_IV_LENGTH> nonce{};
  const std::vector<unsigned char> from(kMeasuredBytes);
  std::vector<unsigned char> to(kMeasuredBytes);
  Seconds best = Seconds::max();
  for (int n = 0; n < kMeasurements; ++n) {
    const auto begin = std::chrono::steady_clock::now();
    int size = 0;
    const bool done =
        context != nullptr &&
        ::EVP_EncryptInit_ex(context.get(), cipher, nullptr, key.data(), nonce.data()) == 1 &&
        ::EVP_EncryptUpdate(context.get(), to.data(), &size, from.data(),
                            static_cast<int>(from.size())) == 1;
    if (!done) return Seconds::max();
    best = std::min<Seconds>(best, std::chrono::steady_clock::now() - begin);
  }
  return best;
}

/// A configuration of OpenSSL. It replaces that of Debian, and has the same first two values.
std::string ConfigurationFor(TlsCipher cipher) {
  const bool aes = cipher == TlsCipher::kAesGcm;
  const std::string order =
      aes ? "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256"
          : "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256";
  return "openssl_conf = modules\n"
         "[modules]\n"
         "ssl_conf = ssl\n"
         "[ssl]\n"
         "system_default = defaults\n"
         "[defaults]\n"
         "MinProtocol = TLSv1.2\n"
         "CipherString = DEFAULT@SECLEVEL=2\n"
         "Ciphersuites = " +
         order +
         "\n"
         "Options = ServerPreference,PrioritizeChaCha\n";
}

}  // namespace

TlsCipher FasterTlsCipher() {
  return TimeOf(::EVP_chacha20_poly1305()) < TimeOf(::EVP_aes_256_gcm())
             ? TlsCipher::kChaCha20Poly1305
             : TlsCipher::kAesGcm;
}

bool PreferTlsCipher(TlsCipher cipher) {
  // Loads the configuration of the system first, so that it does not replace this one later.
  if (::OPENSSL_init_ssl(0, nullptr) != 1) return false;
  const std::string text = ConfigurationFor(cipher);
  const std::unique_ptr<BIO, decltype(&::BIO_free)> source(
      ::BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &::BIO_free);
  const std::unique_ptr<CONF, decltype(&::NCONF_free)> configuration(::NCONF_new(nullptr),
                                                                     &::NCONF_free);
  ::OPENSSL_load_builtin_modules();
  return source != nullptr && configuration != nullptr &&
         ::NCONF_load_bio(configuration.get(), source.get(), nullptr) > 0 &&
         ::CONF_modules_load(configuration.get(), nullptr, 0) > 0;
}

void PreferFasterTlsCipher() {
  if (PreferTlsCipher(FasterTlsCipher())) return;
  Log(LogLevel::kWarning, "OpenSSL does not take an order of ciphers; its own order stays");
}

}  // namespace evenkeel::protocol
