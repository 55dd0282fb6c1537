#include "coordinator/job_inputs.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace evenkeel::coordinator {
namespace {

/// FNV-1a of 64 bits (Fowler, Noll and Vo): finds changes, is no proof against forgery.
class Digest {
 public:
  void Add(std::string_view bytes) {
    for (const char byte : bytes) Add(static_cast<unsigned char>(byte));
  }
  void AddSize(std::uint64_t size) {
    for (int n = 0; n < 8; ++n) Add(static_cast<unsigned char>(size >> (8 * n)));
  }
  [[nodiscard]] std::string Text() const {
    char text[24];
    std::snprintf(text, sizeof text, "fnv1a:%016llx", static_cast<unsigned long long>(state_));
    return text;
  }

 private:
  void Add(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001b3U; }
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

tl::unexpected<Error> TooLarge(const std::string& workload, const std::string& what,
                               std::uint64_t bytes, std::uint64_t allowed) {
  return InvalidInput("spec.workload." + workload + ": " + what + std::to_string(bytes) +
                      " bytes, " + std::to_string(allowed) + " are allowed");
}

/// `name` is the job's for the workload.
Result<std::string> DigestOfInputs(const std::string& name, const workloads::Workload& workload) {
  if (!workload.HasInputs()) return workload.FileVersions();
  Digest digest;
  std::uint64_t all = 0;
  for (model::TaskIndex index = 0; index < workload.TaskCount(); ++index) {
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

}  // namespace

Result<JobIdentity> IdentityOf(const model::JobSpec& job, const workloads::Workload& workload) {
  auto inputs = DigestOfInputs(job.workload, workload);
  if (!inputs) return tl::unexpected(inputs.error());
  return JobIdentity{job.name,
                     job.workload,
                     workload.Version(),
                     job.workload_parameters,
                     workload.TaskCount(),
                     std::move(*inputs)};
}

Result<void> CheckJob(const model::JobSpec& job, const workloads::Workload& workload) {
  const auto success = model::CheckSuccessPolicy(job.task_policy.success, workload.TaskCount());
  if (!success) return success;
  const auto identity = IdentityOf(job, workload);
  if (!identity) return tl::unexpected(identity.error());
  return {};
}

}  // namespace evenkeel::coordinator
