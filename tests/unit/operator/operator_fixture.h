#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "kubernetes/client.h"
#include "operator/job_reconciler.h"
#include "tests/support/api_under_test.h"
#include "tests/unit/kubernetes/against_server.h"
#include "tests/unit/operator/refusing_transport.h"

namespace evenkeel::controller {

inline const std::string kJobsPath = "/apis/batch.evenkeel.dev/v1alpha1/weightedjobs";
inline const std::string kNodesPath = "/api/v1/nodes";
inline const std::string kPodsPath = "/api/v1/pods";
inline const std::string kSecretsPath = "/api/v1/secrets";
inline const std::string kConfigMapsPath = "/api/v1/configmaps";

/// Coordinators that return prepared answers, synchronously.
class FakeCoordinators final : public CoordinatorLink {
 public:
  /// Sets the body of GET /progress; omitted fields are unknown.
  void Answer(const kube::Json& progress) {
    const std::scoped_lock lock(mutex_);
    progress_ = progress.dump();
  }
  void Send(const CoordinatorAddress& to, const ControlCall& call, OnReply on_reply) override {
    std::unique_lock lock(mutex_);
    addresses_.push_back(to);
    calls_.push_back(call.method + " " + call.path);
    if (call.path == "/container-ends") container_ends_ = call.body;
    Result<ControlReply> reply = ControlReply{200, "packed"};
    if (call.path == "/progress") reply->body = progress_;
    if (call.method == "PUT") reply->status = 202;
    if (progress_.empty()) reply = Fail(ErrorCode::kUnavailable, "not up yet");
    lock.unlock();
    on_reply(std::move(reply));
  }
  void Stop() override {}

  [[nodiscard]] std::vector<CoordinatorAddress> Addresses() const {
    const std::scoped_lock lock(mutex_);
    return addresses_;
  }
  /// The last report of kills of containers; empty before the first one.
  [[nodiscard]] std::string ContainerEnds() const {
    const std::scoped_lock lock(mutex_);
    return container_ends_;
  }
  [[nodiscard]] std::vector<std::string> Calls() const {
    const std::scoped_lock lock(mutex_);
    return calls_;
  }

 private:
  mutable std::mutex mutex_;
  std::string progress_;
  std::string container_ends_;
  std::vector<CoordinatorAddress> addresses_;
  std::vector<std::string> calls_;
};

/// A history with a prepared answer.
class FakeRates final : public RateHistory {
 public:
  [[nodiscard]] bool IsThere() const override { return answer.has_value(); }
  [[nodiscard]] std::optional<plan::HistoryAnswer> Find(const ProfileKey& key) const override {
    return requested.contains(key) ? answer : std::nullopt;
  }
  void Request(const ProfileKey& key, const kube::ObjectKey&) override {
    requested.insert(key);
    ++requests;
  }

  std::optional<plan::HistoryAnswer> answer;
  std::set<ProfileKey> requested;
  int requests = 0;
};

/// The inner parts of the operator with an API server: in memory, or the real one of
/// tests/apiserver. The test acts as scheduler and kubelet, and triggers each reconciliation.
class OperatorFixture : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  void PutNode(const std::string& name, int megahertz);
  void PutJob(const std::string& name, kube::Json spec);
  /// Reconciles the job until its plan has no more actions.
  void Settle(const std::string& job);
  /// All pods of the job run, with addresses.
  void RunPods();
  [[nodiscard]] kube::Json Status(const std::string& job) const;
  /// "True Running", "" if the condition was never set.
  [[nodiscard]] std::string Condition(const std::string& job, const std::string& type) const;
  [[nodiscard]] std::vector<std::string> PodNames() const;
  /// The pods that the job owns, as the server has them.
  [[nodiscard]] std::vector<kube::Json> PodsOf(const kube::Json& job) const;
  /// The cache shows all that the server holds.
  void AwaitCache();
  /// The same of objects that the operator creates beside pods.
  [[nodiscard]] bool CacheHasOwnedObjects() const;
  /// The jobs that the cache has named as changed or concerned since the last call.
  [[nodiscard]] std::set<kube::ObjectKey> TakeNotifiedJobs();

  support::ApiUnderTest api_;
  support::TestApi& server_ = api_.objects();
  RefusingTransport transport_{api_.transport()};
  SteadyClock clock_;
  kube::SteadyWaiter waiter_;
  FakeCoordinators coordinators_;
  kube::SystemWallClock wall_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<kube::EventRecorder> events_;
  std::unique_ptr<CoordinatorPoller> poller_;
  std::unique_ptr<ClusterCache> cache_;
  identity::KeyRing keys_{
      identity::OperatorKeys{{"the operator's key", identity::KeyId("the operator's key")}, {}}};
  std::unique_ptr<ExecutorDependencies> executor_;
  JobHistory history_{clock_, {}};
  FakeRates rates_;
  StatusPacer pacer_{std::chrono::milliseconds(1), 1000};
  std::unique_ptr<JobReconciler> reconciler_;

 private:
  std::mutex notified_mutex_;
  std::set<kube::ObjectKey> notified_;  // guarded by notified_mutex_
};

}  // namespace evenkeel::controller
