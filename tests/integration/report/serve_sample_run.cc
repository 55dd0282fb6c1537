// serve_sample_run DIR WORKERS TASKS REPORT_SECONDS JOB FACTS: serves the live page of a sample
// run, by the very handlers of a coordinator, and says where. Then it does what the lines of its
// input say, and says "done" after each:
//
//   at SECONDS   the run goes on up to then
//   close        stops listening
//   open         listens again, on the same port
//   end          the run is over; an existing DIR gets its files and its report
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>

#include "cli/report_command.h"
#include "coordinator/live/live_handler.h"
#include "core/base/clock.h"
#include "http/http_server.h"
#include "http/local_only.h"
#include "tests/integration/report/played_run.h"

namespace evenkeel::testing {
namespace {

class Served final : public http::HttpHandler {
 public:
  Served(std::filesystem::path folder, const SampleOptions& options)
      : folder_(std::move(folder)), options_(options), state_{options.job, "Running", "", false} {}

  void Open() {
    http::HttpServerOptions options;
    options.address = "127.0.0.1:" + std::to_string(port_);
    options.threads = 2;
    auto server = http::HttpServer::Start(options, local_);
    if (!server) {
      std::cerr << server.error().message << '\n';
      std::exit(1);
    }
    server_ = *std::move(server);
    port_ = server_->Port();
  }

  void Execute(const std::string& line) {
    if (line.starts_with("at ")) run_.MoveTo(FromSeconds(std::atof(line.c_str() + 3)));
    if (line == "close") server_.reset();
    if (line == "open") Open();
    if (line != "end") return;
    if (!WriteSampleRun(folder_, options_)) std::exit(1);
    if (cli::RunReportCommand(folder_, std::cerr, std::cerr) != 0) std::exit(1);
    const std::lock_guard lock(mutex_);
    state_.state = "Complete";
    state_.over = true;
  }

  [[nodiscard]] std::uint16_t Port() const { return port_; }

  http::HttpResponse Handle(const http::HttpRequest& request) override {
    if (auto live = live_.Handle(request)) return *std::move(live);
    http::HttpResponse response;
    response.content_type = "text/html; charset=utf-8";
    response.file = http::ServedFile::Open(folder_, "report.html");
    if (!response.file || request.target != "/report.html") return http::NotFound();
    return response;
  }

 private:
  [[nodiscard]] coordinator::LiveState State() {
    const std::lock_guard lock(mutex_);
    return state_;
  }

  const std::filesystem::path folder_;
  const SampleOptions options_;
  const SteadyClock clock_;
  coordinator::LiveFeed feed_{clock_};
  PlayedRun run_{options_, feed_};
  coordinator::LiveHandler live_{feed_, run_, [this] { return State(); }};
  http::LocalOnly local_{*this};
  std::mutex mutex_;  // guards state_
  coordinator::LiveState state_;
  std::uint16_t port_ = 0;
  std::unique_ptr<http::HttpServer> server_;
};

int Serve(int argc, char** argv) {
  if (argc != 7) {
    std::cerr << "usage: serve_sample_run DIR WORKERS TASKS REPORT_SECONDS JOB FACTS\n";
    return 2;
  }
  SampleOptions options;
  options.workers = std::atoll(argv[2]);
  options.tasks = std::atoll(argv[3]);
  options.report_seconds = std::atof(argv[4]);
  options.job = argv[5];
  options.facts = argv[6];
  Served served(argv[1], options);
  served.Open();
  std::cout << "http://127.0.0.1:" << served.Port() << "/" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    served.Execute(line);
    std::cout << "done" << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace evenkeel::testing

int main(int argc, char** argv) { return evenkeel::testing::Serve(argc, argv); }
