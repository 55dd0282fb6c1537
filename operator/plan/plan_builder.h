#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cluster/node.h"
#include "cluster/pod.h"
#include "operator/plan/plan.h"
#include "operator/plan/snapshot.h"

namespace evenkeel::plan {

/// A plan in the making: what the steps of MakePlan() read and add to. The snapshot must outlive
/// it.
class PlanBuilder {
 public:
  explicit PlanBuilder(const Snapshot& snapshot);

  [[nodiscard]] const Snapshot& snapshot() const { return *snapshot_; }
  [[nodiscard]] const cluster::WeightedJob& Job() const { return snapshot_->job; }
  [[nodiscard]] platform::Timestamp Now() const { return snapshot_->now; }
  [[nodiscard]] bool HasClaim() const { return !snapshot_->job.result_claim.empty(); }

  /// Of coordinator and workers, should the job start now.
  [[nodiscard]] const std::string& Image() const {
    return Job().worker_image.empty() ? snapshot().settings.image : Job().worker_image;
  }

  /// The node of that name; nullptr if there is none (any more).
  [[nodiscard]] const cluster::NodeView* Node(const std::string& name) const;
  /// The coordinator pod of the highest attempt; nullptr if there is none.
  [[nodiscard]] const cluster::PodView* Coordinator() const { return coordinator_; }
  [[nodiscard]] const std::vector<const cluster::PodView*>& OlderCoordinators() const {
    return older_coordinators_;
  }
  [[nodiscard]] const std::vector<const cluster::PodView*>& Workers() const { return workers_; }
  /// All of these pods: workers first, the latest coordinator last.
  [[nodiscard]] std::vector<const cluster::PodView*> Pods() const;
  /// The last report of the latest coordinator; nullptr if there is none.
  [[nodiscard]] const cluster::Progress* Report() const;
  /// The same if it is not older than `age`.
  [[nodiscard]] const cluster::Progress* FreshReport(Duration age) const;

  /// The latest coordinator can be talked to. A busy board may miss probes and still answer.
  [[nodiscard]] bool CoordinatorAnswers() const;

  template <typename OneAction>
  void AddAction(OneAction action) {
    plan_.actions.emplace_back(std::in_place_type<OneAction>, std::move(action));
  }
  void SetObjects(DesiredObjects objects) { plan_.objects = std::move(objects); }
  /// Sets the desired state of the coordinator in that pod, and what it is to know of the workers'
  /// pods; the last call counts.
  void SetDesiredCoordinator(DesiredCoordinator desired);
  void Delete(const cluster::PodView& pod, bool at_once = false);
  void AddEvent(Event event) { plan_.events.push_back(std::move(event)); }
  /// Look again after this time, or earlier if something else asks for it.
  void RequeueAfter(Duration delay);
  /// Look again at that time.
  void RequeueAt(platform::Timestamp time) { RequeueAfter(time - Now()); }

  /// The status as it is going to be.
  [[nodiscard]] cluster::JobStatus& Status() { return status_; }
  [[nodiscard]] const cluster::JobStatus& Status() const { return status_; }
  void SetCondition(const std::string& type, bool is_true, std::string reason, std::string message);
  /// Complete or Failed is True.
  [[nodiscard]] bool Finished() const;

  [[nodiscard]] Plan& Result() { return plan_; }

 private:
  const Snapshot* snapshot_;
  const cluster::PodView* coordinator_ = nullptr;
  std::vector<const cluster::PodView*> older_coordinators_;
  std::vector<const cluster::PodView*> workers_;
  cluster::JobStatus status_;
  Plan plan_;
};

/// A text with at most that many bytes, in one line.
[[nodiscard]] std::string OneLine(std::string text, std::size_t max_bytes = 1000);

/// Values of Condition::reason that later decisions go by.
namespace reason {
inline const std::string kSuspending = "Suspending";
inline const std::string kSnapshotTooLarge = "SnapshotTooLarge";
inline const std::string kNoHistory = "NoHistory";
inline const std::string kCircularDependency = "CircularDependency";
}  // namespace reason

}  // namespace evenkeel::plan
