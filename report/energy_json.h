#pragma once

#include <optional>
#include <string>

#include "core/model/run_record.h"
#include "report/json_reader.h"

/// The part of summary.json that is about energy.
namespace evenkeel::report {

/// powerWatts, idlePowerWatts, dynamicJoules and idleJoules; null where they are not known.
void AddNodeEnergy(const model::NodeSummary& node, Json& out);
void ReadNodeEnergy(const Json& object, JsonReader& reader, model::NodeSummary& node);

/// The field `energy`; null if nothing is known.
[[nodiscard]] Json EnergyToJson(const std::optional<model::EnergySummary>& energy);
/// Out of the whole summary.
[[nodiscard]] std::optional<model::EnergySummary> EnergyFromJson(const Json& summary,
                                                                 std::string& problem);

}  // namespace evenkeel::report
