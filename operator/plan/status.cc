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
constexpr Duration kIntervalOfChangedEstimate = std::chrono::seconds(3);
constexpr Duration kLeastEstimateChange = std::chrono::seconds(5);
constexpr int kPartOfTimeLeft = 10;
constexpr int kStepPercent = 5;

int PercentOf(const std::string& progress) {
  int percent = 0;
  const auto read = std::from_chars(progress.data(), progress.data() + progress.size(), percent);
  return read.ec == std::errc{} ? percent : 0;
}

/// Messages alone do not count, but for the one that names each excluded node.
bool Differs(const cluster::Condition& before, const cluster::Condition& now) {
  if (before.status != now.status || before.reason != now.reason) return true;
  return now.type == cluster::condition_type::kNodesExcluded && before.message != now.message;
}

/// By more than a tenth of the time that is left.
bool EstimateChanged(const cluster::JobStatus& before, const cluster::JobStatus& next,
                     platform::Timestamp now) {
  const auto& known = before.estimated_completion_time;
  const auto& estimate = next.estimated_completion_time;
  if (!known || !estimate) return false;
  const Duration change = std::max(*known, *estimate) - std::min(*known, *estimate);
  return change > std::max<Duration>(kLeastEstimateChange, (*estimate - now) / kPartOfTimeLeft);
}

}  // namespace

bool ConditionsDiffer(const cluster::Conditions& known, const cluster::Conditions& next) {
  return std::any_of(next.begin(), next.end(), [&known](const cluster::Condition& one) {
    const cluster::Condition* before = cluster::Find(known, one.type);
    return before == nullptr || Differs(*before, one);
  });
}

WriteRule DecideStatusWrite(const cluster::JobStatus& known, const cluster::JobStatus& next,
                            platform::Timestamp now,
                            const std::optional<platform::Timestamp>& last_write) {
  if (known == next) return {};
  if (known.observed_generation != next.observed_generation ||
      ConditionsDiffer(known.conditions, next.conditions)) {
    return {.write = true, .urgent = true};
  }
  // A job that is Complete is kept until those that wait for it have recorded that.
  if (known.after != next.after) return {.write = true};
  const int step = std::abs(PercentOf(next.progress) - PercentOf(known.progress));
  const Duration interval =
      EstimateChanged(known, next, now) ? kIntervalOfChangedEstimate : kInterval;
  const bool due = !last_write || now >= *last_write + interval || now < *last_write;
  if (due || step >= kStepPercent) return {.write = true};
  return {.due = *last_write + interval - now};
}

namespace {

constexpr std::size_t kMaxIndexBytes = 1024;
constexpr std::int64_t kMaxCount = 1'000'000'000'000;
constexpr std::int64_t kMaxWeight = 1'000'000;

std::string Percent(const cluster::Progress& report) {
  const bool complete = report.state == cluster::CoordinatorState::kComplete;
  // Rounded down, and never 100 % before the end.
  const int percent = complete ? 100 : std::min(99, static_cast<int>(report.fraction * 100 + 1e-9));
  return std::to_string(percent) + "%";
}

/// Keeps the last estimate while the new one differs by less than 2 % of the remaining time,
/// because estimates fluctuate.
std::optional<platform::Timestamp> Eta(const PlanBuilder& builder,
                                       const cluster::Progress& report) {
  if (!report.eta || report.state != cluster::CoordinatorState::kRunning) return std::nullopt;
  const Duration age = builder.snapshot().report->age;
  const platform::Timestamp eta = platform::WholeSeconds(builder.Now() - age + *report.eta);
  const auto& known = builder.Status().estimated_completion_time;
  if (!known) return eta;
  const Duration change = eta > *known ? eta - *known : *known - eta;
  const Duration tolerated = std::max<Duration>(std::chrono::seconds(2), *report.eta / 50);
  return change <= tolerated ? *known : eta;
}

std::string StateOf(const cluster::PodView& pod) {
  if (pod.phase == cluster::PodPhase::kSucceeded) return "Done";
  if (pod.phase == cluster::PodPhase::kFailed) return "Failed";
  if (pod.ready) return "Running";
  return pod.unscheduled ? "Pending" : "Starting";
}

std::int64_t Count(std::int64_t count) { return std::clamp<std::int64_t>(count, 0, kMaxCount); }

class Rows {
 public:
  explicit Rows(const PlanBuilder& builder) : weighting_(builder.Job().spec.weighting) {
    for (const cluster::WorkerRow& row : builder.Status().workers) known_[row.node] = row;
    const auto& plan = builder.snapshot().plan;
    if (!plan) return;
    for (const auto* list : {&plan->nodes, &plan->joined}) {
      for (const cluster::PlannedNode& node : *list) {
        planned_[node.name] = &node;
        weights_[node.name] = node.weight;
      }
    }
  }

  void Take(const cluster::PodView& pod, bool reported) {
    if (pod.target_node.empty()) return;
    // A coordinator that took over may go by a later weight than the pod was made with.
    const auto planned = planned_.find(pod.target_node);
    const bool later = planned != planned_.end() && planned->second->parts;
    if (!later) weights_[pod.target_node] = pod.weight;
    // The coordinator's report on a worker is more accurate than its pod's phase.
    if (!reported || !said_.contains(pod.target_node)) At(pod.target_node).state = StateOf(pod);
  }

  void Take(const cluster::WorkerProgress& worker) {
    if (worker.node.empty()) return;
    const auto known = weights_.find(worker.node);
    const bool weighed = known != weights_.end();
    cluster::WorkerRow& row = At(worker.node);
    if (!weighed) row.weight = static_cast<std::int64_t>(std::ceil(worker.ratio));
    row.share = Count(worker.share);
    row.completed = Count(worker.completed);
    row.stolen = Count(worker.stolen);
    row.state = worker.state;
    said_[worker.node] = true;
  }

  [[nodiscard]] std::vector<cluster::WorkerRow> HeaviestFirst() const {
    std::vector<cluster::WorkerRow> rows;
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
    if (rows.size() > cluster::kMaxWorkerRows) rows.resize(cluster::kMaxWorkerRows);
    return rows;
  }

 private:
  /// The row of a node; starts with its last known figures.
  cluster::WorkerRow& At(const std::string& node) {
    const auto [row, is_new] = rows_.try_emplace(node);
    if (is_new) row->second = known_[node];
    row->second.node = node;
    return row->second;
  }

  const model::WeightingSpec& weighting_;
  std::map<std::string, const cluster::PlannedNode*> planned_;
  std::map<std::string, cluster::WorkerRow> known_;
  std::map<std::string, cluster::WorkerRow> rows_;
  std::map<std::string, std::int64_t> weights_;
  std::map<std::string, bool> said_;
};

std::int32_t ActiveWorkers(const PlanBuilder& builder, const cluster::Progress* report) {
  const auto& pods = builder.Workers();
  auto active = std::count_if(pods.begin(), pods.end(),
                              [](const auto* pod) { return pod->ready && !pod->Ended(); });
  if (report != nullptr && report->workers.size() < cluster::kMaxWorkerRows) {
    active = std::count_if(report->workers.begin(), report->workers.end(),
                           [](const auto& worker) { return worker.connected; });
  }
  return static_cast<std::int32_t>(active);
}

std::string Location(const PlanBuilder& builder) {
  const cluster::ObjectMeta& job = builder.Job().meta;
  if (builder.HasClaim()) {
    return "persistentvolumeclaim/" + builder.Job().result_claim + ", folder " +
           cluster::ClaimFolder(job.name, job.uid);
  }
  return "kubectl evenkeel results " + job.name + " -n " + job.namespace_name;
}

/// "node pi3 is left out: its result of ...; 40 results were revoked and are computed again".
std::string DescribeExclusions(const std::vector<cluster::ExcludedNode>& excluded) {
  constexpr std::size_t kMostNamed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(excluded.size(), kMostNamed); ++i) {
    const cluster::ExcludedNode& one = excluded[i];
    text += (i > 0 ? "; " : "") + ("node " + one.node + " is left out: " + one.reason) + "; " +
            std::to_string(one.revoked) + " results were revoked and are computed again";
  }
  if (excluded.size() > kMostNamed) {
    text += "; " + std::to_string(excluded.size() - kMostNamed) + " more nodes are left out";
  }
  return text;
}

/// Present only for jobs of which a node was left out.
void SetNodesExcludedCondition(PlanBuilder& builder, const cluster::Progress& report) {
  const std::string& type = cluster::condition_type::kNodesExcluded;
  if (!report.excluded.empty()) {
    builder.SetCondition(type, true, "WrongResults", DescribeExclusions(report.excluded));
  } else if (cluster::IsTrue(builder.Status().conditions, type)) {
    builder.SetCondition(type, false, "StartedAgain",
                         "the coordinator has started again without its journal");
  }
}

void ReportCoordinator(PlanBuilder& builder, const cluster::Progress& report) {
  cluster::JobStatus& status = builder.Status();
  status.tasks = {Count(report.tasks.total), Count(report.tasks.completed),
                  Count(report.tasks.failed)};
  status.progress = Percent(report);
  status.failed_indexes = CappedIndexes(report.failed_indexes, report.tasks.failed, kMaxIndexBytes);
  SetNodesExcludedCondition(builder, report);
  if (report.state == cluster::CoordinatorState::kComplete) {
    status.result = {report.result, Location(builder)};  // which may be too long to be shown here
  }
}

}  // namespace

void ReportFigures(PlanBuilder& builder) {
  const cluster::Progress* report = builder.Report();
  cluster::JobStatus& status = builder.Status();
  if (report != nullptr) ReportCoordinator(builder, *report);
  if (cluster::IsTrue(status.conditions, cluster::condition_type::kSuspended)) {
    status.workers.clear();
    status.active_workers = 0;
    status.estimated_completion_time.reset();
    return;
  }

  Rows rows(builder);
  if (report != nullptr) {
    for (const cluster::WorkerProgress& worker : report->workers) rows.Take(worker);
  }
  for (const cluster::PodView* pod : builder.Workers()) rows.Take(*pod, report != nullptr);
  status.workers = rows.HeaviestFirst();
  status.active_workers = builder.Finished() ? 0 : ActiveWorkers(builder, report);
  const bool runs = cluster::IsTrue(status.conditions, cluster::condition_type::kProgressing);
  if (!runs) {
    status.estimated_completion_time.reset();
  } else if (report != nullptr) {
    status.estimated_completion_time = Eta(builder, *report);
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

/// The answer of one check; without one, the next check decides.
struct Answer {
  bool progressing = false;
  std::string reason;
  std::string message;
};
using MaybeAnswer = std::optional<Answer>;

const std::string kStarting = "Starting";
const std::string kRestarting = "Restarting";

Answer No(std::string reason, std::string message) {
  return {false, std::move(reason), std::move(message)};
}

Answer Yes(std::string reason, std::string message) {
  return {true, std::move(reason), std::move(message)};
}

/// ". Away: pi4-b, pi3"; empty if all nodes are there.
std::string NodesAway(const PlanBuilder& builder) {
  constexpr int kMostNamed = 3;
  std::string names;
  int away = 0;
  for (const auto& [name, node] : *builder.snapshot().nodes) {
    if (node->ready) continue;
    if (++away <= kMostNamed) names += (names.empty() ? "" : ", ") + name;
  }
  if (away > kMostNamed) names += " and " + std::to_string(away - kMostNamed) + " more";
  return names.empty() ? names : ". Away: " + names;
}

MaybeAnswer AskPod(PlanBuilder& builder, const cluster::PodView& pod) {
  Diagnosis diagnosis = DiagnosePod(pod, builder.Now());
  if (diagnosis.requeue_after) builder.RequeueAfter(*diagnosis.requeue_after);
  if (!diagnosis.trouble) return std::nullopt;
  // The scheduler counts nodes; which one the claim is on, people know who see that it is away.
  if (diagnosis.trouble->reason == "WaitingForNode")
    diagnosis.trouble->message += NodesAway(builder);
  return No(diagnosis.trouble->reason, diagnosis.trouble->message);
}

MaybeAnswer AskForWorkers(PlanBuilder& builder, const RunPicture& picture) {
  const WorkerInventory& inventory = picture.inventory;
  const bool any =
      !inventory.live.empty() || !picture.changes.create.empty() || inventory.leaving > 0;
  if (any) return std::nullopt;
  if (picture.policy.Bad() && !inventory.free.empty()) {
    return No(picture.policy.reason, picture.policy.message);
  }
  for (const cluster::PodView* pod : builder.Workers()) {
    if (pod->phase == cluster::PodPhase::kFailed) {
      return No("WorkersFailed", "pod " + pod->name + " has failed" +
                                     (pod->reason.empty() ? "" : " (" + pod->reason + ")") +
                                     " and is made again later");
    }
  }
  if (!inventory.crowded.empty()) {
    return No("WaitingForRoom", cluster::Summarize(inventory.eligibilities) + "; " +
                                    DescribeMissingRoom(builder, inventory.crowded));
  }
  if (!inventory.stuck.empty()) return AskPod(builder, *inventory.stuck.front());
  return No("NoEligibleNodes", cluster::Summarize(inventory.eligibilities));
}

MaybeAnswer AskCoordinatorPod(const PlanBuilder& builder, const RunPicture& picture) {
  const CoordinatorAssessment& assessment = picture.assessment;
  switch (assessment.kind) {
    case CoordinatorHealth::kNone:
      return Yes(kStarting, "pods are being created");
    case CoordinatorHealth::kTerminating:
      return Yes(kRestarting, "pod " + assessment.pod->name + " ends, the next one goes on");
    case CoordinatorHealth::kNodeNotReady:
      return No("NodeNotReady", "pod " + assessment.pod->name + " " + assessment.why);
    case CoordinatorHealth::kLost:
      if (!assessment.requeue_after) return Yes(kRestarting, "the coordinator's pod is made again");
      return No("CoordinatorFailed", "pod " + assessment.pod->name + " " + assessment.why +
                                         "; it is made again after a while");
    case CoordinatorHealth::kAlive:
      break;
  }
  if (!builder.CoordinatorAnswers())
    return Yes(kStarting, "pod " + assessment.pod->name + " is starting");
  return std::nullopt;
}

/// A report may be missing because this operator has just begun to ask.
MaybeAnswer AskReport(PlanBuilder& builder, const RunPicture& picture) {
  const cluster::PodView& pod = *picture.assessment.pod;
  const cluster::Progress* report = builder.Report();
  if (report == nullptr) {
    const auto* known =
        cluster::Find(builder.Status().conditions, cluster::condition_type::kProgressing);
    const bool ran = known != nullptr && known->status == cluster::Condition::Status::kTrue &&
                     known->reason != kStarting && known->reason != kRestarting;
    const platform::Timestamp asked_since = builder.snapshot().settings.started;
    if (ran && builder.Now() < asked_since + kLongestSilence) {
      builder.RequeueAt(asked_since + kLongestSilence);
      return Yes(known->reason, known->message);
    }
    // Images may have had to be pulled first: what counts is since when it could have answered.
    const platform::Timestamp since = pod.ready_since.value_or(pod.created);
    if (builder.Now() < since + kLongestSilence) {
      builder.RequeueAt(since + kLongestSilence);
      return Yes(kStarting, "pod " + pod.name + " has not answered yet");
    }
  }
  if (builder.FreshReport(kLongestSilence) == nullptr) {
    return No("CoordinatorUnreachable", "pod " + pod.name + " does not answer the operator");
  }
  if (report->state == cluster::CoordinatorState::kBlocked) {
    return No("StorageFull",
              report->reason.empty() ? "the coordinator cannot write its journal" : report->reason);
  }
  return std::nullopt;
}

MaybeAnswer AskRunningWorkers(PlanBuilder& builder, const RunPicture& picture) {
  const auto& live = picture.inventory.live;
  const bool any_runs =
      std::any_of(live.begin(), live.end(), [](const auto* pod) { return pod->ready; });
  if (any_runs) return std::nullopt;
  const bool any_has_node =
      std::any_of(live.begin(), live.end(), [](const auto* pod) { return !pod->node.empty(); });
  if (!any_has_node && !picture.inventory.crowded.empty()) {
    return No("WaitingForRoom", DescribeMissingRoom(builder, picture.inventory.crowded));
  }
  Answer answer = Yes(kStarting, "the workers are starting");
  for (const cluster::PodView* pod : live) {
    if (auto trouble = AskPod(builder, *pod)) return trouble;
    const auto delay = DiagnosePod(*pod, builder.Now()).delay;
    if (delay && answer.reason == kStarting) answer = Yes(delay->reason, delay->message);
  }
  return answer;
}

/// The first node that has too little for one task, or no claim for its cache, as it is left out;
/// empty if there is none.
std::string DescribeUnfitNodes(const PlanBuilder& builder, const RunPicture& picture) {
  const bool has_task_resources = builder.Job().spec.task_resources.Any();
  std::string text;
  std::size_t more = 0;
  for (const cluster::NodeEligibility& one : picture.inventory.eligibilities) {
    const bool too_small = has_task_resources && one.first.obstacle == cluster::Obstacle::kResource;
    if (!too_small && one.first.obstacle != cluster::Obstacle::kClaimName) continue;
    if (text.empty()) {
      text = "; left out: " + one.node->Name() + ", which is " + one.first.why;
    } else {
      ++more;
    }
  }
  return more == 0 ? text : text + ", and " + std::to_string(more) + " more";
}

/// "workers run", and the nodes on which the job waits for room, or else the problem of the first
/// worker that does not run: the job continues without it, so the problem would go unnoticed.
std::string DescribeRunningWorkers(PlanBuilder& builder, const RunPicture& picture) {
  const std::vector<CrowdedNode>& crowded = picture.inventory.crowded;
  if (!crowded.empty()) return "workers run; " + DescribeMissingRoom(builder, crowded);
  for (const auto* pods : {&picture.inventory.live, &picture.inventory.stuck}) {
    for (const cluster::PodView* pod : *pods) {
      if (auto trouble = AskPod(builder, *pod))
        return "workers run, but not all: " + trouble->message;
    }
  }
  return "workers run" + DescribeUnfitNodes(builder, picture);
}

/// A job with verified results ends when each drawn task has run on a second node.
MaybeAnswer AskVerification(PlanBuilder& builder, const RunPicture& picture) {
  if (builder.Job().spec.task_policy.verified_share == 0) return std::nullopt;
  const cluster::TaskCounts& tasks = builder.Report()->tasks;
  const bool all_ran = tasks.total > 0 && tasks.completed + tasks.failed >= tasks.total;
  if (!all_ran || picture.inventory.live.size() > 1) return std::nullopt;
  return No(
      "WaitingForSecondNode",
      "all tasks are done; their results can only be verified on another node, and there is no "
      "other node with a worker");
}

Answer Running(PlanBuilder& builder, const RunPicture& picture) {
  const std::int64_t attempt = picture.assessment.pod->attempt;
  if (attempt <= picture.first_attempt)
    return Yes("Running", DescribeRunningWorkers(builder, picture));
  const std::string lost = "the coordinator's pod was lost; attempt " + std::to_string(attempt);
  if (builder.HasClaim()) return Yes("Running", lost + " goes on from the claim");
  const std::string from = builder.snapshot().kept ? " from the last suspension" : "";
  return Yes("StartedAgain", lost + " has started again" + from + ", as there is no claim");
}

/// "Service lab/x-coordinator is not this job's ...": the one thing that people have to do.
std::string DescribeNameConflict(const std::string& object) {
  return object + " exists and does not belong to this job; the job starts when it is gone, or " +
         "give the job another name";
}

/// A condition of its own, so that it can be waited for. Set to False when the name is free again.
void SetNameConflictCondition(PlanBuilder& builder) {
  const auto& conflict = builder.snapshot().name_conflict;
  const auto& type = cluster::condition_type::kNameConflict;
  if (conflict) {
    builder.SetCondition(type, true, "NameTaken", DescribeNameConflict(*conflict));
  } else if (cluster::IsTrue(builder.Status().conditions, type)) {
    builder.SetCondition(type, false, "Resolved", "all objects of the job are its own");
  }
}

Answer Ask(PlanBuilder& builder, const RunPicture& picture) {
  if (const auto& conflict = builder.snapshot().name_conflict) {
    return No("NameConflict", DescribeNameConflict(*conflict));
  }
  if (const auto& failure = builder.snapshot().failure) {
    return No("ApplyFailed", failure->action + ": " + failure->message);
  }
  if (picture.assessment.kind == CoordinatorHealth::kAlive) {
    if (auto trouble = AskPod(builder, *picture.assessment.pod)) return *trouble;
  }
  if (auto answer = AskForWorkers(builder, picture)) return *answer;
  if (auto answer = AskCoordinatorPod(builder, picture)) return *answer;
  if (auto answer = AskReport(builder, picture)) return *answer;
  if (auto answer = AskRunningWorkers(builder, picture)) return *answer;
  if (auto answer = AskVerification(builder, picture)) return *answer;
  return Running(builder, picture);
}

}  // namespace

void SetProgressingCondition(PlanBuilder& builder, const RunPicture& picture) {
  SetNameConflictCondition(builder);
  Answer answer = Ask(builder, picture);
  if (!builder.Job().too_large.empty()) {
    answer.message += "; the tasks that were appended are not taken: " + builder.Job().too_large;
  }
  builder.SetCondition(cluster::condition_type::kProgressing, answer.progressing,
                       std::move(answer.reason), std::move(answer.message));
}

void MirrorTerminalCondition(PlanBuilder& builder) {
  const auto& conditions = builder.Status().conditions;
  for (const auto& type : {cluster::condition_type::kComplete, cluster::condition_type::kFailed,
                           cluster::condition_type::kSuspended}) {
    const cluster::Condition* found = cluster::Find(conditions, type);
    if (found == nullptr) continue;
    const bool over = found->status == cluster::Condition::Status::kTrue;
    if (!over && type != cluster::condition_type::kSuspended) continue;
    const cluster::Condition copy = *found;
    builder.SetCondition(cluster::condition_type::kProgressing, false, copy.reason, copy.message);
    return;
  }
}

namespace {

/// Reasons of conditions that are no trouble although the condition is False.
constexpr std::array<std::string_view, 7> kHarmless{
    "Suspending", "Suspended", "Resumed", "AllTasksDone", "Starting", "Running", "WaitingForJobs"};

bool IsHarmless(const std::string& reason) {
  for (const std::string_view one : kHarmless) {
    if (reason == one) return true;
  }
  return false;
}

std::ptrdiff_t CountReason(const cluster::Conditions& conditions, const std::string& reason) {
  return std::count_if(conditions.begin(), conditions.end(),
                       [&reason](const auto& one) { return one.reason == reason; });
}

bool IsWarning(const cluster::Condition& condition) {
  if (condition.type == cluster::condition_type::kFailed || condition.reason == "StartedAgain" ||
      condition.reason == "WrongResults") {
    return true;
  }
  return condition.status == cluster::Condition::Status::kFalse && !IsHarmless(condition.reason);
}

}  // namespace

void EmitConditionEvents(PlanBuilder& builder) {
  const cluster::Conditions& known = builder.snapshot().job.status.conditions;
  for (const cluster::Condition& one : builder.Status().conditions) {
    const cluster::Condition* before = cluster::Find(known, one.type);
    const bool same = before != nullptr && !Differs(*before, one);
    // The condition that ended or suspended the job has its own event.
    const bool ends_suspension =
        one.type == cluster::condition_type::kSuspended &&
        cluster::IsTrue(builder.Status().conditions, cluster::condition_type::kFailed);
    // The source of weights gets an event only if something is wrong.
    const bool usual =
        one.type == cluster::condition_type::kWeightsMeasured &&
        (one.status == cluster::Condition::Status::kTrue || one.reason == reason::kNoHistory);
    const bool echo = (one.type == cluster::condition_type::kProgressing || ends_suspension) &&
                      CountReason(builder.Status().conditions, one.reason) > 1;
    if (!same && !echo && !usual) builder.AddEvent({IsWarning(one), one.reason, one.message, true});
  }
}

}  // namespace evenkeel::plan
