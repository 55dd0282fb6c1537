#include "operator/process.h"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
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
#include "operator/plan/weighting.h"

namespace evenkeel::operating {
namespace {

constexpr int kPollThreads = 16;
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

Result<std::string> ReadKey(const std::string& path) {
  constexpr std::size_t kShortest = 16;
  std::ifstream file(path, std::ios::binary);
  std::string key{std::istreambuf_iterator<char>(file), {}};
  if (!file) return InvalidInput("--key-file: " + path + " cannot be read");
  if (key.size() < kShortest) {
    return InvalidInput("--key-file: " + path + " has less than 16 bytes");
  }
  return key;
}

Result<kube::ClusterConfig> LoadConfig(const OperatorOptions& options) {
  if (options.kubeconfig.empty()) return kube::LoadInClusterConfig(kube::ReadPodSurroundings());
  kube::KubeconfigOptions how;
  how.context = options.context;
  return kube::LoadKubeconfig(options.kubeconfig, how);
}

/// What the parts stand on; made before them, gone after them.
struct Ground {
  OperatorOptions options;
  std::function<void()> on_lost_lead;
  std::string operator_key;
  std::shared_ptr<kube::TokenSource> tokens;
  std::unique_ptr<kube::Transport> wire;
  std::string host;
  SteadyClock clock;
  std::unique_ptr<HistorySource> rates;
  kube::SystemWallClock wall;
  kube::SteadyWaiter waiter;
  std::uint64_t seed = DrawSeed();
  std::unique_ptr<OperatorMetrics> metrics = OperatorMetrics::Make();
};

class Running final : public OperatorProcess {
 public:
  explicit Running(std::unique_ptr<Ground> ground) : ground_(std::move(ground)) {}
  ~Running() override { Stop(); }

  Result<void> Start() override {
    const http::HttpServerOptions serving{options_.listen, {}, 1};
    auto server = http::HttpServer::Start(serving, health_);
    if (!server) return tl::unexpected<Error>(server.error());
    server_ = std::move(*server);
    events_.Start();
    cache_.Start();
    poller_.Start(kPollThreads);
    ground_->rates->Start();
    if (options_.leader_elect) {
      election_.Start();
    } else {
      Lead();
    }
    return {};
  }

  void Stop() override {
    if (std::exchange(stopped_, true)) return;
    starter_ = {};  // stops it and waits
    controller_.Stop(kDrainPatience);
    poller_.Stop();
    ground_->rates->Stop();
    events_.Stop();
    if (options_.leader_elect) election_.Stop();
    cache_.Stop();
    server_.reset();
  }

 private:
  // Acting on half of the picture would replace what is merely not seen yet: on a thread of its
  // own, so that the lease is renewed while the rest is awaited.
  void Lead() {
    leads_ = true;
    Log(LogLevel::kInfo, "this replica leads");
    ground_->metrics->SetLeader(true);
    starter_ = std::jthread([this](const std::stop_token& stop) {
      if (!cache_.WaitUntilSynced(stop)) return;
      const auto jobs = cache_.Jobs();
      Log(LogLevel::kInfo, "looking after " + std::to_string(jobs.size()) + " jobs");
      for (const auto& job : jobs) queue_.Add(job);
      controller_.Start(options_.concurrency);
    });
  }
  void LoseLead() {
    leads_ = false;
    ground_->metrics->SetLeader(false);
    queue_.Drop();
    ground_->on_lost_lead();
  }
  [[nodiscard]] bool MayAct() const {
    return leads_ && (!options_.leader_elect || election_.HoldsLease());
  }
  [[nodiscard]] kube::ServerAccess Access() {
    return {transport_, ground_->clock, ground_->waiter, ground_->tokens.get()};
  }
  [[nodiscard]] kube::ClientOptions ClientSettings() {
    kube::ClientOptions settings;
    settings.waiter = &ground_->waiter;
    settings.tokens = ground_->tokens.get();
    return settings;
  }
  [[nodiscard]] kube::GovernorOptions GovernorSettings() {
    kube::GovernorOptions settings;
    settings.host = ground_->host;
    settings.requests_per_second = options_.requests_per_second;
    settings.burst = options_.request_burst;
    settings.observer = [this](const auto& outcome) { ground_->metrics->OnRequest(outcome); };
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

  std::unique_ptr<Ground> ground_;
  OperatorOptions& options_ = ground_->options;
  std::atomic<bool> leads_{false};
  bool stopped_ = false;
  const double began_ = ToSeconds(ground_->wall.Now().time_since_epoch());
  kube::GovernedTransport transport_{*ground_->wire, ground_->clock, ground_->waiter,
                                     GovernorSettings()};
  kube::Client client_{transport_, ClientSettings()};
  kube::WorkQueue queue_{
      ground_->clock, {.longest_backoff = kLongestBackoff}, ground_->metrics.get()};
  HttpsCoordinatorLink link_;
  ProgressPoller poller_{
      link_, ground_->clock, {}, [this](const kube::ObjectKey& job) { queue_.Add(job); }};
  kube::EventRecorder events_{Access(), ground_->wall, RecorderSettings()};
  ClusterCache cache_{Access(),
                      options_.namespaces,
                      {[this](const kube::ObjectKey& job) { queue_.Add(job); },
                       [this](const kube::ObjectKey& job) {
                         queue_.Add(job);
                         poller_.Hurry(job);
                       }},
                      ground_->seed};
  JobHistory history_;
  StatusPacer pacer_{kStatusInterval, kStatusBurst};
  ErrandTools tools_{
      client_,
      link_,
      ground_->wall,
      ground_->operator_key,
      {options_.own_namespace, options_.metrics_namespaces, options_.metrics_annotations}};
  JobReconciler reconciler_{{cache_, poller_, events_, pacer_, history_, ground_->rates->History(),
                             ground_->clock, tools_, PlanSettings()}};
  Controller controller_{queue_, reconciler_, *ground_->metrics, ground_->clock,
                         [this] { return MayAct(); }};
  HealthHandler health_{{[this] { return queue_.Figures().longest_running < kStuck; },
                         [this] { return cache_.HasSynced(); },
                         [this] { return ground_->metrics->Text(Figures()); }}};
  kube::LeaderElection election_{Access(),
                                 ground_->wall,
                                 {options_.own_namespace, options_.lease_name},
                                 ElectionSettings(),
                                 {[this] { Lead(); }, [this] { LoseLead(); }, {}},
                                 ground_->seed};
  std::unique_ptr<http::HttpServer> server_;
  std::jthread starter_;
};

}  // namespace

Result<std::unique_ptr<OperatorProcess>> OperatorProcess::Make(const OperatorOptions& options,
                                                               std::function<void()> on_lost_lead) {
  auto ground = std::make_unique<Ground>();
  ground->options = options;
  ground->on_lost_lead = std::move(on_lost_lead);
  auto key = ReadKey(options.key_file);
  if (!key) return tl::unexpected<Error>(key.error());
  ground->operator_key = std::move(*key);
  auto config = LoadConfig(options);
  if (!config) return tl::unexpected<Error>(config.error());
  OperatorOptions& known = ground->options;
  if (known.identity.empty()) known.identity = HostName();
  if (known.own_namespace.empty()) known.own_namespace = config->name_space;
  if (known.own_namespace.empty()) known.own_namespace = "default";
  const auto election = kube::CheckElectionOptions(
      {known.identity, known.lease_duration, known.renew_deadline, known.retry_period});
  if (!election) return tl::unexpected<Error>(election.error());
  auto rates = HistorySource::Make(known.history, ground->clock);
  if (!rates) return tl::unexpected<Error>(rates.error());
  ground->rates = std::move(*rates);
  ground->tokens = kube::MakeTokenSource(*config, ground->clock);
  kube::CpprestOptions http;
  http.server = config->server;
  http.tls = config->tls;
  http.tokens = ground->tokens;
  http.user_agent = "evenkeel-operator";
  auto wire = kube::MakeCpprestTransport(std::move(http));
  if (!wire) return tl::unexpected<Error>(wire.error());
  ground->wire = std::move(*wire);
  if (const auto address = kube::ParseServerAddress(config->server)) {
    ground->host = address->HostAndPort();
  }
  return std::make_unique<Running>(std::move(ground));
}

}  // namespace evenkeel::operating
