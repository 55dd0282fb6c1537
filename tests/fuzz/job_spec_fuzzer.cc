#include <cstdint>

#include "core/base/check.h"
#include "core/model/job_parsing.h"
#include "core/model/policy_parsing.h"

/// Manifests that people write: WeightedJobs and WeightingPolicies.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto job = evenkeel::model::ParseJob(text, "job.yaml");
  const auto policy = evenkeel::model::ParsePolicy(text, "policy.yaml");
  for (const auto* error : {job ? nullptr : &job.error(), policy ? nullptr : &policy.error()}) {
    EVENKEEL_CHECK(error == nullptr || error->message.find('\n') == std::string::npos,
                   "an error is one line");
  }
  return 0;
}
