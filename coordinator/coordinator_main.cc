// evenkeel-coordinator: one job's coordinator in a cluster. Wiring only.
#include "coordinator/coordinator_main.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "coordinator/live/live_feed.h"
#include "coordinator/live/live_handler.h"
#include "coordinator/manifest_watch.h"
#include "coordinator/service/control_handler.h"
#include "coordinator/service/epoch_hmac.h"
#include "coordinator/service/health_handler.h"
#include "coordinator/service/https_identity_watch.h"
#include "coordinator/service/job_supervisor.h"
#include "coordinator/service/live_report.h"
#include "coordinator/service/options.h"
#include "coordinator/service/pages_handler.h"
#include "coordinator/service/plan_files.h"
#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/protocol/tls_cipher.h"
#include "core/protocol/tls_credentials.h"
#include "http/http_server.h"
#include "http/local_only.h"
#include "platform/signals.h"

namespace evenkeel::coordinator {
namespace {

/// Where Kubernetes reads why a container ended; absent outside of a cluster.
constexpr const char* kTerminationLog = "/dev/termination-log";

int Complain(const std::string& reason, SupervisorExit exit) {
  const std::string line = "evenkeel-coordinator: " + reason + "\n";
  std::fputs(line.c_str(), stderr);
  std::error_code error;
  if (std::filesystem::exists(kTerminationLog, error)) std::ofstream(kTerminationLog) << line;
  return static_cast<int>(exit);
}

int Complain(const Error& error) {
  const bool input = error.code == ErrorCode::kInvalidInput;
  return Complain(error.message, input ? SupervisorExit::kBadInput : SupervisorExit::kTrouble);
}

SupervisorConfig ConfigOf(const ServiceOptions& options, const ServicePlan& plan, Instant started) {
  SupervisorConfig config;
  config.version = plan.version;
  config.nodes = plan.nodes;
  config.folder = options.folder;
  config.inputs = options.inputs;
  if (!options.snapshot.empty()) config.snapshot = options.snapshot;
  if (!options.earlier.empty()) config.earlier = options.earlier;
  config.server.address = options.listen;
  config.server.tls = plan.tls;
  config.server.tls->files = std::make_shared<protocol::WatchedTlsFiles>(
      protocol::TlsPaths{options.tls_ca, options.tls_certificate, options.tls_key});
  config.server.client_name = plan.version->spec().name + "-worker";
  config.server.namespace_name = options.name_space;
  config.server.job = plan.version->spec().name;
  config.started = started;
  config.launcher_socket = options.launcher_socket;
  return config;
}

/// The endpoints of the process beside that of the workers.
class HttpEndpoints {
 public:
  static Result<std::unique_ptr<HttpEndpoints>> Open(const ServiceOptions& options,
                                                     const ServicePlan& plan,
                                                     http::HttpHandler& health,
                                                     http::HttpHandler& control,
                                                     http::HttpHandler& pages) {
    auto endpoints = std::make_unique<HttpEndpoints>();
    http::HttpServerOptions http;
    http.address = options.health_listen;
    auto opened = http::HttpServer::Start(http, health);
    if (!opened) return tl::unexpected(opened.error());
    endpoints->health_ = std::move(*opened);

    http.address = options.probe_listen;
    opened = http::HttpServer::Start(http, health);
    if (!opened) return tl::unexpected(opened.error());
    endpoints->probes_ = std::move(*opened);

    http.address = options.control_listen;
    http.https = http::HttpIdentity{plan.tls.certificate_pem, plan.tls.key_pem};
    http.threads = 3;  // one may be waiting for a job to stop
    opened = http::HttpServer::Start(http, control);
    if (!opened) return tl::unexpected(opened.error());
    endpoints->control_ = std::move(*opened);
    endpoints->identity_watch_.emplace(*endpoints->control_, options.tls_certificate,
                                       options.tls_key, *http.https);

    http.address = options.pages_listen;
    http.https.reset();
    http.threads = 2;
    http.max_connections_per_address = http.max_connections;  // all come from this host
    opened = http::HttpServer::Start(http, pages);
    if (!opened) return tl::unexpected(opened.error());
    endpoints->pages_ = std::move(*opened);
    return endpoints;
  }

  [[nodiscard]] std::string Ports() const {
    return "health on port " + std::to_string(health_->Port()) + ", probes on port " +
           std::to_string(probes_->Port()) + ", control on port " +
           std::to_string(control_->Port()) + ", pages on port " + std::to_string(pages_->Port());
  }

 private:
  std::unique_ptr<http::HttpServer> health_;
  std::unique_ptr<http::HttpServer> probes_;
  std::unique_ptr<http::HttpServer> control_;
  std::optional<HttpsIdentityWatch> identity_watch_;
  std::unique_ptr<http::HttpServer> pages_;
};

int Serve(const ServiceOptions& options, const workloads::Registry& registry, Instant started,
          const Clock& clock) {
  ManifestWatch watch(options.job_file,
                      [&options, &registry] { return ReadJobFile(options, registry); });
  const auto plan = ReadPlan(options, registry);
  if (!plan) return Complain(plan.error());
  // A failed write returns an error instead of ending the process.
  ::signal(SIGXFSZ, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
  platform::BlockedSignals signals({SIGTERM, SIGINT});  // before there is any other thread
  protocol::PreferFasterTlsCipher();                    // before any uses TLS
  LogInBackground();
  StatusBoard board;
  metrics::JobMetrics metrics(plan->version->spec().profile, options.name_space,
                              plan->version->spec().name);
  SupervisorConfig config = ConfigOf(options, *plan, started);
  config.source = &watch;
  ControlTokens tokens(options.control_token_file, plan->control_tokens, clock);
  const EpochHmac epochs([&tokens] { return tokens.Tokens(); });
  config.epochs = &epochs;
  LiveFeed feed(clock);
  JobSupervisor supervisor(std::move(config), board, metrics, feed, clock);
  LiveReport live(supervisor.snapshots(), options.folder, clock);
  HealthHandler health(board, metrics, options.folder);
  ControlHandler control(tokens, board, supervisor);
  LiveHandler live_page(feed, supervisor.snapshots(),
                        [&] { return LiveStateOf(plan->version->spec().name, *board.Read()); });
  PagesHandler pages(options.folder, board, metrics, live, live_page);
  http::LocalOnly local_pages(pages);
  const auto endpoints = HttpEndpoints::Open(options, *plan, health, control, local_pages);
  if (!endpoints) return Complain(endpoints.error());
  Log(LogLevel::kInfo, plan->version->spec().name + ": " + (*endpoints)->Ports());
  const platform::SignalThread signal_thread(signals, {[&](int) { supervisor.Stop(); }});
  const SupervisorEnd end = supervisor.Run();
  return end.exit == SupervisorExit::kStopped ? 0 : Complain(end.reason, end.exit);
}

}  // namespace

int CoordinatorMain(int argc, char** argv, const workloads::Registry& registry) {
  const SteadyClock clock;
  const Instant started = clock.Now();
  SetLogLevel(LogLevel::kInfo);
  const auto options = ParseServiceOptions(argc, argv);
  if (!options) return Complain(options.error());
  return *options ? Serve(**options, registry, started, clock) : 0;
}

}  // namespace evenkeel::coordinator
