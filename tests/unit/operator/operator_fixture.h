#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kubernetes/client.h"
#include "operator/job_reconciler.h"
#include "tests/unit/kubernetes/against_server.h"

namespace evenkeel::controller {

inline const std::string kJobsPath = "/apis/batch.evenkeel.dev/v1alpha1/weightedjobs";
inline const std::string kNodesPath = "/api/v1/nodes";
inline const std::string kPodsPath = "/api/v1/pods";
inline const std::string kSecretsPath = "/api/v1/secrets";
inline const std::string kConfigMapsPath = "/api/v1/configmaps";

/// Coordinators that say what they are told to.
class FakeCoordinators final : public CoordinatorLink {
 public:
  void Says(cluster::Progress progress) {
    const std::scoped_lock lock(mutex_);
    progress_ = std::move(progress);
  }
  Result<cluster::Progress> AskProgress(const CoordinatorAddress& to) override {
    const std::scoped_lock lock(mutex_);
    asked_.push_back(to);
    if (!progress_) return Fail(ErrorCode::kUnavailable, "not up yet");
    return *progress_;
  }
  Result<void> Suspend(const CoordinatorAddress&) override { return {}; }
  Result<void> Resume(const CoordinatorAddress&) override { return {}; }
  Result<std::string> TakeSnapshot(const CoordinatorAddress&) override { return "packed"; }

  [[nodiscard]] std::vector<CoordinatorAddress> Asked() const {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<cluster::Progress> progress_;
  std::vector<CoordinatorAddress> asked_;
};

/// A history that says what it is told to.
class FakeRates final : public RateHistory {
 public:
  [[nodiscard]] bool IsThere() const override { return answer.has_value(); }
  [[nodiscard]] plan::HistoryAnswer Ask(const std::string& profile) override {
    asked.push_back(profile);
    return answer.value_or(plan::HistoryAnswer{});
  }

  std::optional<plan::HistoryAnswer> answer;
  std::vector<std::string> asked;
};

/// The operator's inner parts against a fake API server; the test plays scheduler and kubelet, and
/// says when a job is looked at.
class OperatorFixture : public kube::AgainstServer {
 protected:
  void SetUp() override;
  void TearDown() override;

  void PutNode(const std::string& name, int megahertz);
  void PutJob(const std::string& name, kube::Json spec);
  /// Looks at the job until nothing is left to be done for it.
  void Settle(const std::string& job);
  /// All pods of the job run, with addresses.
  void RunPods();
  [[nodiscard]] kube::Json Status(const std::string& job) const;
  /// "True Running", "" if the condition was never set.
  [[nodiscard]] std::string Condition(const std::string& job, const std::string& type) const;
  [[nodiscard]] std::vector<std::string> PodNames() const;
  [[nodiscard]] std::size_t RunningPods() const;
  [[nodiscard]] std::size_t OwnedPods() const;
  /// The cache shows all that the server holds.
  void AwaitCache();

  FakeCoordinators coordinators_;
  kube::SystemWallClock wall_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<ExecutorDependencies> tools_;
  std::unique_ptr<kube::EventRecorder> events_;
  std::unique_ptr<ProgressPoller> poller_;
  std::unique_ptr<ClusterCache> cache_;
  JobHistory history_;
  FakeRates rates_;
  StatusPacer pacer_{std::chrono::milliseconds(1), 1000};
  std::unique_ptr<JobReconciler> reconciler_;
};

}  // namespace evenkeel::controller
