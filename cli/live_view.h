#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "coordinator/job_run.h"
#include "coordinator/live/live_feed.h"
#include "coordinator/live/live_handler.h"
#include "coordinator/run_snapshots.h"
#include "core/base/clock.h"
#include "http/http_server.h"
#include "http/local_only.h"

namespace evenkeel::cli {

/// The live page of a run on this machine: serves it on 127.0.0.1 and observes the run. Also passes
/// progress on to the terminal. Thread-safe where not said otherwise.
class LiveView final : public coordinator::RunObserver, private http::HttpHandler {
 public:
  /// Listens on `port`, 0: any that is free. kInvalidInput if it cannot be had.
  [[nodiscard]] static Result<std::unique_ptr<LiveView>> Open(std::uint16_t port,
                                                              const std::string& job);

  /// Where a browser finds it.
  [[nodiscard]] std::string Address() const;

  /// From here to End there is a run to show. `run` lives until then; `next` gets the run's
  /// progress.
  void Begin(coordinator::OutcomeContext outcome, coordinator::WorkByNode earlier,
             coordinator::JobRun& run, coordinator::RunObserver& next);
  /// The run is over, its folder is not written yet.
  void End();
  /// The folder has the report of the end.
  void Conclude(const std::filesystem::path& folder, const model::RunSummary& summary);

  /// Whether a page that is open has not had the report yet.
  [[nodiscard]] bool ReportIsAwaited() const { return feed_.Watched() && !fetched_; }

  // On the run's observer thread.
  void OnProgress(const engine::Progress& progress) override;
  [[nodiscard]] Duration ProgressInterval() const override;
  void OnCounted(const model::ResultRecord& record) override { feed_.OnCounted(record); }
  void OnEvent(const model::TimelineEvent& event) override { feed_.OnEvent(event); }
  void OnCountedUnseen(std::int64_t tasks, Duration busy) override;
  void OnNewVersion(const coordinator::SharedJobVersion& version) override;

 private:
  explicit LiveView(const std::string& job);
  [[nodiscard]] http::HttpResponse Handle(const http::HttpRequest& request) override;
  [[nodiscard]] coordinator::LiveState State() const;

  const SteadyClock clock_;
  coordinator::LiveFeed feed_{clock_};
  coordinator::RunSnapshots snapshots_;
  coordinator::LiveHandler live_;
  http::LocalOnly local_{*this};

  coordinator::RunObserver* next_ = nullptr;  // used by the observer thread only
  Instant next_due_{};

  mutable std::mutex mutex_;  // guards what follows
  coordinator::LiveState state_;
  std::filesystem::path folder_;

  std::atomic<bool> fetched_{false};
  std::unique_ptr<http::HttpServer> server_;  // last: gone before what it calls
};

}  // namespace evenkeel::cli
