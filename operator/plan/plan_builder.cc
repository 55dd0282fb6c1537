#include "operator/plan/plan_builder.h"

#include <algorithm>

namespace evenkeel::plan {
namespace {

constexpr Duration kRecently = std::chrono::seconds(10);
constexpr Duration kSoonest = std::chrono::milliseconds(100);

/// As DesiredCoordinator::container_ends.
std::map<std::string, std::vector<ContainerEnd>> ContainerEnds(
    const std::vector<const cluster::PodView*>& pods) {
  struct EndOnNode {
    const std::string* node;
    ContainerEnd end;
  };
  std::vector<EndOnNode> ends;
  for (const cluster::PodView* pod : pods) {
    if (pod->node.empty()) continue;
    for (const cluster::ContainerEnd& end : pod->command_ends) {
      const auto seconds = std::chrono::floor<std::chrono::seconds>(end.at.time_since_epoch());
      ends.push_back({&pod->node, {seconds.count(), end.out_of_memory}});
    }
  }
  std::stable_sort(ends.begin(), ends.end(), [](const EndOnNode& a, const EndOnNode& b) {
    return a.end.at_seconds > b.end.at_seconds;
  });
  if (ends.size() > kMaxContainerEnds) ends.resize(kMaxContainerEnds);
  std::map<std::string, std::vector<ContainerEnd>> by_node;
  for (const EndOnNode& one : ends) by_node[*one.node].push_back(one.end);
  return by_node;
}

}  // namespace

PlanBuilder::PlanBuilder(const Snapshot& snapshot)
    : snapshot_(&snapshot), status_(snapshot.job.status) {
  std::vector<const cluster::PodView*> coordinators;
  for (const cluster::PodView& pod : snapshot.pods) {
    if (pod.role == cluster::PodRole::kWorker) workers_.push_back(&pod);
    if (pod.role == cluster::PodRole::kCoordinator) coordinators.push_back(&pod);
  }
  // The order in which pods are seen must not matter.
  const auto by_name = [](const auto* a, const auto* b) { return a->name < b->name; };
  std::sort(workers_.begin(), workers_.end(), by_name);
  std::sort(coordinators.begin(), coordinators.end(),
            [](const auto* a, const auto* b) { return a->attempt < b->attempt; });
  if (coordinators.empty()) return;
  coordinator_ = coordinators.back();
  coordinators.pop_back();
  older_coordinators_ = std::move(coordinators);
}

const cluster::NodeView* PlanBuilder::Node(const std::string& name) const {
  const auto found = snapshot_->nodes->find(name);
  return found == snapshot_->nodes->end() ? nullptr : found->second.get();
}

std::vector<const cluster::PodView*> PlanBuilder::Pods() const {
  std::vector<const cluster::PodView*> pods = workers_;
  pods.insert(pods.end(), older_coordinators_.begin(), older_coordinators_.end());
  if (coordinator_ != nullptr) pods.push_back(coordinator_);
  return pods;
}

const cluster::Progress* PlanBuilder::Report() const {
  const bool of_latest = snapshot_->report && coordinator_ != nullptr &&
                         snapshot_->report->pod_uid == coordinator_->uid;
  return of_latest ? &snapshot_->report->progress : nullptr;
}

const cluster::Progress* PlanBuilder::FreshReport(Duration age) const {
  const cluster::Progress* report = Report();
  return report != nullptr && snapshot_->report->age <= age ? report : nullptr;
}

bool PlanBuilder::CoordinatorAnswers() const {
  return coordinator_ != nullptr && (coordinator_->ready || FreshReport(kRecently) != nullptr);
}

void PlanBuilder::SetDesiredCoordinator(DesiredCoordinator desired) {
  desired.container_ends = ContainerEnds(workers_);
  plan_.coordinator = std::move(desired);
}

void PlanBuilder::Delete(const cluster::PodView& pod, bool at_once) {
  if (pod.deleted && !at_once) return;  // it is on its way
  AddAction(DeletePod{pod.name, pod.uid, at_once});
}

void PlanBuilder::RequeueAfter(Duration delay) {
  const Duration bounded = std::max(delay, kSoonest);
  plan_.requeue_after = std::min(plan_.requeue_after.value_or(bounded), bounded);
}

void PlanBuilder::SetCondition(const std::string& type, bool is_true, std::string reason,
                               std::string message) {
  cluster::Set(
      status_.conditions,
      {type, is_true ? cluster::Condition::Status::kTrue : cluster::Condition::Status::kFalse,
       std::move(reason), OneLine(std::move(message)), Job().meta.generation,
       platform::WholeSeconds(Now())});
}

bool PlanBuilder::Finished() const { return cluster::IsOver(status_.conditions); }

std::string OneLine(std::string text, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    std::size_t cut = max_bytes - 3;
    // Not in the middle of a character of UTF-8.
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
    text.resize(cut);
    text += "...";
  }
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return text;
}

}  // namespace evenkeel::plan
