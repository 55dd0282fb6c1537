#include "cli/run_ending.h"

#include <cstdio>
#include <ostream>
#include <utility>

#include "cli/human_text.h"
#include "report/summary_json.h"

namespace evenkeel::cli {
namespace {

/// "energy: 412.5 J above the idle draw of the boards, which was 275.1 J meanwhile"
std::string EnergyLine(const model::EnergySummary& energy) {
  std::string line = "energy: " + HumanRate(energy.joules) + "J";
  line += energy.idle_counted ? " with" : " above";
  line += " the idle draw of the boards, which was " + HumanRate(energy.idle_joules) + "J";
  if (energy.standing_joules > 0) {
    line += ", and with " + HumanRate(energy.standing_joules) + "J of standing power";
  }
  if (energy.partial) line += "; without the nodes whose power is not known";
  return line + '\n';
}

/// "verified: 12 of 12 tasks; node pi3 is left out: its result of task 5 is wrong: ..."
std::string VerificationLine(const model::VerificationSummary& verification) {
  std::string line = "verified: " + std::to_string(verification.confirmed) + " of " +
                     std::to_string(verification.confirmed + verification.open) + " drawn tasks";
  for (const model::ExclusionRecord& exclusion : verification.exclusions) {
    line += "; node " + exclusion.node + " is left out: " + exclusion.reason;
  }
  return line + '\n';
}

}  // namespace

coordinator::OutcomeContext OutcomeOf(const RunPlan& plan, SpeedControl control) {
  coordinator::OutcomeContext context{plan.version, plan.folder, {}, true, ToString(control)};
  context.tasks = coordinator::DescribeTasks(plan.job());
  for (const LocalNode& node : plan.nodes) {
    context.nodes.push_back({node.threads, node.emulated_speed, node.slot_limit});
  }
  for (const LocalNode& node : plan.left_out) {
    context.left_out.push_back(
        {node.name, coordinator::NodeDeclaration{node.threads, node.emulated_speed, {}}});
  }
  return context;
}

void PrintEnd(const RunPlan& plan, const model::RunSummary& summary, std::ostream& out) {
  char line[256];
  const std::string state(report::StateName(summary.state));
  if (summary.state == model::JobState::kComplete) {
    std::snprintf(line, sizeof line, "%s in %.2f s; lower bound %.2f s (%s), efficiency %.3f\n",
                  state.c_str(), summary.makespan_seconds, summary.lower_bound_seconds,
                  summary.rate_source.c_str(), summary.efficiency);
  } else {
    std::snprintf(line, sizeof line, "%s after %.2f s, %lld of %lld tasks are done\n",
                  state.c_str(), summary.makespan_seconds,
                  static_cast<long long>(summary.tasks_completed),
                  static_cast<long long>(summary.tasks_total));
  }
  out << summary.job << ": " << line;
  out << "moves: " << summary.moves.reserved << " reserved, " << summary.moves.leased << " leased, "
      << summary.moves.copies << " copies";
  if (summary.speed_control == "cgroup") out << "; speeds held by control groups";
  if (summary.speed_control == "duty-cycle") out << "; speeds held by pausing the workers";
  out << '\n';
  if (summary.energy) out << EnergyLine(*summary.energy);
  if (summary.verification) out << VerificationLine(*summary.verification);
  if (summary.state == model::JobState::kComplete) out << "result: " << summary.result_json << '\n';
  out << "report: " << (plan.folder / "report.html").string() << '\n';
}

}  // namespace evenkeel::cli
