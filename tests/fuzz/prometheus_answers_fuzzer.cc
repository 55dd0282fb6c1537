#include <cmath>
#include <cstdint>

#include "core/base/check.h"
#include "operator/history/prometheus.h"

namespace evenkeel::controller {
namespace {

/// Weights nodes by what was read, as the operator does.
void Blend(const std::map<std::string, scheduling::RateSample>& samples) {
  std::vector<scheduling::NodeToBlend> nodes;
  for (const auto& [name, sample] : samples) {
    scheduling::NodeToBlend& node = nodes.emplace_back();
    node.name = name;
    node.threads = 4;
    node.sample = sample;
  }
  for (const scheduling::BlendedNode& node : scheduling::BlendRates(nodes, {})) {
    EVENKEEL_CHECK(node.ratio >= 1 && node.ratio <= 1e6, "a ratio is in 1..1e6");
    EVENKEEL_CHECK(node.confidence >= 0 && node.confidence <= 1, "a confidence is in 0..1");
    EVENKEEL_CHECK(std::isfinite(node.rate) && node.rate >= 0, "a rate is finite");
  }
}

}  // namespace
}  // namespace evenkeel::controller

/// What a Prometheus, or something in its place, answers to the operator's queries.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evenkeel::controller;
  const std::string body(reinterpret_cast<const char*>(data), size);
  if (const auto samples = ReadRateAnswer(body, 7 * 86400)) Blend(*samples);
  (void)IsBuildInfo(body);
  return 0;
}
