#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/model/cost_model.h"
#include "core/model/data_transfer.h"
#include "core/model/node_power.h"
#include "core/model/task_facts.h"

namespace evenkeel::model {

/// The work of one node for a job. An attempt is one start of the job's coordinator. Costs are in
/// units of Cost; `last_end` and `predicted_end` are on the job's own time line (run_record.h).
/// A plain value.
struct NodeStatistics {
  std::string name;
  double ratio = 0;  ///< exact weight relative to the lightest node; 0 if not in the latest attempt
  double share = 0;  ///< fraction of the job's cost that was first planned for it, or that its
                     ///< weight stands for if the strategy plans nothing; 0..1
  std::uint32_t threads = 0;     ///< as its worker reported; 0 until then
  std::int64_t completed = 0;    ///< tasks whose result counts, in all attempts
  Cost cost = 0;                 ///< of these tasks
  std::int64_t stolen_in = 0;    ///< tasks planned elsewhere and run here, in the latest attempt
  std::int64_t stolen_out = 0;   ///< tasks planned here and run elsewhere, likewise
  double busy_seconds = 0;       ///< inside tasks, summed over the threads, in all attempts
  double data_wait_seconds = 0;  ///< the part of it spent waiting for data, in the latest attempt
  DataTransfer transfer{};       ///< data that came to its worker, in the latest attempt
  double rate = 0;               ///< units per second, as estimated now; 0 if not measured
  double mean_rate = 0;      ///< units per second, over the latest attempt; 0 if nothing has run
  Duration last_end{};       ///< end of its last result that counts; 0 if there is none
  Duration predicted_end{};  ///< the same, predicted when a tenth of its share was done; or 0
  std::optional<NodePower> power;           ///< if known
  std::optional<RangeStatistics> ranges{};  ///< in the latest attempt; if runs do ranges

  /// The weight as a whole number.
  [[nodiscard]] std::int64_t Weight() const;
  /// Adds the work of an earlier attempt. Completed tasks, their cost and busy time are summed, and
  /// `last_end` is the later one. Everything else describes the latest attempt: stolen tasks
  /// compare with its plan, and rates of earlier attempts are out of date.
  void AddEarlierAttempt(const NodeStatistics& earlier);
};

/// The work of the nodes for a job, by name.
using WorkByNode = std::map<std::string, NodeStatistics>;

/// Adds earlier attempts to the rows of the latest one. A node that took part only earlier gets a
/// new row at the end.
template <std::derived_from<NodeStatistics> Row>
void AddEarlierAttempts(const WorkByNode& earlier, std::vector<Row>& rows) {
  WorkByNode unseen = earlier;
  for (Row& row : rows) {
    const auto found = unseen.find(row.name);
    if (found == unseen.end()) continue;
    row.AddEarlierAttempt(found->second);
    unseen.erase(found);
  }
  for (const auto& [name, statistics] : unseen) {
    Row& row = rows.emplace_back();
    row.name = name;
    row.AddEarlierAttempt(statistics);
  }
}

}  // namespace evenkeel::model
