#pragma once

#include <functional>

#include "core/model/field_reader.h"
#include "simulator/scenario.h"
#include "simulator/simulation_config.h"

/// Reads and draws the places and arrivals of a scenario's tasks and the links between nodes.
namespace evenkeel::simulator {

/// An item of `tasks.arrivals`.
[[nodiscard]] Arrival ReadArrival(model::FieldReader& fields, std::int64_t max_tasks);

/// `transfers`.
[[nodiscard]] TransferSource ReadTransfers(model::FieldReader fields);

/// Checks that the named nodes exist and that the tasks at nodes are at most `tasks`. Called after
/// tasks, nodes and transfers were read.
void CheckPlaces(model::FieldReader& fields, const Scenario& scenario, std::int64_t tasks);

/// Checks that no variant leaves out a node that tasks or links name. Called after variants were
/// read.
void CheckNoneIsLeftOut(model::FieldReader& fields, const Scenario& scenario);

/// Adds loads and arrivals to `simulation`, which has its nodes; `time_of` converts a moment.
void PlaceTasks(const Scenario& scenario, std::uint64_t seed,
                const std::function<Duration(const Moment&)>& time_of,
                SimulationConfig& simulation);

/// Adds links to `simulation`, which has its nodes.
void LinkNodes(const TransferSource& source, std::uint64_t seed, SimulationConfig& simulation);

}  // namespace evenkeel::simulator
