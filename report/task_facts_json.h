#pragma once

#include <string>

#include "core/model/run_record.h"
#include "report/json_reader.h"

/// The fields of summary.json that describe the tasks of a job. A job that says nothing special of
/// its tasks, and of which none failed, has none of them.
namespace evenkeel::report {

/// Adds taskNotes, costs, failedAttempts and alone.
void AddTaskFacts(const model::RunSummary& summary, Json& out);
/// The inverse. Keeps the first error in `problem`.
void ReadTaskFacts(const Json& summary, std::string& problem, model::RunSummary& out);

/// Adds threads, slots, slotLimit and ranges of a node. Runs that go on are left out.
void AddNodeTaskFacts(const model::NodeSummary& node, Json& out);
/// The inverse; `where` names the node in messages.
void ReadNodeTaskFacts(const Json& object, const std::string& where, std::string& problem,
                       model::NodeSummary& out);

}  // namespace evenkeel::report
