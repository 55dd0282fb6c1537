#pragma once

#include <string>

#include "core/model/field_reader.h"
#include "simulator/scenario.h"

/// Readers of parts of a scenario file. Errors go to the field reader.
namespace evenkeel::simulator {

/// Maximum of all times in a scenario: ten years.
inline constexpr double kMaxScenarioSeconds = 3.2e8;
inline constexpr double kBytesPerMegabit = 1e6 / 8;

/// A number of seconds, or {seconds: S, ofBound: B}. The field is required.
[[nodiscard]] Moment ReadMoment(model::FieldReader& parent, const std::string& field);

/// A number, or an object with one of constant, uniform, exponential, logNormal, pareto. The field
/// is required. Drawn values are never below `allowed.min`, and never above `allowed.max` except in
/// the tails of the last three.
[[nodiscard]] Distribution ReadDistribution(model::FieldReader& parent, const std::string& field,
                                            model::NumberRange allowed);

/// An item of `nodes`.
[[nodiscard]] NodeGroup ReadNodeGroup(model::FieldReader& fields);

/// `tasks.blocks`.
[[nodiscard]] BlockModel ReadBlocks(model::FieldReader fields);

/// `cpu` and `link` of `coordinator`.
[[nodiscard]] CoordinatorModel ReadCoordinatorMachine(model::FieldReader& coordinator);

/// `network`.
[[nodiscard]] NetworkModel ReadNetwork(model::FieldReader fields);

}  // namespace evenkeel::simulator
