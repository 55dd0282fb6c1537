#pragma once

#include <functional>

#include "core/model/field_reader.h"
#include "simulator/scenario.h"
#include "simulator/simulation_config.h"

/// Reads and draws where the tasks of a scenario are, when they arrive, and how they get from node
/// to node.
namespace evenkeel::simulator {

/// An item of `tasks.arrivals`.
[[nodiscard]] Arrival ReadArrival(model::FieldReader& fields, std::int64_t max_tasks);

/// `transfers`.
[[nodiscard]] TransferSource ReadTransfers(model::FieldReader fields);

/// Nodes that are named are there, and of `tasks` in all enough for what is at nodes. To be called
/// when tasks, nodes and transfers are read.
void CheckPlaces(model::FieldReader& fields, const Scenario& scenario, std::int64_t tasks);

/// No variant leaves nodes out that tasks or links name. To be called when variants are read, too.
void CheckNoneIsLeftOut(model::FieldReader& fields, const Scenario& scenario);

/// Adds loads and arrivals to `simulation`, which has its nodes; `time_of` converts a moment.
void PlaceTasks(const Scenario& scenario, std::uint64_t seed,
                const std::function<Duration(const Moment&)>& time_of,
                SimulationConfig& simulation);

/// Adds links to `simulation`, which has its nodes.
void LinkNodes(const TransferSource& source, std::uint64_t seed, SimulationConfig& simulation);

}  // namespace evenkeel::simulator
