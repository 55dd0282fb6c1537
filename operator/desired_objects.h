#pragma once

#include <vector>

#include "cluster/weighted_job.h"
#include "kubernetes/owned_object.h"
#include "kubernetes/time.h"
#include "operator/identity/key_ring.h"
#include "operator/manifests/job_objects.h"
#include "operator/plan/plan.h"

namespace evenkeel::controller {

/// How the objects of jobs are marked as made by this operator.
[[nodiscard]] const kube::OwnedObjectOptions& OwnedObjectSettings();

/// The job as controller of its objects.
[[nodiscard]] kube::Owner OwnerOf(const cluster::WeightedJob& job);

/// The certificates of the authorities that the pods of the job trust, as one PEM text. Errors:
/// kInternal.
[[nodiscard]] Result<std::string> TrustedAuthorities(const cluster::WeightedJob& job,
                                                     const cluster::IdentityKeys& identity,
                                                     const identity::OperatorKeys& keys,
                                                     kube::WallTime now);

/// Identifies the authorities: the keys and the time window.
[[nodiscard]] std::string AuthoritiesDigest(const cluster::IdentityKeys& identity,
                                            kube::WallTime now);

/// The tokens that authenticate the operator to the coordinator; the token of the signing key
/// first.
[[nodiscard]] std::vector<std::string> OperatorTokens(const cluster::WeightedJob& job,
                                                      const cluster::IdentityKeys& identity,
                                                      const identity::OperatorKeys& keys);

/// The objects in the order in which they are created. Objects with certificates are made only when
/// they have to be written: their digests name the keys, the time window and the workers.
[[nodiscard]] std::vector<kube::DesiredObject> MakeDesiredObjects(
    const cluster::WeightedJob& job, const plan::DesiredObjects& objects,
    const std::shared_ptr<const identity::OperatorKeys>& keys, const cluster::FlowSettings& flows,
    kube::WallTime now);

/// The ConfigMap NAME-snapshot.
[[nodiscard]] kube::DesiredObject MakeDesiredSnapshot(const cluster::WeightedJob& job,
                                                      std::int64_t attempt,
                                                      std::shared_ptr<const std::string> bytes);

/// True if one of the operator's keys authenticates the ConfigMap NAME-plan, so that the operator
/// may rely on its content.
[[nodiscard]] bool IsAuthentic(const kube::Json& plan_config_map, const cluster::WeightedJob& job,
                               const identity::OperatorKeys& keys);

}  // namespace evenkeel::controller
