#include "operator/plan/status.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/names.h"
#include "operator/plan/pod_diagnosis.h"
#include "operator/plan/weighting.h"

namespace evenkeel::plan {
namespace {

constexpr Duration kInterval = std::chrono::seconds(10);
constexpr int kStepPercent = 5;

int PercentOf(const std::string& progress) {
  int percent = 0;
  const auto read = std::from_chars(progress.data(), progress.data() + progress.size(), percent);
  return read.ec == std::errc{} ? percent : 0;
}

}  // namespace

bool ConditionsDiffer(const api::Conditions& known, const api::Conditions& next) {
  return std::any_of(next.begin(), next.end(), [&known](const api::Condition& one) {
    const api::Condition* before = api::Find(known, one.type);
    return before == nullptr || before->status != one.status || before->reason != one.reason;
  });
}

WriteRule JudgeWrite(const api::JobStatus& known, const api::JobStatus& next, api::Timestamp now,
                     const std::optional<api::Timestamp>& last_write) {
  if (known == next) return {};
  if (known.observed_generation != next.observed_generation ||
      ConditionsDiffer(known.conditions, next.conditions)) {
    return {.write = true, .urgent = true};
  }
  const int step = std::abs(PercentOf(next.progress) - PercentOf(known.progress));
  const bool due = !last_write || now >= *last_write + kInterval || now < *last_write;
  if (due || step >= kStepPercent) return {.write = true};
  return {.due = *last_write + kInterval - now};
}

namespace {

constexpr std::size_t kMaxIndexBytes = 1024;
constexpr std::int64_t kMaxCount = 1'000'000'000'000;
constexpr std::int64_t kMaxWeight = 1'000'000;

std::string Percent(const api::Progress& report) {
  const bool complete = report.state == api::CoordinatorState::kComplete;
  // Rounded down, and never 100 % before the end.
  const int percent = complete ? 100 : std::min(99, static_cast<int>(report.fraction * 100 + 1e-9));
  return std::to_string(percent) + "%";
}

/// Estimates tremble; a change below a fiftieth of what is left tells nobody anything.
std::optional<api::Timestamp> Eta(const Draft& draft, const api::Progress& report) {
  if (!report.eta || report.state != api::CoordinatorState::kRunning) return std::nullopt;
  const Duration age = draft.Seen().report->age;
  const api::Timestamp eta = api::WholeSeconds(draft.Now() - age + *report.eta);
  const auto& known = draft.Status().estimated_completion_time;
  if (!known) return eta;
  const Duration change = eta > *known ? eta - *known : *known - eta;
  const Duration tolerated = std::max<Duration>(std::chrono::seconds(2), *report.eta / 50);
  return change <= tolerated ? *known : eta;
}

std::string StateOf(const api::PodView& pod) {
  if (pod.phase == api::PodPhase::kSucceeded) return "Done";
  if (pod.phase == api::PodPhase::kFailed) return "Failed";
  if (pod.ready) return "Running";
  return pod.unscheduled ? "Pending" : "Starting";
}

std::int64_t Count(std::int64_t count) { return std::clamp<std::int64_t>(count, 0, kMaxCount); }

class Rows {
 public:
  explicit Rows(const Draft& draft) : weighting_(draft.Job().spec.weighting) {
    for (const api::WorkerRow& row : draft.Status().workers) known_[row.node] = row;
    const auto& plan = draft.Seen().plan;
    if (!plan) return;
    for (const auto* list : {&plan->nodes, &plan->joined}) {
      for (const api::PlannedNode& node : *list) {
        planned_[node.name] = &node;
        weights_[node.name] = node.weight;
      }
    }
  }

  void Take(const api::PodView& pod, bool reported) {
    if (pod.target_node.empty()) return;
    // A coordinator that took over may go by a later weight than the pod was made with.
    const auto planned = planned_.find(pod.target_node);
    const bool later = planned != planned_.end() && planned->second->parts;
    if (!later) weights_[pod.target_node] = pod.weight;
    // What the coordinator says of a worker is closer to the truth than its pod's phase.
    if (!reported || !said_.contains(pod.target_node)) At(pod.target_node).state = StateOf(pod);
  }

  void Take(const api::WorkerProgress& worker) {
    if (worker.node.empty()) return;
    const auto known = weights_.find(worker.node);
    const bool weighed = known != weights_.end();
    api::WorkerRow& row = At(worker.node);
    if (!weighed) row.weight = static_cast<std::int64_t>(std::ceil(worker.ratio));
    row.share = Count(worker.share);
    row.completed = Count(worker.completed);
    row.stolen = Count(worker.stolen);
    row.state = worker.state;
    said_[worker.node] = true;
  }

  [[nodiscard]] std::vector<api::WorkerRow> HeaviestFirst() const {
    std::vector<api::WorkerRow> rows;
    for (auto [node, row] : rows_) {
      const auto weight = weights_.find(node);
      if (weight != weights_.end()) row.weight = weight->second;
      row.weight = std::clamp<std::int64_t>(row.weight, 1, kMaxWeight);
      const auto planned = planned_.find(node);
      row.weight_source =
          WeightSource(weighting_, planned == planned_.end() ? nullptr : planned->second);
      rows.push_back(std::move(row));
    }
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.node < b.node;
    });
    if (rows.size() > api::kMaxWorkerRows) rows.resize(api::kMaxWorkerRows);
    return rows;
  }

 private:
  /// Figures that are known of a node stay while nobody says others.
  api::WorkerRow& At(const std::string& node) {
    const auto [row, is_new] = rows_.try_emplace(node);
    if (is_new) row->second = known_[node];
    row->second.node = node;
    return row->second;
  }

  const model::WeightingSpec& weighting_;
  std::map<std::string, const api::PlannedNode*> planned_;
  std::map<std::string, api::WorkerRow> known_;
  std::map<std::string, api::WorkerRow> rows_;
  std::map<std::string, std::int64_t> weights_;
  std::map<std::string, bool> said_;
};

std::int32_t ActiveWorkers(const Draft& draft, const api::Progress* report) {
  const auto& pods = draft.Workers();
  auto active = std::count_if(pods.begin(), pods.end(),
                              [](const auto* pod) { return pod->ready && !pod->Ended(); });
  if (report != nullptr && report->workers.size() < api::kMaxWorkerRows) {
    active = std::count_if(report->workers.begin(), report->workers.end(),
                           [](const auto& worker) { return worker.connected; });
  }
  return static_cast<std::int32_t>(active);
}

std::string Location(const Draft& draft) {
  const api::ObjectMeta& job = draft.Job().meta;
  if (draft.HasClaim()) {
    return "persistentvolumeclaim/" + draft.Job().result_claim + ", folder " +
           api::ClaimFolder(job.name, job.uid);
  }
  return "kubectl evenkeel results " + job.name + " -n " + job.job_namespace;
}

void ReportCoordinator(Draft& draft, const api::Progress& report) {
  api::JobStatus& status = draft.Status();
  status.tasks = {Count(report.tasks.total), Count(report.tasks.completed),
                  Count(report.tasks.failed)};
  status.progress = Percent(report);
  status.failed_indexes = CappedIndexes(report.failed_indexes, report.tasks.failed, kMaxIndexBytes);
  if (report.state == api::CoordinatorState::kComplete) {
    status.result = {report.result, Location(draft)};  // which may be too long to be shown here
  }
}

}  // namespace

void ReportFigures(Draft& draft) {
  const api::Progress* report = draft.Report();
  api::JobStatus& status = draft.Status();
  if (report != nullptr) ReportCoordinator(draft, *report);
  if (api::IsTrue(status.conditions, api::condition_type::kSuspended)) {
    status.workers.clear();
    status.active_workers = 0;
    status.estimated_completion_time.reset();
    return;
  }

  Rows rows(draft);
  if (report != nullptr) {
    for (const api::WorkerProgress& worker : report->workers) rows.Take(worker);
  }
  for (const api::PodView* pod : draft.Workers()) rows.Take(*pod, report != nullptr);
  status.workers = rows.HeaviestFirst();
  status.active_workers = draft.Finished() ? 0 : ActiveWorkers(draft, report);
  const bool runs = api::IsTrue(status.conditions, api::condition_type::kProgressing);
  if (!runs) {
    status.estimated_completion_time.reset();
  } else if (report != nullptr) {
    status.estimated_completion_time = Eta(draft, *report);
  }
}

std::string CappedIndexes(const std::string& ranges, std::int64_t count, std::size_t max_bytes) {
  const bool cut_already = ranges.ends_with("...");
  if (ranges.size() <= max_bytes && !cut_already) return ranges;
  const std::string note = "... (" + std::to_string(count) + " in all)";
  std::string text = cut_already ? ranges.substr(0, ranges.size() - 3) : ranges;
  if (text.size() + note.size() > max_bytes) {
    const std::size_t room = max_bytes > note.size() ? max_bytes - note.size() : 0;
    const std::size_t comma = room == 0 ? std::string::npos : text.rfind(',', room - 1);
    text.resize(comma == std::string::npos ? 0 : comma + 1);
  }
  return text + note;
}

namespace {

/// What is said; if nothing, the next question decides.
struct Answer {
  bool progressing = false;
  std::string reason;
  std::string message;
};
using MaybeAnswer = std::optional<Answer>;

const std::string kStarting = "Starting";
const std::string kRestarting = "Restarting";
constexpr Duration kSilence = std::chrono::seconds(60);

Answer No(std::string reason, std::string message) {
  return {false, std::move(reason), std::move(message)};
}

Answer Yes(std::string reason, std::string message) {
  return {true, std::move(reason), std::move(message)};
}

/// ". Away: pi4-b, pi3"; empty if all nodes are there.
std::string NodesAway(const Draft& draft) {
  constexpr int kMostNamed = 3;
  std::string names;
  int away = 0;
  for (const auto& [name, node] : *draft.Seen().nodes) {
    if (node->ready) continue;
    if (++away <= kMostNamed) names += (names.empty() ? "" : ", ") + name;
  }
  if (away > kMostNamed) names += " and " + std::to_string(away - kMostNamed) + " more";
  return names.empty() ? names : ". Away: " + names;
}

MaybeAnswer AskPod(Draft& draft, const api::PodView& pod) {
  Diagnosis diagnosis = Diagnose(pod, draft.Now());
  if (diagnosis.look_again) draft.LookAgainAfter(*diagnosis.look_again);
  if (!diagnosis.trouble) return std::nullopt;
  // The scheduler counts nodes; which one the claim is on, people know who see that it is away.
  if (diagnosis.trouble->reason == "WaitingForNode") diagnosis.trouble->message += NodesAway(draft);
  return No(diagnosis.trouble->reason, diagnosis.trouble->message);
}

MaybeAnswer AskForWorkers(Draft& draft, const RunPicture& picture) {
  const WorkerCensus& census = picture.census;
  const bool any = !census.live.empty() || !picture.changes.create.empty() || census.leaving > 0;
  if (any) return std::nullopt;
  if (picture.policy.Bad() && !census.free.empty()) {
    return No(picture.policy.reason, picture.policy.message);
  }
  for (const api::PodView* pod : draft.Workers()) {
    if (pod->phase == api::PodPhase::kFailed) {
      return No("WorkersFailed", "pod " + pod->name + " has failed" +
                                     (pod->reason.empty() ? "" : " (" + pod->reason + ")") +
                                     " and is made again later");
    }
  }
  if (!census.stuck.empty()) return AskPod(draft, *census.stuck.front());
  const std::string why = Summarize(census.verdicts);
  return No(census.room_may_come ? "WaitingForRoom" : "NoEligibleNodes", why);
}

MaybeAnswer AskCoordinatorPod(const Draft& draft, const RunPicture& picture) {
  const CoordinatorFate& fate = picture.fate;
  switch (fate.kind) {
    case FateKind::kNone:
      return Yes(kStarting, "pods are being created");
    case FateKind::kEnding:
      return Yes(kRestarting, "pod " + fate.pod->name + " ends, the next one goes on");
    case FateKind::kShaky:
      return No("NodeNotReady", "pod " + fate.pod->name + " " + fate.why);
    case FateKind::kLost:
      if (!fate.look_again) return Yes(kRestarting, "the coordinator's pod is made again");
      return No("CoordinatorFailed",
                "pod " + fate.pod->name + " " + fate.why + "; it is made again after a while");
    case FateKind::kAlive:
      break;
  }
  if (!draft.CoordinatorAnswers()) return Yes(kStarting, "pod " + fate.pod->name + " is starting");
  return std::nullopt;
}

/// A report may be missing because this operator has just begun to ask.
MaybeAnswer AskReport(Draft& draft, const RunPicture& picture) {
  const api::PodView& pod = *picture.fate.pod;
  const api::Progress* report = draft.Report();
  if (report == nullptr) {
    const auto* known = api::Find(draft.Status().conditions, api::condition_type::kProgressing);
    const bool ran = known != nullptr && known->status == api::Condition::Status::kTrue &&
                     known->reason != kStarting && known->reason != kRestarting;
    if (ran) return Yes(known->reason, known->message);
    // Images may have had to be pulled first: what counts is since when it could have answered.
    const api::Timestamp since = pod.ready_since.value_or(pod.created);
    if (draft.Now() < since + kSilence) {
      draft.LookAgainAt(since + kSilence);
      return Yes(kStarting, "pod " + pod.name + " has not answered yet");
    }
  }
  if (draft.FreshReport(kSilence) == nullptr) {
    return No("CoordinatorUnreachable", "pod " + pod.name + " does not answer the operator");
  }
  if (report->state == api::CoordinatorState::kBlocked) {
    return No("StorageFull",
              report->reason.empty() ? "the coordinator cannot write its journal" : report->reason);
  }
  return std::nullopt;
}

MaybeAnswer AskRunningWorkers(Draft& draft, const RunPicture& picture) {
  const auto& live = picture.census.live;
  const bool any_runs =
      std::any_of(live.begin(), live.end(), [](const auto* pod) { return pod->ready; });
  if (any_runs) return std::nullopt;
  Answer answer = Yes(kStarting, "the workers are starting");
  for (const api::PodView* pod : live) {
    if (auto trouble = AskPod(draft, *pod)) return trouble;
    const auto delay = Diagnose(*pod, draft.Now()).delay;
    if (delay && answer.reason == kStarting) answer = Yes(delay->reason, delay->message);
  }
  return answer;
}

/// "workers run", and what keeps one of them from it: the job goes on without, and nobody would
/// look for it.
std::string WhoRuns(Draft& draft, const RunPicture& picture) {
  for (const api::PodView* pod : picture.census.live) {
    if (auto trouble = AskPod(draft, *pod)) return "workers run, but not all: " + trouble->message;
  }
  return "workers run";
}

Answer Running(Draft& draft, const RunPicture& picture) {
  const std::int64_t attempt = picture.fate.pod->attempt;
  if (attempt <= picture.first_attempt) return Yes("Running", WhoRuns(draft, picture));
  const std::string lost = "the coordinator's pod was lost; attempt " + std::to_string(attempt);
  if (draft.HasClaim()) return Yes("Running", lost + " goes on from the claim");
  const std::string from = draft.Seen().kept ? " from the last suspension" : "";
  return Yes("StartedAgain", lost + " has started again" + from + ", as there is no claim");
}

Answer Ask(Draft& draft, const RunPicture& picture) {
  if (const auto& failure = draft.Seen().failure) {
    return No("ApplyFailed", failure->action + ": " + failure->message);
  }
  if (picture.fate.kind == FateKind::kAlive) {
    if (auto trouble = AskPod(draft, *picture.fate.pod)) return *trouble;
  }
  if (auto answer = AskForWorkers(draft, picture)) return *answer;
  if (auto answer = AskCoordinatorPod(draft, picture)) return *answer;
  if (auto answer = AskReport(draft, picture)) return *answer;
  if (auto answer = AskRunningWorkers(draft, picture)) return *answer;
  return Running(draft, picture);
}

}  // namespace

void SayHowItGoes(Draft& draft, const RunPicture& picture) {
  Answer answer = Ask(draft, picture);
  if (!draft.Job().too_large.empty()) {
    answer.message += "; the tasks that were appended are not taken: " + draft.Job().too_large;
  }
  draft.SetCondition(api::condition_type::kProgressing, answer.progressing,
                     std::move(answer.reason), std::move(answer.message));
}

void SayItRests(Draft& draft) {
  const auto& conditions = draft.Status().conditions;
  for (const auto& type : {api::condition_type::kComplete, api::condition_type::kFailed,
                           api::condition_type::kSuspended}) {
    const api::Condition* found = api::Find(conditions, type);
    if (found == nullptr) continue;
    const bool over = found->status == api::Condition::Status::kTrue;
    if (!over && type != api::condition_type::kSuspended) continue;
    const api::Condition copy = *found;
    draft.SetCondition(api::condition_type::kProgressing, false, copy.reason, copy.message);
    return;
  }
}

namespace {

/// Reasons of conditions that are no trouble although the condition is False.
constexpr std::array<std::string_view, 6> kHarmless{"Suspending",   "Suspended", "Resumed",
                                                    "AllTasksDone", "Starting",  "Running"};

bool IsHarmless(const std::string& reason) {
  for (const std::string_view one : kHarmless) {
    if (reason == one) return true;
  }
  return false;
}

std::ptrdiff_t CountReason(const api::Conditions& conditions, const std::string& reason) {
  return std::count_if(conditions.begin(), conditions.end(),
                       [&reason](const auto& one) { return one.reason == reason; });
}

bool IsWarning(const api::Condition& condition) {
  if (condition.type == api::condition_type::kFailed || condition.reason == "StartedAgain") {
    return true;
  }
  return condition.status == api::Condition::Status::kFalse && !IsHarmless(condition.reason);
}

}  // namespace

void TellOfConditions(Draft& draft) {
  const api::Conditions& known = draft.Seen().job.status.conditions;
  for (const api::Condition& one : draft.Status().conditions) {
    const api::Condition* before = api::Find(known, one.type);
    const bool same =
        before != nullptr && before->status == one.status && before->reason == one.reason;
    // What has ended a job or suspended it is told by that condition, not twice.
    // How weights came about is no news, unless something is wrong.
    const bool usual =
        one.type == api::condition_type::kWeightsMeasured &&
        (one.status == api::Condition::Status::kTrue || one.reason == reason::kNoHistory);
    const bool echo = one.type == api::condition_type::kProgressing &&
                      CountReason(draft.Status().conditions, one.reason) > 1;
    if (!same && !echo && !usual) draft.Tell({IsWarning(one), one.reason, one.message, true});
  }
}

}  // namespace evenkeel::plan
