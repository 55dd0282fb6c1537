#include "operator/plan/missing_room.h"

#include <absl/strings/str_join.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "cluster/worker_size.h"

namespace evenkeel::plan {
namespace {

constexpr std::size_t kMaxNamedJobs = 3;

/// Some pods and how much of one resource they request.
struct Holder {
  std::string name;
  std::int64_t amount = 0;
};

/// The jobs that are known to hold some of the resource, those with the most first; without the job
/// itself.
std::vector<Holder> JobsThatHold(const std::map<std::string, cluster::Resources>& by_job,
                                 const std::string& self, const std::string& resource) {
  std::vector<Holder> jobs;
  for (const auto& [job, requests] : by_job) {
    const std::int64_t amount = cluster::AmountOf(requests, resource);
    if (amount > 0 && job != self) jobs.push_back({"job " + job, amount});
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const Holder& a, const Holder& b) { return a.amount > b.amount; });
  return jobs;
}

/// Replaces all but the first jobs by one entry for the rest.
void Shorten(std::vector<Holder>& jobs) {
  if (jobs.size() <= kMaxNamedJobs) return;
  Holder rest{std::to_string(jobs.size() - kMaxNamedJobs) + " more jobs", 0};
  for (std::size_t i = kMaxNamedJobs; i < jobs.size(); ++i) rest.amount += jobs[i].amount;
  jobs.resize(kMaxNamedJobs);
  jobs.push_back(std::move(rest));
}

std::vector<Holder> HoldersOf(const PlanBuilder& builder, const CrowdedNode& crowded,
                              const std::string& resource) {
  static const std::map<std::string, cluster::Resources> kNobody;
  const auto& known = builder.snapshot().room_holders;
  const auto found = known ? known->find(crowded.node->Name()) : RoomHolders::const_iterator{};
  const auto& by_job = known && found != known->end() ? found->second : kNobody;
  const std::string& self = builder.Job().meta.name;

  std::vector<Holder> holders = JobsThatHold(by_job, self, resource);
  std::int64_t unknown = cluster::AmountOf(crowded.used, resource);
  for (const Holder& job : holders) unknown -= job.amount;
  Shorten(holders);
  if (const auto own = by_job.find(self); own != by_job.end()) {
    const std::int64_t amount = cluster::AmountOf(own->second, resource);
    if (amount > 0) holders.push_back({"this job's coordinator", amount});
    unknown -= amount;
  }
  if (unknown > 0) holders.push_back({"other pods", unknown});
  return holders;
}

/// "cpu: requested 500m, free 100m, held by job alpha (3750m)".
std::string DescribeShortage(const PlanBuilder& builder, const CrowdedNode& crowded,
                             const std::string& resource, std::int64_t requested) {
  const auto text = [&resource](std::int64_t amount) {
    return cluster::QuantityText(resource, amount);
  };
  const std::int64_t allocatable = cluster::AmountOf(crowded.node->allocatable, resource);
  const std::int64_t free = allocatable - cluster::AmountOf(crowded.used, resource);
  const std::vector<Holder> holders = HoldersOf(builder, crowded, resource);
  return resource + ": requested " + text(requested) + ", free " +
         text(std::max<std::int64_t>(free, 0)) + ", held by " +
         absl::StrJoin(holders, ", ", [&text](std::string* out, const Holder& holder) {
           *out += holder.name + " (" + text(holder.amount) + ")";
         });
}

}  // namespace

std::string DescribeMissingRoom(const PlanBuilder& builder,
                                const std::vector<CrowdedNode>& crowded) {
  const cluster::Resources requests = cluster::WorkerRequests(builder.Job());
  const cluster::Resources least = cluster::LeastRoom(builder.Job());
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(crowded.size(), kMaxExplainedNodes); ++i) {
    const CrowdedNode& one = crowded[i];
    for (const std::string& resource :
         cluster::FindShortages(least, one.node->allocatable - one.used)) {
      parts.push_back(
          one.node->Name() + " lacks " +
          DescribeShortage(builder, one, resource, cluster::AmountOf(requests, resource)));
    }
  }
  if (crowded.size() > kMaxExplainedNodes) {
    const std::size_t rest = crowded.size() - kMaxExplainedNodes;
    parts.push_back(std::to_string(rest) + (rest == 1 ? " more node" : " more nodes"));
  }
  return "waits for room: " + absl::StrJoin(parts, "; ");
}

}  // namespace evenkeel::plan
