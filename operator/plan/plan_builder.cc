#include "operator/plan/plan_builder.h"

#include <algorithm>

namespace evenkeel::plan {
namespace {

constexpr Duration kRecently = std::chrono::seconds(10);
constexpr Duration kSoonest = std::chrono::milliseconds(100);

}  // namespace

Draft::Draft(const Snapshot& snapshot) : snapshot_(&snapshot), status_(snapshot.job.status) {
  std::vector<const api::PodView*> coordinators;
  for (const api::PodView& pod : snapshot.pods) {
    if (pod.role == api::PodRole::kWorker) workers_.push_back(&pod);
    if (pod.role == api::PodRole::kCoordinator) coordinators.push_back(&pod);
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

const api::NodeView* Draft::Node(const std::string& name) const {
  const auto found = snapshot_->nodes->find(name);
  return found == snapshot_->nodes->end() ? nullptr : found->second.get();
}

std::vector<const api::PodView*> Draft::Pods() const {
  std::vector<const api::PodView*> pods = workers_;
  pods.insert(pods.end(), older_coordinators_.begin(), older_coordinators_.end());
  if (coordinator_ != nullptr) pods.push_back(coordinator_);
  return pods;
}

const api::Progress* Draft::Report() const {
  const bool of_latest = snapshot_->report && coordinator_ != nullptr &&
                         snapshot_->report->pod_uid == coordinator_->uid;
  return of_latest ? &snapshot_->report->progress : nullptr;
}

const api::Progress* Draft::FreshReport(Duration age) const {
  const api::Progress* report = Report();
  return report != nullptr && snapshot_->report->age <= age ? report : nullptr;
}

bool Draft::CoordinatorAnswers() const {
  return coordinator_ != nullptr && (coordinator_->ready || FreshReport(kRecently) != nullptr);
}

void Draft::Delete(const api::PodView& pod, bool at_once) {
  if (pod.deleted && !at_once) return;  // it is on its way
  Act(DeletePod{pod.name, pod.uid, at_once});
}

void Draft::LookAgainAfter(Duration delay) {
  const Duration bounded = std::max(delay, kSoonest);
  plan_.requeue_after = std::min(plan_.requeue_after.value_or(bounded), bounded);
}

void Draft::SetCondition(const std::string& type, bool is_true, std::string reason,
                         std::string message) {
  api::Set(status_.conditions,
           {type, is_true ? api::Condition::Status::kTrue : api::Condition::Status::kFalse,
            std::move(reason), OneLine(std::move(message)), Job().meta.generation,
            api::WholeSeconds(Now())});
}

bool Draft::Finished() const {
  return api::IsTrue(status_.conditions, api::condition_type::kComplete) ||
         api::IsTrue(status_.conditions, api::condition_type::kFailed);
}

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
