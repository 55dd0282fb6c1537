#include "workloads/parameter_estimation/estimation_runner.h"

#include <utility>

#include "core/base/check.h"
#include "workloads/parameter_estimation/exact_schedule.h"
#include "workloads/parameter_estimation/list_schedule.h"
#include "workloads/parameter_estimation/task_result.h"

namespace evenkeel::workloads::parameter_estimation {
namespace {

bool UsesExactSearch(const EstimationSpec& spec) {
  return spec.method != Method::kList && spec.graph.size() <= kMaxExactOperations;
}

class EstimationRunner final : public TaskRunner {
 public:
  EstimationRunner(const EstimationSpec& spec, const SchedulingProblem& problem)
      : spec_(spec), problem_(problem) {}

  TaskOutcome Run(const TaskCall& call, std::stop_token stop, std::string& result,
                  TaskFailure&) override {
    EVENKEEL_CHECK(0 <= call.index && call.index < CountCombinations(spec_.units),
                   "a task that the job does not have");
    const UnitCounts counts = CombinationAt(spec_.units, call.index);
    Schedule schedule = ListSchedule(problem_, counts);
    bool proven = LengthOf(problem_, schedule) == LowerBound(problem_, counts);
    if (!proven && UsesExactSearch(spec_)) {
      ExactSchedule found =
          FindShortestSchedule(problem_, counts, std::move(schedule), spec_.search_limit, stop);
      if (found.stopped) return TaskOutcome::kStopped;
      schedule = std::move(found.schedule);
      proven = found.proven;
    }
    AppendResult(FiguresOf(spec_, counts, LengthOf(problem_, schedule), proven), result);
    return TaskOutcome::kDone;
  }

 private:
  const EstimationSpec& spec_;
  const SchedulingProblem& problem_;
};

}  // namespace

std::unique_ptr<TaskRunner> MakeEstimationRunner(const EstimationSpec& spec,
                                                 const SchedulingProblem& problem) {
  return std::make_unique<EstimationRunner>(spec, problem);
}

}  // namespace evenkeel::workloads::parameter_estimation
