#include "operator/process.h"

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "http/http_server.h"
#include "kubernetes/config.h"
#include "kubernetes/cpprest_transport.h"
#include "kubernetes/leader_election.h"
#include "operator/controller.h"
#include "operator/coordinator_link.h"
#include "operator/health.h"
#include "operator/http_coordinator_link.h"
#include "operator/plan/weighting.h"
#include "operator/policy_reconciler.h"

namespace evenkeel::controller {
namespace {

// Less than five a second, whichever second one looks at.
constexpr Duration kStatusInterval = std::chrono::milliseconds(210);
constexpr int kStatusBurst = 1;
/// People who have mended something watch whether it helps.
constexpr Duration kLongestBackoff = std::chrono::seconds(60);
constexpr Duration kDrainPatience = std::chrono::seconds(10);
// Longer than any request with all its retries takes.
constexpr Duration kStuck = std::chrono::minutes(10);
const std::string kReportingController = "evenkeel.dev/operator";

std::string HostName() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "evenkeel-operator";
  return name;
}

std::uint64_t DrawSeed() {
  std::random_device source;
  return (static_cast<std::uint64_t>(source()) << 32) | source();
}

Result<kube::ClusterConfig> LoadConfig(const OperatorOptions& options) {
  if (options.kubeconfig.empty()) return kube::LoadInClusterConfig(kube::ReadPodSurroundings());
  kube::KubeconfigOptions how;
  how.context = options.context;
  return kube::LoadKubeconfig(options.kubeconfig, how);
}

/// Dependencies of the other parts; created before and destroyed after them.
struct ProcessDependencies {
  OperatorOptions options;
  std::function<void()> on_lost_lead;
  std::shared_ptr<kube::TokenSource> tokens;
  std::unique_ptr<kube::Transport> wire;
  std::string host;
  SteadyClock clock;
  std::unique_ptr<identity::KeyRing> keys;
  std::unique_ptr<HistorySource> rates;
  /// Set once there is a queue, before `rates` is started.
  std::function<void(const kube::ObjectKey&)> on_history;
  kube::SystemWallClock wall;
  kube::SteadyWaiter waiter;
  std::uint64_t seed = DrawSeed();
  std::unique_ptr<OperatorMetrics> metrics = OperatorMetrics::Make();
};

class RunningOperator final : public OperatorProcess {
 public:
  explicit RunningOperator(std::unique_ptr<ProcessDependencies> dependencies)
      : dependencies_(std::move(dependencies)) {
    dependencies_->on_history = [this](const kube::ObjectKey& job) { queue_.Add(job); };
  }
  ~RunningOperator() override { Stop(); }

  Result<void> Start() override {
    const http::HttpServerOptions serving{options_.listen, {}, 1};
    auto server = http::HttpServer::Start(serving, health_);
    if (!server) return tl::unexpected<Error>(server.error());
    server_ = std::move(*server);
    if (!options_.probe_listen.empty()) {
      auto probes = http::HttpServer::Start({options_.probe_listen, {}, 1}, probe_health_);
      if (!probes) return tl::unexpected<Error>(probes.error());
      probe_server_ = std::move(*probes);
    }
    events_.Start();
    cache_.Start();
    poller_.Start();
    dependencies_->rates->Start();
    if (options_.leader_elect) {
      election_.Start();
    } else {
      Lead();
    }
    return {};
  }

  void Stop() override {
    if (std::exchange(stopped_, true)) return;
    std::jthread starter;
    {
      const std::scoped_lock lock(lead_mutex_);
      stopping_ = true;
      starter = std::move(starter_);
    }
    if (starter.joinable()) {
      starter.request_stop();
      starter.join();
    }
    controller_.Stop(kDrainPatience);
    poller_.Stop();
    dependencies_->rates->Stop();
    events_.Stop();
    if (options_.leader_elect) election_.Stop();
    cache_.Stop();
    probe_server_.reset();
    server_.reset();
  }

 private:
  // Acting on half of the picture would replace what is merely not seen yet: on a thread of its
  // own, so that the lease is renewed while the rest is awaited.
  void Lead() {
    const std::scoped_lock lock(lead_mutex_);
    if (stopping_) return;
    leads_ = true;
    Log(LogLevel::kInfo, "this replica leads");
    dependencies_->metrics->SetLeader(true);
    starter_ = std::jthread([this](const std::stop_token& stop) {
      if (!cache_.WaitUntilSynced(stop)) return;
      const auto jobs = cache_.Jobs();
      Log(LogLevel::kInfo, "looking after " + std::to_string(jobs.size()) + " jobs");
      for (const auto& job : jobs) queue_.Add(job);
      for (const auto& policy : cache_.Policies()) queue_.Add(policy);
      controller_.Start(options_.concurrency);
    });
  }
  void LoseLead() {
    const std::scoped_lock lock(lead_mutex_);
    leads_ = false;
    if (stopping_) return;
    dependencies_->metrics->SetLeader(false);
    queue_.Drop();
    dependencies_->on_lost_lead();
  }
  [[nodiscard]] bool MayAct() const {
    return leads_ && (!options_.leader_elect || election_.HoldsLease());
  }
  [[nodiscard]] kube::ServerAccess Access() {
    return {transport_, dependencies_->clock, dependencies_->waiter, dependencies_->tokens.get()};
  }
  [[nodiscard]] kube::ClientOptions ClientSettings() {
    kube::ClientOptions settings;
    settings.waiter = &dependencies_->waiter;
    settings.tokens = dependencies_->tokens.get();
    return settings;
  }
  [[nodiscard]] kube::RateLimitOptions RateLimitSettings() {
    kube::RateLimitOptions settings;
    settings.host = dependencies_->host;
    settings.requests_per_second = options_.requests_per_second;
    settings.burst = options_.request_burst;
    settings.observer = [this](const auto& outcome) { dependencies_->metrics->OnRequest(outcome); };
    return settings;
  }
  [[nodiscard]] kube::EventRecorderOptions RecorderSettings() {
    kube::EventRecorderOptions settings;
    settings.reporter = {kReportingController, options_.identity};
    return settings;
  }
  [[nodiscard]] kube::ElectionOptions ElectionSettings() {
    return {options_.identity, options_.lease_duration, options_.renew_deadline,
            options_.retry_period};
  }
  [[nodiscard]] plan::OperatorSettings PlanSettings() {
    plan::OperatorSettings settings;
    settings.image = options_.image;
    settings.secret_propagation = options_.secret_propagation;
    settings.started = platform::Timestamp(dependencies_->wall.Now().time_since_epoch());
    return settings;
  }

  [[nodiscard]] OperatorFigures Figures() {
    OperatorFigures figures;
    figures.queue = queue_.Figures();
    figures.history = history_.Show();
    figures.process = ReadProcessFigures();
    figures.began = began_;
    if (!leads_) return figures;  // the others would only repeat what the leader says
    figures.jobs = cache_.JobsByState();
    for (const auto& [name, node] : *cache_.Nodes()) {
      if (const auto watts = plan::NodePower(*node)) figures.node_watts[name] = *watts;
    }
    return figures;
  }

  std::unique_ptr<ProcessDependencies> dependencies_;
  OperatorOptions& options_ = dependencies_->options;
  std::atomic<bool> leads_{false};
  bool stopped_ = false;
  const double began_ = ToSeconds(dependencies_->wall.Now().time_since_epoch());
  kube::RateLimitedTransport transport_{*dependencies_->wire, dependencies_->clock,
                                        dependencies_->waiter, RateLimitSettings()};
  kube::Client client_{transport_, ClientSettings()};
  kube::WorkQueue queue_{
      dependencies_->clock, {.longest_backoff = kLongestBackoff}, dependencies_->metrics.get()};
  HttpCoordinatorLink link_;
  CoordinatorPoller poller_{
      link_, dependencies_->clock, {}, [this](const kube::ObjectKey& job) { queue_.Add(job); }};
  kube::EventRecorder events_{Access(), dependencies_->wall, RecorderSettings()};
  ClusterCache cache_{Access(),
                      options_.namespaces,
                      {[this](const kube::ObjectKey& job) { queue_.Add(job); },
                       [this](const kube::ObjectKey& job) {
                         queue_.Add(job);
                         poller_.Hurry(job);
                       },
                       [this](const kube::ObjectKey& policy) { queue_.Add(policy); }},
                      dependencies_->seed};
  JobHistory history_{dependencies_->clock, {.scrape_interval = options_.scrape_interval}};
  StatusPacer pacer_{kStatusInterval, kStatusBurst};
  ExecutorDependencies executor_{client_,
                                 cache_,
                                 dependencies_->wall,
                                 dependencies_->clock,
                                 *dependencies_->keys,
                                 {options_.own_namespace, options_.metrics_namespaces,
                                  options_.metrics_annotations, options_.dns}};
  JobReconciler reconciler_{{cache_, poller_, events_, pacer_, history_,
                             dependencies_->rates->History(), dependencies_->clock, executor_,
                             PlanSettings()}};
  PolicyReconciler policy_reconciler_{
      {cache_, client_, pacer_, dependencies_->wall, dependencies_->clock}};
  Controller controller_{queue_,
                         {reconciler_, policy_reconciler_},
                         *dependencies_->metrics,
                         dependencies_->clock,
                         [this] { return MayAct(); }};
  HealthHandler probe_health_{{[this] { return queue_.Figures().longest_running < kStuck; },
                               [this] { return cache_.HasSynced(); },
                               {}}};
  HealthHandler health_{{[this] { return queue_.Figures().longest_running < kStuck; },
                         [this] { return cache_.HasSynced(); },
                         [this] { return dependencies_->metrics->Text(Figures()); }}};
  kube::LeaderElection election_{Access(),
                                 dependencies_->wall,
                                 {options_.own_namespace, options_.lease_name},
                                 ElectionSettings(),
                                 {[this] { Lead(); }, [this] { LoseLead(); }, {}},
                                 dependencies_->seed};
  std::unique_ptr<http::HttpServer> server_;
  std::unique_ptr<http::HttpServer> probe_server_;
  std::mutex lead_mutex_;
  bool stopping_ = false;  // guarded by lead_mutex_, as starter_
  std::jthread starter_;
};

}  // namespace

Result<std::unique_ptr<OperatorProcess>> OperatorProcess::Make(const OperatorOptions& options,
                                                               std::function<void()> on_lost_lead) {
  auto dependencies = std::make_unique<ProcessDependencies>();
  dependencies->options = options;
  dependencies->on_lost_lead = std::move(on_lost_lead);
  auto keys =
      identity::KeyRing::Load(options.key_file, options.previous_key_file, dependencies->clock);
  if (!keys) return tl::unexpected<Error>(keys.error());
  dependencies->keys = std::move(*keys);
  auto config = LoadConfig(options);
  if (!config) return tl::unexpected<Error>(config.error());
  OperatorOptions& known = dependencies->options;
  if (known.identity.empty()) known.identity = HostName();
  if (known.own_namespace.empty()) known.own_namespace = config->namespace_name;
  if (known.own_namespace.empty()) known.own_namespace = "default";
  const auto election = kube::CheckElectionOptions(
      {known.identity, known.lease_duration, known.renew_deadline, known.retry_period});
  if (!election) return tl::unexpected<Error>(election.error());
  auto rates = HistorySource::Make(known.history, dependencies->clock,
                                   [from = dependencies.get()](const kube::ObjectKey& job) {
                                     if (from->on_history) from->on_history(job);
                                   });
  if (!rates) return tl::unexpected<Error>(rates.error());
  dependencies->rates = std::move(*rates);
  dependencies->tokens = kube::MakeTokenSource(*config, dependencies->clock);
  kube::CpprestOptions http;
  http.server = config->server;
  http.tls = config->tls;
  http.tokens = dependencies->tokens;
  http.user_agent = "evenkeel-operator";
  auto wire = kube::MakeCpprestTransport(std::move(http));
  if (!wire) return tl::unexpected<Error>(wire.error());
  dependencies->wire = std::move(*wire);
  if (const auto address = kube::ParseServerAddress(config->server)) {
    dependencies->host = address->HostAndPort();
  }
  return std::make_unique<RunningOperator>(std::move(dependencies));
}

}  // namespace evenkeel::controller
