#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace evenkeel::metrics {

using LabelValues = std::map<std::string, std::string>;

struct Sample {
  std::string name;  ///< of a histogram with its ending
  LabelValues labels;
  double value = 0;
};

struct MetricFamily {
  std::string help;
  std::string type;
  std::vector<Sample> samples;

  /// The value of the sample with this name and these labels; not-a-number if there is none.
  [[nodiscard]] double At(const std::string& name, const LabelValues& labels) const;
};

/// By name.
using Exposition = std::map<std::string, MetricFamily>;

/// Reads Prometheus' text format strictly: HELP, then TYPE, once each, then the family's samples;
/// no sample twice. kInvalidInput with the line that is wrong.
[[nodiscard]] Result<Exposition> ParseExposition(const std::string& text);

}  // namespace evenkeel::metrics
