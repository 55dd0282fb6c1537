#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "operator/runtime/operator_metrics.h"

namespace evenkeel::operating {

/// The metrics of jobs, nodes and history. They are made anew for each answer, so that what is gone
/// from the cluster is gone from them.
[[nodiscard]] std::vector<prometheus::MetricFamily> FamiliesOf(const OperatorFigures& figures);

}  // namespace evenkeel::operating
