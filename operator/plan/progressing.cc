#include "operator/plan/progressing.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "operator/plan/pod_trouble.h"

namespace evenkeel::plan {
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

}  // namespace evenkeel::plan
