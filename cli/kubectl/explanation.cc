#include "cli/kubectl/explanation.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>

#include "cli/human_text.h"
#include "cli/kubectl/job_words.h"
#include "cli/text_table.h"
#include "cli/weight_tables.h"
#include "core/scheduling/fuzzy/weight_estimation.h"

namespace evenkeel::cli {
namespace {

/// The operator takes a job up within seconds.
constexpr double kLongUntaken = 30;

void WriteHead(const JobObject& job, double now, std::ostream& out) {
  out << job.name << " in namespace " << job.name_space << ": " << StateInWords(job, now) << '\n';
  const bool untaken = job.conditions.empty() && job.created && now - *job.created > kLongUntaken;
  if (untaken) {
    out << "The operator has not taken it up since it was made " << HumanAge(now - *job.created)
        << " ago: does evenkeel-operator run?\n";
  } else if (!job.conditions.empty() && job.observed_generation < job.generation) {
    out << "The operator has not seen the latest change of the job yet.\n";
  }
  if (!job.failed_indexes.empty()) out << "Failed tasks: " << job.failed_indexes << '\n';
  if (!job.result_summary.empty()) out << "Result: " << job.result_summary << '\n';
  if (!job.result_location.empty()) out << "Where: " << job.result_location << '\n';
}

void WriteConditions(const JobObject& job, double now, std::ostream& out) {
  if (job.conditions.empty()) return;
  out << "\nConditions\n";
  for (const JobCondition& condition : job.conditions) {
    const char* const verdict = condition.status == "True"    ? "yes"
                                : condition.status == "False" ? "no"
                                                              : "unknown";
    out << "  " << condition.type << ": " << verdict;
    if (condition.since) out << ", for " << HumanAge(now - *condition.since);
    if (!condition.reason.empty()) out << ", " << condition.reason;
    if (!condition.message.empty()) out << ": " << condition.message;
    out << '\n';
  }
}

void WriteAwaited(const Explanation& explanation, double now, std::ostream& out) {
  if (explanation.awaited.empty()) return;
  out << "\nStarts after these jobs\n";
  for (const AwaitedJob& awaited : explanation.awaited) {
    out << "  " << awaited.name << ": "
        << (awaited.was_complete ? "was complete"
            : awaited.job        ? StateInWords(*awaited.job, now)
                                 : awaited.job.error().message)
        << '\n';
  }
}

void WriteTasks(const Explanation& explanation, std::ostream& out) {
  if (explanation.tasks.empty()) return;
  out << "\nTasks\n";
  for (const model::TaskNote& note : explanation.tasks) {
    out << "  " << note.name << ": " << note.text << '\n';
  }
}

const char* WhereFrom(const std::string& mode) {
  if (mode == "Measured") {
    return "Weights are what earlier jobs measured, blended with the nodes' labels by this policy, "
           "and corrected by times that are measured.";
  }
  if (mode == "Auto") {
    return "Weights are estimated from labels and earlier jobs, and corrected by measured times.";
  }
  if (mode == "Explicit")
    return "Weights are those of spec.weighting.weights, whatever the labels.";
  if (mode == "Equal") return "All nodes weigh the same, whatever their labels.";
  return "Weights are estimated from the nodes' labels, and corrected by times that are measured.";
}

/// The rows that the run was started with, where nothing is estimated.
void WritePlannedWeights(const Explanation& explanation, std::ostream& out) {
  TextTable table({"NODE", "RATIO", "WEIGHT"});
  for (const auto& [node, ratio] : explanation.ratios) {
    table.AddRow({node, Format("%.3f", ratio), Format("%.0f", std::ceil(ratio))});
  }
  if (!explanation.ratios.empty()) table.Write(out);
}

/// Labels may have changed since the run was planned, or nodes may have gone.
void WriteDifferences(const Explanation& explanation,
                      const std::vector<scheduling::NodeWeight>& weights, std::ostream& out) {
  const std::set<std::string> measured = explanation.history.Nodes();
  for (const auto& [name, ratio] : explanation.ratios) {
    const auto now = std::find_if(weights.begin(), weights.end(),
                                  [&name = name](const auto& node) { return node.name == name; });
    if (now == weights.end()) {
      out << name << ": is planned with a ratio of " << Format("%.3f", ratio)
          << ", but has left the cluster\n";
      continue;
    }
    if (measured.contains(name)) continue;  // its ratio is not that of the labels alone
    // As the work is divided by it: a policy may round ratios up.
    const double by_now = scheduling::PartitionWeight(*now, explanation.policy->rounding);
    if (explanation.planned && std::abs(by_now - ratio) > 0.01 * ratio) {
      out << name << ": was planned with a ratio of " << Format("%.3f", ratio) << ", by now it has "
          << Format("%.3f", by_now) << "; what is measured counts\n";
    }
  }
}

void WriteWeights(const Explanation& explanation, std::ostream& out) {
  const JobObject& job = explanation.job;
  out << "\nWeights (policy " << job.policy << ", mode " << job.weighting_mode << ")\n"
      << WhereFrom(job.weighting_mode) << '\n';
  const bool estimated = job.weighting_mode != "Explicit" && job.weighting_mode != "Equal";
  if (!estimated) return WritePlannedWeights(explanation, out);
  for (const Error* error : {explanation.nodes ? nullptr : &explanation.nodes.error(),
                             explanation.policy ? nullptr : &explanation.policy.error()}) {
    if (error == nullptr) continue;
    out << "Not to be seen: " << error->message << '\n';
    return WritePlannedWeights(explanation, out);
  }
  if (!explanation.planned)
    out << "Nothing is planned yet; these are the nodes that could be used.\n";
  if (explanation.nodes->empty()) {
    out << "There are none.\n";
    return;
  }
  const auto weights = scheduling::EstimateWeights(*explanation.nodes, *explanation.policy);
  WriteWeightTable(weights, *explanation.policy, out);
  out << '\n';
  WriteWeightReasons(weights, out);
  WriteDifferences(explanation, weights, out);
}

void WriteUnused(const Explanation& explanation, std::ostream& out) {
  if (!explanation.nodes) return;  // said already
  out << "\nNodes that are not used\n";
  if (explanation.unused.empty()) out << "  none\n";
  for (const UnusedNode& node : explanation.unused) {
    for (const std::string& reason : node.reasons) {
      out << "  " << node.name << ": " << reason << '\n';
    }
  }
}

void WriteEvents(const Explanation& explanation, double now, std::ostream& out) {
  out << "\nLast events\n";
  if (!explanation.events) {
    out << "  not to be seen: " << explanation.events.error().message << '\n';
    return;
  }
  if (explanation.events->empty()) out << "  none (the cluster keeps them for an hour)\n";
  for (const JobEvent& event : *explanation.events) {
    out << "  " << (event.last ? HumanAge(now - *event.last) + " ago" : "at some time") << ": ";
    if (event.type == "Warning") out << "warning, ";
    out << event.reason << ": " << event.message;
    if (event.count > 1) out << " (" << HumanCount(event.count) << " times)";
    out << '\n';
  }
}

}  // namespace

void WriteExplanation(const Explanation& explanation, double now, std::ostream& out) {
  WriteHead(explanation.job, now, out);
  WriteConditions(explanation.job, now, out);
  WriteAwaited(explanation, now, out);
  WriteTasks(explanation, out);
  WriteWeights(explanation, out);
  WriteHistoryView(explanation.history, out);
  WriteUnused(explanation, out);
  WriteEvents(explanation, now, out);
}

}  // namespace evenkeel::cli
