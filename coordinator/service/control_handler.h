#pragma once

#include <string>

#include "coordinator/service/job_control.h"
#include "coordinator/service/status_board.h"
#include "http/http_message.h"

namespace evenkeel::coordinator {

/// GET /progress, POST /suspend, POST /resume, GET /snapshot. Requires the token. Thread-safe.
class ControlHandler final : public http::HttpHandler {
 public:
  /// `board` and `job` must outlive this; `token` is not empty.
  ControlHandler(std::string token, const StatusBoard& board, JobControl& job);

  [[nodiscard]] http::HttpResponse Handle(const http::HttpRequest& request) override;

 private:
  /// Takes the same time whatever is wrong with the token.
  [[nodiscard]] bool Knows(const std::string& authorization) const;
  [[nodiscard]] http::HttpResponse Suspend();
  [[nodiscard]] http::HttpResponse Resume();
  [[nodiscard]] http::HttpResponse Snapshot();
  [[nodiscard]] http::HttpResponse Refusal(int status, const Error& error) const;

  const std::string expected_;
  const StatusBoard& board_;
  JobControl& job_;
};

}  // namespace evenkeel::coordinator
