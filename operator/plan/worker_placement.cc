#include "operator/plan/worker_placement.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "cluster/names.h"
#include "core/model/quantity.h"
#include "core/scheduling/energy/energy_choice.h"
#include "operator/plan/coordinator_health.h"
#include "operator/plan/weighting.h"

namespace evenkeel::plan {
namespace {

constexpr Duration kRoomPatience = std::chrono::seconds(30);
/// A worker that ran for so long before it ended begins with the first back-off again.
constexpr Duration kGoodRun = std::chrono::minutes(10);

std::size_t MaxWorkers(const Draft& draft) {
  return static_cast<std::size_t>(std::max(1, draft.Job().spec.max_workers));
}

api::Timestamp EndOf(const api::PodView& pod) {
  return pod.termination && pod.termination->finished ? *pod.termination->finished : pod.created;
}

std::int64_t AttemptThatCounts(const api::PodView& pod) {
  return EndOf(pod) - pod.created >= kGoodRun ? 1 : pod.attempt;
}

void Sooner(std::optional<Duration>& look_again, Duration delay) {
  look_again = std::min(look_again.value_or(delay), delay);
}

/// A pod that no scheduler or kubelet will do anything about any more.
bool Obsolete(const api::PodView& pod, const NodeVerdict* verdict) {
  if (verdict == nullptr) return true;
  const bool open = verdict->Eligible() || verdict->obstacle == Obstacle::kRoom;
  return pod.node.empty() && pod.unscheduled && !open;
}

void CountPod(const Draft& draft, const api::PodView& pod, const NodeVerdict* verdict,
              WorkerCensus& census) {
  if (pod.deleted) {
    // Its node gets the next one, unless that node cannot have it.
    if (verdict != nullptr && verdict->Eligible()) ++census.leaving;
    return;
  }
  if (Obsolete(pod, verdict)) {
    census.obsolete.push_back(&pod);
  } else if (pod.unscheduled && draft.Now() >= pod.unscheduled->since + kRoomPatience) {
    census.stuck.push_back(&pod);
  } else {
    if (pod.unscheduled) {
      Sooner(census.look_again, pod.unscheduled->since + kRoomPatience - draft.Now());
    }
    census.live.push_back(&pod);
  }
}

/// A node with an eligible verdict, and the pod that holds the name of its worker, if any.
void CountFree(const Draft& draft, const NodeVerdict& verdict, const api::PodView* holder,
               WorkerCensus& census) {
  if (holder == nullptr) {
    census.free.push_back({verdict.node, 1, nullptr});
    return;
  }
  if (!holder->Ended() || holder->deleted || holder->target_node != verdict.node->Name()) return;
  const std::int64_t attempt = AttemptThatCounts(*holder);
  const api::Timestamp due = EndOf(*holder) + BackoffAfter(attempt);
  if (draft.Now() >= due) {
    census.free.push_back({verdict.node, attempt + 1, holder});
  } else {
    Sooner(census.look_again, due - draft.Now());
  }
}

struct Weighed {
  const Place* place;
  const api::PlannedNode* weight;
};

std::vector<Weighed> HeaviestFirst(const WorkerCensus& census,
                                   const std::vector<api::PlannedNode>& weights) {
  std::vector<Weighed> order;
  for (std::size_t i = 0; i < std::min(census.free.size(), weights.size()); ++i) {
    order.push_back({&census.free[i], &weights[i]});
  }
  std::sort(order.begin(), order.end(), [](const Weighed& a, const Weighed& b) {
    if (a.weight->ratio != b.weight->ratio) return a.weight->ratio > b.weight->ratio;
    return a.weight->name < b.weight->name;
  });
  return order;
}

/// The lightest beyond maxWorkers, those without room before those that run.
void RemoveSurplus(std::size_t most, std::vector<const api::PodView*>& live,
                   std::vector<const api::PodView*>& stuck, WorkerChanges& changes) {
  const auto lighter = [](const api::PodView* a, const api::PodView* b) {
    return a->ratio != b->ratio ? a->ratio < b->ratio : a->name < b->name;
  };
  for (auto* pods : {&stuck, &live}) {
    std::sort(pods->begin(), pods->end(), lighter);
    const std::size_t all = live.size() + stuck.size();
    const std::size_t surplus = std::min(pods->size(), all > most ? all - most : 0);
    const auto end = pods->begin() + static_cast<std::ptrdiff_t>(surplus);
    changes.remove.insert(changes.remove.end(), pods->begin(), end);
    pods->erase(pods->begin(), end);
  }
}

}  // namespace

WorkerCensus CountWorkers(const Draft& draft) {
  const NodeJudge judge(draft.Seen());
  WorkerCensus census;
  std::map<std::string, const api::PodView*> by_name;
  for (const api::PodView* pod : draft.Workers()) {
    by_name[pod->name] = pod;
    const api::NodeView* node = draft.Node(pod->target_node);
    if (node == nullptr) {
      CountPod(draft, *pod, nullptr, census);
    } else if (!pod->Ended()) {
      const NodeVerdict verdict = judge(*node);
      CountPod(draft, *pod, &verdict, census);
    }
  }
  // With thousands of nodes it is worth a thought whether anybody wants to know.
  if (census.live.size() + census.leaving >= MaxWorkers(draft)) return census;
  for (const auto& [name, node] : *draft.Seen().nodes) {
    census.verdicts.push_back(judge(*node));
    const NodeVerdict& verdict = census.verdicts.back();
    if (verdict.obstacle == Obstacle::kRoom) census.room_may_come = true;
    if (!verdict.Eligible()) continue;
    const auto holder = by_name.find(api::WorkerPodName(draft.Job().meta.name, name));
    CountFree(draft, verdict, holder == by_name.end() ? nullptr : holder->second, census);
  }
  return census;
}

bool NeedsWeights(const Draft& draft, const WorkerCensus& census) {
  return !census.free.empty() && census.live.size() + census.leaving < MaxWorkers(draft);
}

WorkerChanges PlaceWorkers(const Draft& draft, const WorkerCensus& census,
                           const std::vector<api::PlannedNode>& weights, const std::string& image) {
  const std::size_t most = MaxWorkers(draft);
  WorkerChanges changes;
  changes.remove = census.obsolete;
  auto live = census.live;
  auto stuck = census.stuck;
  RemoveSurplus(most, live, stuck, changes);
  std::size_t workers = live.size() + stuck.size() + census.leaving;
  std::set<std::string> names;  // two nodes may have the same hash: the heavier one gets the worker
  for (const auto& [place, weight] : HeaviestFirst(census, weights)) {
    if (!names.insert(api::WorkerPodName(draft.Job().meta.name, weight->name)).second) continue;
    if (workers >= most) {
      if (stuck.empty()) break;
      changes.remove.push_back(stuck.front());
      stuck.erase(stuck.begin());
      --workers;
    }
    if (place->former != nullptr) changes.remove.push_back(place->former);
    changes.create.push_back({weight->name, weight->ratio, weight->weight,
                              ThreadsOf(draft.Job(), *place->node), place->attempt, image});
    ++workers;
  }
  return changes;
}

std::int32_t ThreadsOf(const api::WeightedJob& job, const api::NodeView& node) {
  constexpr std::int64_t kCore = 1000;
  constexpr std::int64_t kMost = 4096;
  std::int64_t millicores = node.allocatable.cpu_millicores;
  if (millicores <= 0) millicores = node.profile.cpu_millicores.value_or(kCore);
  const auto limit = job.resources.limits.find("cpu");
  if (limit != job.resources.limits.end()) {
    millicores = std::min(millicores, model::ParseQuantity(limit->second, kCore).value_or(kCore));
  }
  // Half a core still needs a thread.
  const std::int64_t threads = millicores / kCore + (millicores % kCore > 0 ? 1 : 0);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(threads, 1, kMost));
}

namespace {

/// Workers that are there, or will be again in a moment.
std::vector<scheduling::EnergyCandidate> Held(const Draft& draft) {
  std::vector<scheduling::EnergyCandidate> held;
  for (const api::PodView* pod : draft.Workers()) {
    const api::NodeView* node = draft.Node(pod->target_node);
    if (node == nullptr || pod->Ended() || pod->ratio <= 0) continue;
    held.push_back({pod->ratio, WorkerPower(*node, ThreadsOf(draft.Job(), *node))});
  }
  return held;
}

/// Places of census.free, the heaviest first, as many as there may be workers beside those held.
std::vector<std::size_t> Heaviest(const std::vector<api::PlannedNode>& weights, std::size_t most) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&weights](std::size_t a, std::size_t b) {
    if (weights[a].ratio != weights[b].ratio) return weights[a].ratio > weights[b].ratio;
    return weights[a].name < weights[b].name;
  });
  order.resize(std::min(order.size(), most));
  return order;
}

double RatioOf(const std::vector<api::PlannedNode>& planned) {
  double sum = 0;
  for (const auto& node : planned) sum += node.ratio;
  return sum;
}

}  // namespace

EnergyPlacement LeaveOutForEnergy(const Draft& draft, const std::vector<api::PlannedNode>& planned,
                                  WorkerCensus& census, std::vector<api::PlannedNode>& weights) {
  EnergyPlacement placement;
  const model::BalancingSpec& balancing = draft.Job().spec.balancing;
  const bool nothing_to_choose = weights.empty() || weights.size() != census.free.size();
  if (balancing.objective != model::Objective::kEnergy || nothing_to_choose) return placement;

  auto candidates = Held(draft);
  const std::size_t held = candidates.size();
  const auto workers = static_cast<std::size_t>(std::max(1, draft.Job().spec.max_workers));
  const auto order = Heaviest(weights, workers > held ? workers - held : 0);
  for (const std::size_t i : order) {
    const api::NodeView& node = *census.free[i].node;
    weights[i].power = WorkerPower(node, ThreadsOf(draft.Job(), node));
    candidates.push_back({weights[i].ratio, weights[i].power});
  }
  const auto choice = scheduling::ChooseForEnergy(candidates, balancing.energy, RatioOf(planned));
  std::vector<Place> free = std::exchange(census.free, {});
  std::vector<api::PlannedNode> all = std::exchange(weights, {});
  if (!choice) {
    census.free = std::move(free);
    placement.refusal = scheduling::WhyNoEnergy(candidates.size());
    return placement;
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    api::PlannedNode& node = all[order[k]];
    node.left_out = choice->shares[held + k] <= 0;
    if (node.left_out) {
      placement.left_out.push_back(std::move(node));
    } else {
      census.free.push_back(free[order[k]]);
      weights.push_back(std::move(node));
    }
  }
  return placement;
}

}  // namespace evenkeel::plan
