#include <cstdint>
#include <nlohmann/json.hpp>

#include "cluster/job_status_json.h"
#include "core/base/check.h"

/// A coordinator's answer to GET /progress, as the operator reads it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto progress =
      evenkeel::cluster::ReadProgress({reinterpret_cast<const char*>(data), size});
  if (!progress) return 0;
  EVENKEEL_CHECK(progress->fraction >= 0 && progress->fraction <= 1, "a fraction is in 0..1");
  EVENKEEL_CHECK(progress->result.empty() || nlohmann::json::accept(progress->result),
                 "a result is JSON");
  return 0;
}
