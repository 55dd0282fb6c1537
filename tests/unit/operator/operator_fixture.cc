#include "tests/unit/operator/operator_fixture.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cluster/names.h"
#include "operator/resources.h"

namespace evenkeel::controller {
namespace {

using kube::Json;

Json Named(const std::string& api_version, const std::string& kind, const std::string& name) {
  return {{"apiVersion", api_version}, {"kind", kind}, {"metadata", {{"name", name}}}};
}

}  // namespace

void OperatorFixture::SetUp() {
  const kube::ServerAccess access{transport_, clock_, waiter_};
  client_ = std::make_unique<kube::Client>(transport_);
  kube::EventRecorderOptions recording;
  recording.reporter = {"evenkeel.dev/operator", "test"};
  events_ = std::make_unique<kube::EventRecorder>(access, wall_, recording);
  poller_ = std::make_unique<CoordinatorPoller>(coordinators_, clock_, PollLimits{},
                                                [](const kube::ObjectKey&) {});
  const auto on_job = [this](const kube::ObjectKey& job) {
    const std::scoped_lock lock(notified_mutex_);
    notified_.insert(job);
  };
  cache_ = std::make_unique<ClusterCache>(
      access, std::vector<std::string>{},
      CacheListener{on_job, [](const auto&) {}, [](const auto&) {}}, 1);
  executor_ = std::make_unique<ExecutorDependencies>(
      ExecutorDependencies{*client_, *cache_, wall_, clock_, keys_, {"evenkeel-system", {}}});
  plan::OperatorSettings settings;
  settings.image = "evenkeel/worker:test";
  reconciler_ = std::make_unique<JobReconciler>(
      JobReconciler::Parts{*cache_, *poller_, *events_, pacer_, history_, rates_, clock_,
                           *executor_, std::move(settings)});
  events_->Start();
  poller_->Start();
  cache_->Start();
  ASSERT_TRUE(cache_->WaitUntilSynced({}));
}

void OperatorFixture::TearDown() {
  cache_->Stop();
  poller_->Stop();
  events_->Stop();
}

void OperatorFixture::PutNode(const std::string& name, int megahertz) {
  Json node = Named("v1", "Node", name);
  node["metadata"]["labels"] = {{"kubernetes.io/os", "linux"},
                                {"kubernetes.io/arch", "arm64"},
                                {"hardware.evenkeel.dev/cpu-mhz", std::to_string(megahertz)}};
  node["status"] = {{"allocatable", {{"cpu", "4"}, {"memory", "2Gi"}, {"pods", "110"}}},
                    {"capacity", {{"cpu", "4"}, {"memory", "2Gi"}, {"pods", "110"}}},
                    {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})},
                    {"nodeInfo", {{"architecture", "arm64"}, {"operatingSystem", "linux"}}}};
  server_.Put(kNodesPath, node);
}

void OperatorFixture::PutJob(const std::string& name, Json spec) {
  Json job = Named("batch.evenkeel.dev/v1alpha1", "WeightedJob", name);
  job["metadata"]["namespace"] = "lab";
  job["spec"] = std::move(spec);
  server_.Put(kJobsPath, job);
}

std::vector<Json> OperatorFixture::PodsOf(const Json& job) const {
  std::vector<Json> pods = server_.All(kPodsPath);
  std::erase_if(pods, [&](const Json& pod) {
    const Json& owners = kube::MemberOf(pod["metadata"], "ownerReferences");
    return !owners.is_array() || owners[0]["uid"] != job["metadata"]["uid"];
  });
  return pods;
}

bool OperatorFixture::CacheHasOwnedObjects() const {
  const std::vector<std::pair<const kube::Resource*, std::string>> kinds = {
      {&resource::kConfigMaps, kConfigMapsPath},
      {&resource::kSecrets, kSecretsPath},
      {&resource::kServices, "/api/v1/services"},
      {&resource::kNetworkPolicies, "/apis/networking.k8s.io/v1/networkpolicies"}};
  for (const auto& [resource, path] : kinds) {
    const auto objects = server_.All(path);
    for (const Json& object : objects) {
      const Json& meta = object["metadata"];
      const Json& labels = kube::MemberOf(meta, "labels");
      const std::string label = cluster::label::kManagedBy;
      if (!labels.is_object() || labels.value(label, "") != cluster::kManager) continue;
      const auto seen = cache_->FindOwned(*resource, {meta["namespace"], meta["name"]});
      if (!seen || seen->resource_version != meta["resourceVersion"]) return false;
    }
  }
  return true;
}

void OperatorFixture::AwaitCache() {
  ASSERT_TRUE(kube::Eventually([this] {
    if (!CacheHasOwnedObjects()) return false;
    const auto jobs = server_.All(kJobsPath);
    const auto nodes = server_.All(kNodesPath);
    return std::all_of(jobs.begin(), jobs.end(), [&](const Json& job) {
      const auto& meta = job["metadata"];
      const auto seen = cache_->Job({meta["namespace"], meta["name"]});
      if (!seen || seen->meta.resource_version != meta["resourceVersion"]) return false;
      const auto view = cache_->Look(seen);
      const auto pods = PodsOf(job);
      // Pods that run have addresses.
      const auto running = std::count_if(view.pods.begin(), view.pods.end(),
                                         [](const auto& pod) { return !pod.ip.empty(); });
      if (running != std::count_if(pods.begin(), pods.end(), [](const Json& pod) {
            return pod.contains("/status/podIP"_json_pointer);
          })) {
        return false;
      }
      return view.nodes->size() == nodes.size() && view.pods.size() == pods.size();
    });
  }));
}

std::set<kube::ObjectKey> OperatorFixture::TakeNotifiedJobs() {
  const std::scoped_lock lock(notified_mutex_);
  return std::exchange(notified_, {});
}

void OperatorFixture::Settle(const std::string& job) {
  const auto state = [this] { return server_.ResourceVersion() + std::to_string(rates_.requests); };
  std::string before;
  do {
    AwaitCache();
    before = state();
    const Reconciliation end = reconciler_->Reconcile({"lab", job});
    ASSERT_FALSE(end.failed) << end.error;
  } while (state() != before);
}

void OperatorFixture::RunPods() {
  int host = 1;
  for (Json pod : server_.All(kPodsPath)) {
    const auto& annotations = pod["metadata"]["annotations"];
    const Json container = pod["spec"]["containers"][0]["name"];
    pod["spec"]["nodeName"] = annotations.value("evenkeel.dev/node", "pi4-a");
    pod["status"] = {
        {"phase", "Running"},
        {"podIP", "10.42.0." + std::to_string(host++)},
        {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})},
        {"containerStatuses",
         Json::array({{{"name", container}, {"state", {{"running", Json::object()}}}}})}};
    server_.Put(kPodsPath, pod);
  }
}

Json OperatorFixture::Status(const std::string& job) const {
  const auto found = server_.Find(kJobsPath, "lab", job);
  return found ? kube::MemberOf(*found, "status") : Json();
}

std::string OperatorFixture::Condition(const std::string& job, const std::string& type) const {
  const Json status = Status(job);
  if (!status.contains("conditions")) return {};
  for (const Json& one : status["conditions"]) {
    if (one["type"] == type) return kube::TextAt(one, "status") + " " + kube::TextAt(one, "reason");
  }
  return {};
}

std::vector<std::string> OperatorFixture::PodNames() const {
  std::vector<std::string> names;
  for (const Json& pod : server_.All(kPodsPath)) names.push_back(pod["metadata"]["name"]);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace evenkeel::controller
