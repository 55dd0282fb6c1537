#pragma once

#include <string>

namespace evenkeel::kube {

/// Whom we trust and who we are, as PEM texts.
struct TlsSettings {
  std::string ca_pem;           ///< the only authorities that are trusted; may be several
  std::string certificate_pem;  ///< ours, with its chain; empty: none
  std::string key_pem;          ///< of our certificate, without a pass phrase
  /// Name that the server's certificate must have; empty: the host we connect to.
  std::string server_name;
  /// Whoever answers is believed. Only for trying things out, and only when asked for by name.
  bool skip_verification = false;
};

}  // namespace evenkeel::kube
