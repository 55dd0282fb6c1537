#include "operator/kube/lease.h"

#include <algorithm>
#include <limits>

namespace evenkeel::kube {
namespace {

std::int32_t NumberAt(const Json& object, const char* field) {
  const Json& member = MemberOf(object, field);
  if (!member.is_number_integer()) return 0;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(member.get<std::int64_t>(), 0, kMost));
}

}  // namespace

Result<LeaseRecord> ReadLease(const Json& lease) {
  if (!lease.is_object()) return InvalidInput("a Lease that is no JSON object");
  const Json& spec = MemberOf(lease, "spec");
  LeaseRecord record;
  record.holder = TextAt(spec, "holderIdentity");
  record.duration_seconds = NumberAt(spec, "leaseDurationSeconds");
  record.acquire_time = TextAt(spec, "acquireTime");
  record.renew_time = TextAt(spec, "renewTime");
  record.transitions = NumberAt(spec, "leaseTransitions");
  return record;
}

Json WriteLease(const Json& base, const ObjectKey& key, const LeaseRecord& record) {
  Json lease = base.is_object() ? base : Json::object();
  lease["apiVersion"] = "coordination.k8s.io/v1";
  lease["kind"] = "Lease";
  lease["metadata"]["namespace"] = key.space;
  lease["metadata"]["name"] = key.name;
  if (!MemberOf(lease, "spec").is_object()) lease["spec"] = Json::object();
  Json& spec = lease["spec"];
  spec["holderIdentity"] = record.holder;
  spec["leaseDurationSeconds"] = record.duration_seconds;
  spec["acquireTime"] = record.acquire_time;
  spec["renewTime"] = record.renew_time;
  spec["leaseTransitions"] = record.transitions;
  return lease;
}

}  // namespace evenkeel::kube
