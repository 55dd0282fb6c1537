#pragma once

#include <utility>

#include "core/base/rng.h"
#include "simulator/invariant_monitor.h"
#include "simulator/simulation_config.h"
#include "simulator/trace_recorder.h"
#include "simulator/virtual_time.h"

namespace evenkeel::simulator {

/// State that all parts of one simulation share. Not thread-safe.
struct SimulationContext {
  explicit SimulationContext(SimulationConfig the_config)
      : config(std::move(the_config)),
        rng(config.seed),
        trace(config.trace, config.check_invariants),
        monitor(config.check_invariants ? config.true_costs.size() : 0, config.nodes.size()) {}

  const SimulationConfig config;
  Rng rng;
  VirtualTime time;
  TraceRecorder trace;
  InvariantMonitor monitor;
  bool job_over = false;  ///< no process is started any more
};

}  // namespace evenkeel::simulator
