#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "operator/api/weighted_job.h"

namespace evenkeel::api {

/// PEM texts of one party.
struct TlsFiles {
  std::string ca_certificate;
  std::string certificate;
  std::string key;
};

/// The Secret NAME-coordinator-tls. `operator_token` is what the operator shows on the control
/// port.
[[nodiscard]] nlohmann::json CoordinatorSecret(const WeightedJob& job, const TlsFiles& files,
                                               const std::string& operator_token);

/// The Secret NAME-worker-tls.
[[nodiscard]] nlohmann::json WorkerSecret(const WeightedJob& job, const TlsFiles& files);

}  // namespace evenkeel::api
