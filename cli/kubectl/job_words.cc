#include "cli/kubectl/job_words.h"

#include <algorithm>
#include <cmath>

#include "cli/human_text.h"

namespace evenkeel::cli {
namespace {

/// Why it is in its state, as the operator put it.
std::string Reason(const JobObject& job) {
  const JobCondition* condition = job.Find(job.State());
  if (condition == nullptr) condition = job.Find("Progressing");
  if (condition == nullptr || job.Is("Complete")) return {};
  return condition->message.empty() ? condition->reason : condition->message;
}

}  // namespace

std::string StateInWords(const JobObject& job, double now) {
  std::string words = job.State();
  if (job.tasks_total > 0) {
    words += ", " + std::to_string(std::lround(job.progress * 100)) + "% done (" +
             HumanCount(job.tasks_completed) + " of " + HumanCount(job.tasks_total) + " tasks)";
  }
  if (job.tasks_failed > 0) words += ", " + HumanCount(job.tasks_failed) + " failed";
  if (job.IsOver()) {
    if (const std::string elapsed = ElapsedOf(job, now); !elapsed.empty()) {
      words += ", after " + elapsed;
    }
  } else if (job.estimated_completion) {
    words += ", ends in about " + HumanSeconds(std::max(*job.estimated_completion - now, 0.0));
  }
  if (const std::string reason = Reason(job); !reason.empty()) words += ": " + reason;
  return words;
}

std::string EtaOf(const JobObject& job, double now) {
  if (job.Is("Complete")) return "done";
  if (job.IsOver() || !job.estimated_completion) return "ETA -";
  return "ETA " + HumanSeconds(std::max(*job.estimated_completion - now, 0.0));
}

std::string ElapsedOf(const JobObject& job, double now) {
  if (!job.start) return {};
  return HumanSeconds(std::max(job.completion.value_or(now) - *job.start, 0.0));
}

}  // namespace evenkeel::cli
