#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "coordinator/live/live_handler.h"
#include "coordinator/service/live_report.h"
#include "coordinator/service/status_board.h"
#include "core/metrics/job_metrics.h"
#include "http/http_message.h"
#include "workloads/stored_outputs.h"

namespace evenkeel::coordinator {

/// /summary.json, /timeline.jsonl, /report.html, /metrics.prom, /results/ and /results/FILE: what a
/// run leaves in its folder, or, while it runs, as it stands; /files/, /files/INDEX and
/// /files/INDEX/PATH: the output files of tasks; and the live page. Reached from this host only, so
/// there is no token. Thread-safe.
class PagesHandler final : public http::HttpHandler {
 public:
  /// All must outlive this.
  PagesHandler(std::filesystem::path folder, const StatusBoard& board, metrics::JobMetrics& metrics,
               LiveReport& live, LiveHandler& live_page)
      : folder_(std::move(folder)),
        outputs_(folder_),
        board_(board),
        metrics_(metrics),
        live_(live),
        live_page_(live_page) {}

  [[nodiscard]] http::HttpResponse Handle(const http::HttpRequest& request) override;

 private:
  [[nodiscard]] http::HttpResponse Page(const std::string& path);
  [[nodiscard]] http::HttpResponse Live(const std::string& name);
  [[nodiscard]] http::HttpResponse ResultFile(const std::string& name) const;
  /// `target` begins with /files/. Paths in it are percent-encoded, and may be any bytes.
  [[nodiscard]] http::HttpResponse OutputFiles(std::string_view target) const;
  /// Nothing to show yet, or a file that a stopped run has left.
  [[nodiscard]] http::HttpResponse FromFolder(const std::string& name) const;

  const std::filesystem::path folder_;
  const workloads::StoredOutputs outputs_;
  const StatusBoard& board_;
  metrics::JobMetrics& metrics_;
  LiveReport& live_;
  LiveHandler& live_page_;
};

}  // namespace evenkeel::coordinator
