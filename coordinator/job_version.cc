#include "coordinator/job_version.h"

#include <cstdint>
#include <string>
#include <utility>

#include "core/base/digest.h"

namespace evenkeel::coordinator {
namespace {

tl::unexpected<Error> TooLarge(const std::string& workload, const std::string& what,
                               std::uint64_t bytes, std::uint64_t allowed) {
  return InvalidInput("spec.workload." + workload + ": " + what + std::to_string(bytes) +
                      " bytes, " + std::to_string(allowed) + " are allowed");
}

/// Digest of the inputs of the first `count` tasks. `name` is the workload's name in the manifest.
Result<std::string> DigestOfInputs(const std::string& name, const workloads::Workload& workload,
                                   std::int64_t count) {
  if (!workload.HasInputs()) return workload.FileVersions();
  Digest digest;
  std::uint64_t all = 0;
  for (model::TaskIndex index = 0; index < count; ++index) {
    const std::string input = workload.InputOf(index);
    all += input.size();
    if (input.size() > workloads::kMaxInputBytes) {
      return TooLarge(name, "the input of task " + std::to_string(index) + " has ", input.size(),
                      workloads::kMaxInputBytes);
    }
    if (all > static_cast<std::uint64_t>(kMaxAllInputBytes)) {
      return TooLarge(name, "the inputs of its tasks have more than ", all,
                      static_cast<std::uint64_t>(kMaxAllInputBytes));
    }
    digest.AddSize(input.size());
    digest.Add(input);
  }
  return digest.Text();
}

/// Whether the job is `earlier` with tasks appended; the earlier inputs must be unchanged.
bool Continues(const workloads::Workload& workload, const JobIdentity& now,
               const JobIdentity& earlier) {
  const bool same_kind = earlier.job == now.job && earlier.workload == now.workload &&
                         earlier.workload_version == now.workload_version;
  if (!same_kind || earlier.task_count > now.task_count) return false;
  if (!workload.Continues(earlier.parameters, now.parameters)) return false;
  const auto inputs = DigestOfInputs(now.workload, workload, earlier.task_count);
  return inputs && *inputs == earlier.inputs;
}

}  // namespace

JobVersion::JobVersion(model::JobSpec spec, std::shared_ptr<const workloads::Workload> workload)
    : spec_(std::move(spec)),
      workload_(std::move(workload)),
      costs_(workload_->Costs()),
      worker_parameters_(workload_->WorkerParameters().value_or(spec_.workload_parameters)) {}

Result<JobIdentity> IdentityOf(const JobVersion& version) {
  const model::JobSpec& spec = version.spec();
  const auto& workload = version.workload();
  auto inputs = DigestOfInputs(spec.workload, *workload, workload->TaskCount());
  if (!inputs) return tl::unexpected(inputs.error());
  JobIdentity identity{spec.name,
                       spec.workload,
                       workload->Version(),
                       spec.workload_parameters,
                       workload->TaskCount(),
                       std::move(*inputs)};
  // Only workloads that support appending receive `continues`.
  if (workload->Continues(identity.parameters, identity.parameters)) {
    identity.continues = [workload, now = identity](const JobIdentity& earlier) {
      return Continues(*workload, now, earlier);
    };
  }
  return identity;
}

// A profile is the value of a label, so it is a plain name.
std::filesystem::path LearnedCostsFile(const std::filesystem::path& folder,
                                       const model::JobSpec& spec) {
  return folder / (spec.profile + ".costs");
}

Result<void> CheckJob(const model::JobSpec& spec, const workloads::Workload& workload) {
  const auto success = model::CheckSuccessPolicy(spec.task_policy.success, workload.TaskCount());
  if (!success) return success;
  if (spec.rerun) {
    const auto rerun = model::CheckRerun(spec.rerun->tasks, spec.task_policy, workload.TaskCount(),
                                         "spec.rerun.indexes");
    if (!rerun) return rerun;
  }
  if (spec.task_policy.verified_share > 0) {
    const auto share = model::CheckVerifiedShare(spec.task_policy, workload.TaskCount());
    if (!share) return share;
    if (const std::string why = workload.WhyNotRepeatable(); !why.empty()) {
      return InvalidInput("spec.taskPolicy.verify: must be absent, because " + why);
    }
  }
  if (workload.Ranges() && spec.balancing.objective == model::Objective::kEnergy) {
    return InvalidInput(
        "spec.balancing.objective: must not be Energy, because tasks run in ranges");
  }
  const auto inputs = DigestOfInputs(spec.workload, workload, workload.TaskCount());
  if (!inputs) return tl::unexpected(inputs.error());
  return {};
}

}  // namespace evenkeel::coordinator
