#pragma once

#include <span>

#include "core/metrics/catalogue.h"

namespace evenkeel::metrics {

/// The operator's part of the catalogue, in the order of the enumeration. Its first part has the
/// names that controllers everywhere use (kubebuilder's metrics reference), so that dashboards for
/// them fit.
[[nodiscard]] std::span<const MetricDefinition> OperatorCatalogue();

}  // namespace evenkeel::metrics
