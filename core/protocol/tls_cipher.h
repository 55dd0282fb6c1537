#pragma once

#include <cstdint>

/// The cipher of TLS 1.3 connections. All ends allow AES-256-GCM, AES-128-GCM and
/// ChaCha20-Poly1305; which one protects a connection matters for its speed only. Processors
/// without AES instructions, such as those of Raspberry Pi 3 and 4, encrypt several times as fast
/// with ChaCha20-Poly1305.
namespace evenkeel::protocol {

enum class TlsCipher : std::uint8_t { kAesGcm, kChaCha20Poly1305 };

/// The one that encrypts faster on this processor, measured for some milliseconds.
[[nodiscard]] TlsCipher FasterTlsCipher();

/// From now on, contexts of OpenSSL in this process prefer the cipher, as clients and as servers:
/// of two ends, the one that prefers ChaCha20-Poly1305 decides. gRPC 1.51 has no option for this,
/// so it is the default of OpenSSL that changes. To be called before other threads use TLS. False
/// if OpenSSL refuses: then its own default stays.
[[nodiscard]] bool PreferTlsCipher(TlsCipher cipher);

/// Both together, with a line in the log if it fails.
void PreferFasterTlsCipher();

}  // namespace evenkeel::protocol
