#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/model/cost_model.h"
#include "core/model/run_record.h"

namespace evenkeel::engine {

/// What people are shown of failed tasks ends after so many ranges.
inline constexpr std::size_t kMaxFailedRangesShown = 64;

struct NodeProgress {
  std::string name;
  double ratio = 1;
  std::uint32_t threads = 0;  ///< as its worker said; 0 while none has come
  double share = 0;           ///< of the cost, as first planned
  bool connected = false;
  bool lost = false;
  std::int64_t completed = 0;  ///< tasks whose result counted
  model::Cost cost = 0;        ///< their cost
  std::int64_t stolen_in = 0;
  std::int64_t stolen_out = 0;
  std::int64_t leased = 0;  ///< tasks
  double busy_seconds = 0;
  double rate = 0;       ///< units per second, as estimated now; 0 while not measured
  double mean_rate = 0;  ///< the same over all that it has run since the start; 0 while nothing
  Duration last_end{};   ///< job time at which its last counted result ended
  Duration
      predicted_end{};  ///< the same, as predicted when a tenth of its share was done; 0 if never
  std::optional<model::NodePower> power;  ///< as ExpectedNode says it
};

/// A snapshot of a run for people, on the job's own time line.
struct Progress {
  std::int64_t tasks_total = 0;
  std::int64_t tasks_completed = 0;  ///< durable
  std::int64_t tasks_failed = 0;     ///< for good
  double cost_done_ratio = 0;        ///< share of the cost that is done, 0..1
  model::Cost cost_total = 0;        ///< of all tasks
  Duration elapsed{};
  std::optional<Duration> eta;  ///< when the job will end, from now
  Duration eta_sigma{};
  Duration startup{};       ///< until the first task started; 0 while none has
  Duration last_durable{};  ///< end of the last durable result
  double wasted_seconds = 0;
  std::int64_t messages = 0;
  model::MoveCounts moves;
  std::int64_t recalls_failed = 0;  ///< leased tasks were asked back and none came in time
  std::string failed_indexes;
  std::vector<NodeProgress> nodes;
};

}  // namespace evenkeel::engine
