#include "operator/plan/worker_placement.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "cluster/names.h"
#include "core/scheduling/energy/energy_choice.h"
#include "operator/plan/coordinator_health.h"
#include "operator/plan/weighting.h"

namespace evenkeel::plan {
namespace {

constexpr Duration kRoomPatience = std::chrono::seconds(30);
/// A worker that ran for so long before it ended begins with the first back-off again.
constexpr Duration kGoodRun = std::chrono::minutes(10);

std::size_t MaxWorkers(const PlanBuilder& builder) {
  return static_cast<std::size_t>(std::max(1, builder.Job().spec.max_workers));
}

platform::Timestamp EndOf(const cluster::PodView& pod) {
  return pod.termination && pod.termination->finished ? *pod.termination->finished : pod.created;
}

std::int64_t AttemptThatCounts(const cluster::PodView& pod) {
  return EndOf(pod) - pod.created >= kGoodRun ? 1 : pod.attempt;
}

void Sooner(std::optional<Duration>& requeue_after, Duration delay) {
  requeue_after = std::min(requeue_after.value_or(delay), delay);
}

/// A pod that no scheduler or kubelet will do anything about any more, or whose node is left out.
bool Obsolete(const cluster::PodView& pod, const cluster::NodeEligibility* eligibility) {
  if (eligibility == nullptr || eligibility->first.obstacle == cluster::Obstacle::kExcluded) {
    return true;
  }
  const bool open =
      eligibility->Eligible() || eligibility->first.obstacle == cluster::Obstacle::kRoom;
  return pod.node.empty() && pod.unscheduled && !open;
}

void CountPod(const PlanBuilder& builder, const cluster::PodView& pod,
              const cluster::NodeEligibility* eligibility, WorkerInventory& inventory) {
  if (pod.deleted) {
    // Its node gets the next one, unless that node cannot have it.
    if (eligibility != nullptr && eligibility->Eligible()) ++inventory.leaving;
    return;
  }
  if (Obsolete(pod, eligibility)) {
    inventory.obsolete.push_back(&pod);
  } else if (pod.unscheduled && builder.Now() >= pod.unscheduled->since + kRoomPatience) {
    inventory.stuck.push_back(&pod);
  } else {
    if (pod.unscheduled) {
      Sooner(inventory.requeue_after, pod.unscheduled->since + kRoomPatience - builder.Now());
    }
    inventory.live.push_back(&pod);
  }
}

/// A node with an eligible eligibility, and the pod that holds the name of its worker, if any.
void CountFree(const PlanBuilder& builder, const cluster::NodeEligibility& eligibility,
               cluster::WorkerSize size, const cluster::PodView* holder,
               WorkerInventory& inventory) {
  if (holder == nullptr) {
    inventory.free.push_back({eligibility.node, 1, nullptr, std::move(size)});
    return;
  }
  if (!holder->Ended() || holder->deleted || holder->target_node != eligibility.node->Name())
    return;
  const std::int64_t attempt = AttemptThatCounts(*holder);
  const platform::Timestamp due = EndOf(*holder) + BackoffAfter(attempt);
  if (builder.Now() >= due) {
    inventory.free.push_back({eligibility.node, attempt + 1, holder, std::move(size)});
  } else {
    Sooner(inventory.requeue_after, due - builder.Now());
  }
}

struct Weighed {
  const Place* place;
  const cluster::PlannedNode* weight;
};

std::vector<Weighed> HeaviestFirst(const WorkerInventory& inventory,
                                   const std::vector<cluster::PlannedNode>& weights) {
  std::vector<Weighed> order;
  for (std::size_t i = 0; i < std::min(inventory.free.size(), weights.size()); ++i) {
    order.push_back({&inventory.free[i], &weights[i]});
  }
  std::sort(order.begin(), order.end(), [](const Weighed& a, const Weighed& b) {
    if (a.weight->ratio != b.weight->ratio) return a.weight->ratio > b.weight->ratio;
    return a.weight->name < b.weight->name;
  });
  return order;
}

/// The lightest beyond maxWorkers, those without room before those that run.
void RemoveSurplus(std::size_t most, std::vector<const cluster::PodView*>& live,
                   std::vector<const cluster::PodView*>& stuck, WorkerChanges& changes) {
  const auto lighter = [](const cluster::PodView* a, const cluster::PodView* b) {
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

namespace {

/// Checks which nodes are eligible for one job. Requests of the job's own workers are not counted:
/// a node with a worker is checked as if it had none. The builder must outlive it.
class EligibilityChecker {
 public:
  explicit EligibilityChecker(const PlanBuilder& builder)
      : job_(builder.Job()),
        requests_(*builder.snapshot().requests),
        demands_(cluster::NodeDemandsOf(builder.snapshot().job)) {
    const Snapshot& snapshot = builder.snapshot();
    demands_.architectures = snapshot.settings.architectures;
    if (const cluster::Progress* report = builder.Report()) {
      for (const auto& excluded : report->excluded) demands_.excluded.insert(excluded.node);
    }
    for (const cluster::PodView& pod : snapshot.pods) {
      // Pods without a node are not counted among the node's requests.
      if (pod.role != cluster::PodRole::kWorker || pod.Ended() || pod.node.empty()) continue;
      cluster::Resources& own = own_workers_[pod.node];
      own = own + pod.requests;
    }
  }

  [[nodiscard]] cluster::NodeEligibility operator()(const cluster::NodeView& node) const {
    return cluster::CheckEligibility(node, UsedByOthers(node), demands_);
  }

  /// The size of a worker on an eligible node.
  [[nodiscard]] cluster::WorkerSize SizeOn(const cluster::NodeView& node) const {
    return cluster::SizeOf(job_, node, UsedByOthers(node));
  }

  /// The requests of all pods there but the job's own workers.
  [[nodiscard]] cluster::Resources UsedByOthers(const cluster::NodeView& node) const {
    const auto at = [&node](const Requests& requests) {
      const auto found = requests.find(node.Name());
      return found == requests.end() ? cluster::Resources{} : found->second;
    };
    return at(requests_) - at(own_workers_);
  }

 private:
  const cluster::WeightedJob& job_;
  const Requests& requests_;
  cluster::NodeDemands demands_;
  Requests own_workers_;
};

}  // namespace

WorkerInventory TakeWorkerInventory(const PlanBuilder& builder) {
  const EligibilityChecker judge(builder);
  WorkerInventory inventory;
  std::map<std::string, const cluster::PodView*> by_name;
  std::set<std::string> waiting;  // nodes with a worker of the job that has no room yet
  for (const cluster::PodView* pod : builder.Workers()) {
    by_name[pod->name] = pod;
    const cluster::NodeView* node = builder.Node(pod->target_node);
    if (node == nullptr) {
      CountPod(builder, *pod, nullptr, inventory);
    } else if (!pod->Ended()) {
      const cluster::NodeEligibility eligibility = judge(*node);
      CountPod(builder, *pod, &eligibility, inventory);
      const bool waits = pod->unscheduled && !pod->deleted;
      if (waits && eligibility.first.obstacle == cluster::Obstacle::kRoom) {
        inventory.crowded.push_back({node, judge.UsedByOthers(*node)});
        waiting.insert(node->Name());
      }
    }
  }
  // With thousands of nodes it is worth a thought whether anybody wants to know.
  if (inventory.live.size() + inventory.leaving >= MaxWorkers(builder)) return inventory;
  for (const auto& [name, node] : *builder.snapshot().nodes) {
    inventory.eligibilities.push_back(judge(*node));
    const cluster::NodeEligibility& eligibility = inventory.eligibilities.back();
    if (eligibility.first.obstacle == cluster::Obstacle::kRoom && !waiting.contains(name)) {
      inventory.crowded.push_back({node.get(), judge.UsedByOthers(*node)});
    }
    if (!eligibility.Eligible()) continue;
    const auto holder = by_name.find(cluster::WorkerPodName(builder.Job().meta.name, name));
    CountFree(builder, eligibility, judge.SizeOn(*node),
              holder == by_name.end() ? nullptr : holder->second, inventory);
  }
  return inventory;
}

WorkerChanges PlaceWorkers(const PlanBuilder& builder, const WorkerInventory& inventory,
                           const std::vector<cluster::PlannedNode>& weights,
                           const std::string& image) {
  const std::size_t most = MaxWorkers(builder);
  WorkerChanges changes;
  changes.remove = inventory.obsolete;
  auto live = inventory.live;
  auto stuck = inventory.stuck;
  RemoveSurplus(most, live, stuck, changes);
  std::size_t workers = live.size() + stuck.size() + inventory.leaving;
  std::set<std::string> names;  // two nodes may have the same hash: the heavier one gets the worker
  for (const auto& [place, weight] : HeaviestFirst(inventory, weights)) {
    if (!names.insert(cluster::WorkerPodName(builder.Job().meta.name, weight->name)).second)
      continue;
    if (workers >= most) {
      if (stuck.empty()) break;
      changes.remove.push_back(stuck.front());
      stuck.erase(stuck.begin());
      --workers;
    }
    if (place->former != nullptr) changes.remove.push_back(place->former);
    const cluster::WorkerSize& size = place->size;
    cluster::WorkerPod pod{weight->name, weight->ratio,  weight->weight,
                           size.threads, place->attempt, image};
    if (builder.Job().spec.task_resources.Any()) pod.resources = size.resources;
    pod.task_memory_bytes = size.task_memory_bytes;
    changes.create.push_back(std::move(pod));
    ++workers;
  }
  return changes;
}

namespace {

/// Workers that are there, or will be again in a moment.
std::vector<scheduling::EnergyCandidate> Held(const PlanBuilder& builder) {
  std::vector<scheduling::EnergyCandidate> held;
  for (const cluster::PodView* pod : builder.Workers()) {
    const cluster::NodeView* node = builder.Node(pod->target_node);
    if (node == nullptr || pod->Ended() || pod->ratio <= 0) continue;
    held.push_back({pod->ratio, WorkerPower(*node, ThreadsOf(builder.Job(), *node))});
  }
  return held;
}

/// Places of inventory.free, the heaviest first, as many as there may be workers beside those held.
std::vector<std::size_t> Heaviest(const std::vector<cluster::PlannedNode>& weights,
                                  std::size_t most) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&weights](std::size_t a, std::size_t b) {
    if (weights[a].ratio != weights[b].ratio) return weights[a].ratio > weights[b].ratio;
    return weights[a].name < weights[b].name;
  });
  order.resize(std::min(order.size(), most));
  return order;
}

double RatioOf(const std::vector<cluster::PlannedNode>& planned) {
  double sum = 0;
  for (const auto& node : planned) sum += node.ratio;
  return sum;
}

}  // namespace

EnergyPlacement LeaveOutForEnergy(const PlanBuilder& builder,
                                  const std::vector<cluster::PlannedNode>& planned,
                                  WorkerInventory& inventory,
                                  std::vector<cluster::PlannedNode>& weights) {
  EnergyPlacement placement;
  const model::BalancingSpec& balancing = builder.Job().spec.balancing;
  const bool nothing_to_choose = weights.empty() || weights.size() != inventory.free.size();
  if (balancing.objective != model::Objective::kEnergy || nothing_to_choose) return placement;

  auto candidates = Held(builder);
  const std::size_t held = candidates.size();
  const auto workers = static_cast<std::size_t>(std::max(1, builder.Job().spec.max_workers));
  const auto order = Heaviest(weights, workers > held ? workers - held : 0);
  for (const std::size_t i : order) {
    const cluster::NodeView& node = *inventory.free[i].node;
    weights[i].power = WorkerPower(node, ThreadsOf(builder.Job(), node));
    candidates.push_back({weights[i].ratio, weights[i].power});
  }
  const auto choice = scheduling::ChooseForEnergy(candidates, balancing.energy, RatioOf(planned));
  std::vector<Place> free = std::exchange(inventory.free, {});
  std::vector<cluster::PlannedNode> all = std::exchange(weights, {});
  if (!choice) {
    inventory.free = std::move(free);
    placement.refusal = scheduling::WhyNoEnergy(candidates.size());
    return placement;
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    cluster::PlannedNode& node = all[order[k]];
    node.left_out = choice->shares[held + k] <= 0;
    if (node.left_out) {
      placement.left_out.push_back(std::move(node));
    } else {
      inventory.free.push_back(free[order[k]]);
      weights.push_back(std::move(node));
    }
  }
  return placement;
}

}  // namespace evenkeel::plan
