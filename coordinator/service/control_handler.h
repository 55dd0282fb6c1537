#pragma once

#include <string>
#include <string_view>

#include "coordinator/service/control_tokens.h"
#include "coordinator/service/job_control.h"
#include "coordinator/service/status_board.h"
#include "http/http_message.h"

namespace evenkeel::coordinator {

/// GET /progress, PUT /desired-state/Suspended, PUT /desired-state/Running, PUT /container-ends,
/// GET /snapshot. Requires a token. Nothing waits for the job: what is put is answered at once, and
/// what has come of it is read from the progress. Thread-safe.
class ControlHandler final : public http::HttpHandler {
 public:
  /// All must outlive this.
  ControlHandler(ControlTokens& tokens, const StatusBoard& board, JobControl& job)
      : tokens_(tokens), board_(board), job_(job) {}

  [[nodiscard]] http::HttpResponse Handle(const http::HttpRequest& request) override;

 private:
  [[nodiscard]] http::HttpResponse Progress(int status) const;
  [[nodiscard]] http::HttpResponse SetDesiredState(std::string_view state);
  [[nodiscard]] http::HttpResponse TakeContainerEnds(const std::string& report);
  [[nodiscard]] http::HttpResponse Snapshot();
  [[nodiscard]] http::HttpResponse Refusal(int status, const Error& error) const;

  ControlTokens& tokens_;
  const StatusBoard& board_;
  JobControl& job_;
};

}  // namespace evenkeel::coordinator
