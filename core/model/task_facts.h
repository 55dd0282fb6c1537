#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Facts about the tasks of a job: declared by the job, or found out by its run. Plain values.
namespace evenkeel::model {

/// One thing that a job says of its tasks, in words: "costs" and "listed in the job; ...". The page
/// of a job finds the note by its name, and adds what was measured.
struct TaskNote {
  std::string name;
  std::string text;
  friend bool operator==(const TaskNote&, const TaskNote&) = default;
};

/// The notes of a job, and the amount of its costs for which times are shown.
struct TaskDescription {
  std::vector<TaskNote> notes;  ///< empty if the job says nothing special of its tasks
  std::string cost_unit{};      ///< "A cost of 1" or "1 MB"; empty if the job has no costs
  double cost_unit_size = 1;    ///< of a cost_unit, in units of Cost
};

/// Whether the scheduler uses the costs of a job.
enum class CostUse {
  kUnknown,        ///< there are none: all tasks count as equal
  kUsed,           ///< as hints
  kNoise,          ///< no: measured times do not follow them
  kIndexIsBetter,  ///< no: times follow the index of a task more closely
};

/// Reliability of the costs of a job, by the measured times of its tasks.
struct CostFindings {
  CostUse use = CostUse::kUnknown;
  /// By how much log(time) rises with log(cost) on one worker: 1 if costs are exact, 0 if they are
  /// noise. Nothing while too little is measured.
  std::optional<double> slope;
  double slope_sigma = 0;  ///< standard error of `slope`
  /// Standard deviation of log(time) around what follows from the cost; 0 while it is unknown.
  double time_sigma = 0;
};

/// Failed attempts of tasks, whether charged or not.
struct FailedAttempts {
  std::int64_t total = 0;
  std::int64_t out_of_memory = 0;
  std::string latest;  ///< "task 3 on pi4-a: exit code 1", printable ASCII, bounded
};

/// Tasks that run alone: they are suspected of killing what runs them, or ran out of memory.
struct TasksAlone {
  std::int64_t running = 0;
  std::int64_t waiting = 0;
};

/// The number of tasks that a node runs at a time because of their needs.
struct NodeSlots {
  std::uint32_t count = 0;  ///< 0 until its worker has connected
  std::string limited_by;   ///< the resource that allows no more; empty if it is not known
};

/// The ranges that a node ran, runs, and how long they take: t = startup + per_task n.
struct RangeStatistics {
  double startup_seconds = 0;
  double per_task_seconds = 0;  ///< 0 while nothing is measured
  std::int64_t running = 0;
  std::int64_t cuttable = 0;  ///< of those: have reported progress, so that they may be cut
  std::int64_t cut = 0;       ///< runs whose last tasks went to other nodes
};

}  // namespace evenkeel::model
