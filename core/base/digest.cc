#include "core/base/digest.h"

#include <cstdio>

namespace evenkeel {

void Digest::Add(std::string_view bytes) {
  for (const char byte : bytes) Add(static_cast<unsigned char>(byte));
}

void Digest::AddSize(std::uint64_t size) {
  for (int n = 0; n < 8; ++n) Add(static_cast<unsigned char>(size >> (8 * n)));
}

std::string Digest::Text() const {
  char text[24];
  std::snprintf(text, sizeof text, "fnv1a:%016llx", static_cast<unsigned long long>(state_));
  return text;
}

std::string DigestOf(std::string_view text) {
  Digest digest;
  digest.Add(text);
  return digest.Text();
}

}  // namespace evenkeel
