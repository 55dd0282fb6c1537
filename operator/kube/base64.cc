#include "operator/kube/base64.h"

#include <openssl/evp.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace evenkeel::kube {
namespace {

struct FreeContext {
  void operator()(EVP_ENCODE_CTX* context) const { EVP_ENCODE_CTX_free(context); }
};

/// OpenSSL would take a '-' for the end of the text.
bool IsBase64(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '/' || c == '=' || c == '\n' || c == '\r';
}

}  // namespace

std::optional<std::string> DecodeBase64(std::string_view text) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      !std::all_of(text.begin(), text.end(), IsBase64)) {
    return std::nullopt;
  }
  const std::unique_ptr<EVP_ENCODE_CTX, FreeContext> context(EVP_ENCODE_CTX_new());
  EVP_DecodeInit(context.get());
  // The library writes whole groups of three bytes, also for a last one that is not whole.
  std::string decoded(text.size() / 4 * 3 + 3, '\0');
  auto* const out = reinterpret_cast<unsigned char*>(decoded.data());
  int begun = 0;
  int rest = 0;
  const auto* const in = reinterpret_cast<const unsigned char*>(text.data());
  if (EVP_DecodeUpdate(context.get(), out, &begun, in, static_cast<int>(text.size())) < 0 ||
      EVP_DecodeFinal(context.get(), out + begun, &rest) < 0) {
    return std::nullopt;
  }
  decoded.resize(static_cast<std::size_t>(begun + rest));
  return decoded;
}

}  // namespace evenkeel::kube
