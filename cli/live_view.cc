#include "cli/live_view.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "report/summary_json.h"

namespace evenkeel::cli {
namespace {

constexpr Duration kInterval = std::chrono::milliseconds(500);
constexpr std::string_view kReport = "/report.html";

}  // namespace

LiveView::LiveView(const std::string& job)
    : live_(feed_, snapshots_, [this] { return State(); }), state_{job, "Starting", "", false} {}

Result<std::unique_ptr<LiveView>> LiveView::Open(std::uint16_t port, const std::string& job) {
  std::unique_ptr<LiveView> view(new LiveView(job));
  http::HttpServerOptions options;
  options.address = "127.0.0.1:" + std::to_string(port);
  options.threads = 2;
  options.max_connections_per_address = options.max_connections;  // all come from this host
  auto server = http::HttpServer::Start(options, view->local_);
  if (!server) {
    return InvalidInput("--ui: " + server.error().message +
                        "; --ui alone takes a port that is free");
  }
  view->server_ = *std::move(server);
  return view;
}

std::string LiveView::Address() const {
  return "http://127.0.0.1:" + std::to_string(server_->Port()) + "/";
}

void LiveView::Begin(coordinator::OutcomeContext outcome, coordinator::WorkByNode earlier,
                     coordinator::JobRun& run, coordinator::RunObserver& next) {
  next_ = &next;
  snapshots_.Open({run.journal(), std::move(outcome), std::move(earlier),
                   [&run] { return run.TrafficSoFar(); }});
  const std::lock_guard lock(mutex_);
  state_.state = report::StateName(model::JobState::kRunning);
}

void LiveView::End() { snapshots_.Close(); }

void LiveView::Conclude(const std::filesystem::path& folder, const model::RunSummary& summary) {
  const std::lock_guard lock(mutex_);
  folder_ = folder;
  state_.state = report::StateName(summary.state);
  state_.reason = summary.reason;
  state_.over = true;
}

void LiveView::OnProgress(const engine::Progress& progress) {
  feed_.OnTick();
  snapshots_.SetProgress(progress);
  const Instant now = clock_.Now();
  if (now < next_due_) return;
  next_->OnProgress(progress);
  next_due_ = now + next_->ProgressInterval();
}

Duration LiveView::ProgressInterval() const {
  return std::min(kInterval, next_->ProgressInterval());
}

// The page reads the journal at its next request.
void LiveView::OnCountedUnseen(std::int64_t, Duration) { feed_.Forget(); }

void LiveView::OnNewVersion(const coordinator::SharedJobVersion& version) {
  snapshots_.SetVersion(version);
}

coordinator::LiveState LiveView::State() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

http::HttpResponse LiveView::Handle(const http::HttpRequest& request) {
  if (auto live = live_.Handle(request)) return *std::move(live);
  if (http::PathOf(request.target) != kReport) return http::NotFound();
  const std::lock_guard lock(mutex_);
  if (!state_.over) return http::PlainAnswer(503, "the run is not over yet");
  fetched_ = true;
  http::HttpResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.file = http::ServedFile::Open(folder_, kReport.substr(1));
  return response.file ? std::move(response) : http::NotFound();
}

}  // namespace evenkeel::cli
