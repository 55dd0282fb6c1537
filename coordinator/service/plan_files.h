#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coordinator/job_version.h"
#include "coordinator/service/options.h"
#include "core/engine/coordinator.h"
#include "core/model/job_spec.h"
#include "core/protocol/transport_settings.h"
#include "workloads/registry.h"
#include "workloads/workload.h"

namespace evenkeel::coordinator {

/// Everything that the command line names, read and checked.
struct ServicePlan {
  SharedJobVersion version;
  std::vector<engine::ExpectedNode> nodes;
  protocol::TlsIdentity tls;
  std::vector<std::string> control_tokens;
};

/// Reads and checks the manifest alone, as ReadPlan does.
[[nodiscard]] Result<SharedJobVersion> ReadJobFile(const ServiceOptions& options,
                                                   const workloads::Registry& registry);

/// Reads the files; nothing is written. The job's workload is one of `registry`. kInvalidInput:
/// "FILE: what is wrong".
[[nodiscard]] Result<ServicePlan> ReadPlan(const ServiceOptions& options,
                                           const workloads::Registry& registry);

/// nodes.json: a list of 1 to 10,000 objects with a name and a ratio above 0, and if it is known
/// with powerWatts and idlePowerWatts; where earlier jobs have told, also with a rate, 1e-30 to
/// 1e30 units a second, and its sigma, 0.01 to 1. Those with leftOut get no worker.
[[nodiscard]] Result<std::vector<engine::ExpectedNode>> ParsePlannedNodes(
    const std::string& text, const std::string& file_name);

}  // namespace evenkeel::coordinator
