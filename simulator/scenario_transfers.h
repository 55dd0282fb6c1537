#pragma once

#include <functional>

#include "core/model/field_reader.h"
#include "simulator/scenario.h"
#include "simulator/simulation_config.h"

/// Where tasks of a scenario are, when they come, and how they get from node to node: how that is
/// read and how it is drawn.
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

/// Puts loads and arrivals into the world, whose nodes are there; `time_of` says when a moment is.
void PlaceTasks(const Scenario& scenario, std::uint64_t seed,
                const std::function<Duration(const Moment&)>& time_of, SimulationConfig& world);

/// Puts links into the world, whose nodes are there.
void LinkNodes(const TransferSource& source, std::uint64_t seed, SimulationConfig& world);

}  // namespace evenkeel::simulator
