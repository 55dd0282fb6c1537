#include "cli/kubectl/ui_command.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <ostream>
#include <utility>

#include "cli/human_text.h"
#include "cli/kubectl/boards_view.h"
#include "cli/kubectl/child_process.h"
#include "cli/kubectl/command_end.h"
#include "cli/kubectl/coordinator_pod.h"
#include "cli/kubectl/job_object.h"
#include "cli/kubectl/job_words.h"
#include "cli/kubectl/page_fetcher.h"
#include "cli/kubectl/port_forward.h"
#include "cluster/names.h"
#include "core/base/clock.h"
#include "http/http_server.h"
#include "http/local_only.h"
#include "report/html_report.h"

namespace evenkeel::cli {
namespace {

constexpr Duration kLook = std::chrono::seconds(3);
constexpr Duration kPause = std::chrono::seconds(2);
constexpr Duration kGiveUp = std::chrono::minutes(2);
constexpr Duration kBrowserPatience = std::chrono::seconds(3);

/// A job that is over keeps its coordinator for a while only.
Error CoordinatorHasGone(const JobObject& job) {
  std::string text = job.name + ": " + StateInWords(job, WallClockSeconds()) +
                     "; its coordinator has gone, and the page with it";
  if (!job.result_claim.empty()) {
    text += "; report.html and the results are in the claim " + job.result_claim;
  }
  return {ErrorCode::kInternal, text};
}

/// Opens pages in the user's browser.
class Browser {
 public:
  Browser(const platform::BlockedSignals& stop, std::ostream& err) : stop_(stop), err_(err) {}

  /// Drops the output of the browser; the address was printed before.
  void Open(const std::string& address) {
    if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) {
      err_ << "kubectl-evenkeel: there is no display to open a browser on" << std::endl;
      return;
    }
    auto browser = ChildProcess::Start({"xdg-open", address});
    const auto exit =
        browser ? browser->WaitForExit(kBrowserPatience, stop_) : std::optional<int>(1);
    if (exit.value_or(0) != 0) {
      err_ << "kubectl-evenkeel: xdg-open cannot open a browser" << std::endl;
    }
    if (browser && !exit) process_.emplace(*std::move(browser));  // some run as long as the browser
  }

 private:
  const platform::BlockedSignals& stop_;
  std::ostream& err_;
  std::optional<ChildProcess> process_;
};

/// The pages of one job behind a port of this machine, as long as there is a way to them.
class JobPages {
 public:
  JobPages(const UiOptions& options, Kubectl& kubectl, const platform::BlockedSignals& stop,
           std::ostream& out, std::ostream& err)
      : options_(options),
        kubectl_(kubectl),
        stop_(stop),
        out_(out),
        err_(err),
        port_(options.port),
        browser_(stop, err) {}

  Result<void> Serve() {
    if (auto named = CheckJobName(options_.job); !named) return named;
    if (auto first = Connect("waiting for the coordinator"); !first) return first;
    SayWhere();
    while (!stop_.Arrived()) {
      const std::optional<std::string> trouble = Trouble();
      if (stop_.Arrived()) break;
      if (!trouble) continue;
      err_ << "kubectl-evenkeel: " << *trouble << "; connecting again" << std::endl;
      forward_.reset();
      if (stop_.WaitFor(kPause)) break;
      if (auto again = Connect("still trying"); !again) return again;
      if (forward_) out_ << "connected again" << std::endl;
    }
    return {};
  }

 private:
  /// Retries until it connects, a signal arrives, or the job cannot be reached any more. Prints
  /// `meanwhile` once, with the reason.
  Result<void> Connect(const std::string& meanwhile) {
    const SteadyClock clock;
    bool said = false;
    for (const Instant give_up = clock.Now() + kGiveUp; !stop_.Arrived();) {
      const auto tried = Try();
      if (tried) return {};
      if (tried.error().code != ErrorCode::kUnavailable || clock.Now() >= give_up) return tried;
      if (!said)
        err_ << "kubectl-evenkeel: " << tried.error().message << "; " << meanwhile << std::endl;
      said = true;
      if (stop_.WaitFor(kPause)) return {};
    }
    return {};
  }

  /// Why the pages cannot be reached, after some seconds without an answer. kubectl keeps running
  /// when its pod has ended, so that only an answer, even "404", shows that the coordinator
  /// lives.
  std::optional<std::string> Trouble() {
    if (!forward_->Lives(kLook, stop_)) return forward_->Complaint();
    const BodySink nowhere{.write = [](std::string_view) { return Result<void>(); },
                           .progress = {}};
    const auto answer = PageFetcher(stop_).Fetch(port_, "/there", 1 << 10, nowhere);
    if (answer) return std::nullopt;
    return answer.error().message;
  }

  Result<void> Try() {
    const auto object = kubectl_.Get({kJobs, options_.job});
    if (!object) return tl::unexpected(object.error());
    const JobObject job = ReadJobObject(*object);
    const auto pod = FindCoordinator(kubectl_, job.name_space, job.name);
    if (!pod) {
      if (pod.error().code != ErrorCode::kInternal) return tl::unexpected(pod.error());
      if (job.IsOver()) return tl::unexpected(CoordinatorHasGone(job));
      return Fail(ErrorCode::kUnavailable, job.name + ": " + StateInWords(job, WallClockSeconds()) +
                                               "; it has no coordinator yet");
    }
    auto opened = PortForward::Open(kubectl_, *pod, kPagesPort, port_, stop_);
    if (!opened) {
      // The port that the user wants is not free, or it was taken meanwhile.
      const bool taken = opened.error().message.find("listen") != std::string::npos;
      if (taken) opened.error().code = ErrorCode::kInvalidInput;
      return tl::unexpected(opened.error());
    }
    forward_.emplace(*std::move(opened));
    port_ = forward_->LocalPort();
    return {};
  }

  void SayWhere() {
    if (!forward_) return;  // a signal came first
    const std::string address = "http://127.0.0.1:" + std::to_string(port_) + "/";
    out_ << address << "\n"
         << "also there: /report.html /summary.json /timeline.jsonl /metrics.prom /results/; "
            "Ctrl-C ends it"
         << std::endl;
    if (options_.open) browser_.Open(address);
  }

  const UiOptions& options_;
  Kubectl& kubectl_;
  const platform::BlockedSignals& stop_;
  std::ostream& out_;
  std::ostream& err_;
  std::uint16_t port_;
  std::optional<PortForward> forward_;
  Browser browser_;
};

/// The page of all jobs and boards, and its data as of the last look at the cluster. Thread-safe.
class BoardsHandler final : public http::HttpHandler {
 public:
  /// Replaces the data. `trouble`: why there is none that is newer; empty if there is.
  void Show(nlohmann::json data, Instant at) {
    const std::scoped_lock lock(mutex_);
    data_ = std::move(data);
    at_ = at;
    trouble_.clear();
  }
  void ShowTrouble(std::string trouble) {
    const std::scoped_lock lock(mutex_);
    trouble_ = std::move(trouble);
  }
  /// Whether a page has requested the data since the last call.
  [[nodiscard]] bool TakeInterest() { return is_wanted_.exchange(false); }

  [[nodiscard]] http::HttpResponse Handle(const http::HttpRequest& request) override {
    const auto path = http::PathOf(request.target);
    http::HttpResponse response;
    if (path == "/") {
      response.content_type = "text/html; charset=utf-8";
      response.body = report::BoardsPage();
      return response;
    }
    if (path != "/boards.json") return http::NotFound();
    is_wanted_ = true;
    response.content_type = "application/json";
    const std::scoped_lock lock(mutex_);
    data_["againSeconds"] = ToSeconds(kPause);
    data_["ageSeconds"] = ToSeconds(clock_.Now() - at_);
    data_["trouble"] = trouble_;
    response.body = data_.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return response;
  }

 private:
  const SteadyClock clock_;
  std::atomic<bool> is_wanted_ = false;
  std::mutex mutex_;
  nlohmann::json data_;  // this and what follows is guarded by mutex_
  Instant at_{};
  std::string trouble_;
};

/// Looks at all jobs and boards again and again, and serves their page.
class BoardsPages {
 public:
  BoardsPages(const UiOptions& options, Kubectl& kubectl, const platform::BlockedSignals& stop,
              std::ostream& out, std::ostream& err)
      : options_(options), kubectl_(kubectl), stop_(stop), out_(out), browser_(stop, err) {}

  Result<void> Serve() {
    if (auto first = Look(); !first) return first;
    http::HttpServerOptions where;
    where.address = "127.0.0.1:" + std::to_string(options_.port);
    where.threads = 2;
    http::LocalOnly local(handler_);
    const auto server = http::HttpServer::Start(where, local);
    if (!server) return InvalidInput("--port: " + server.error().message);
    const std::string address = "http://127.0.0.1:" + std::to_string((*server)->Port()) + "/";
    out_ << address << "\nCtrl-C ends it" << std::endl;
    if (options_.open) browser_.Open(address);
    while (!stop_.WaitFor(std::max<Duration>(kPause, kPauseFactor * look_took_))) {
      if (!handler_.TakeInterest()) continue;
      if (const auto look = Look(); !look) handler_.ShowTrouble(look.error().message);
    }
    return {};
  }

 private:
  /// Reads the cluster. An error is that of the list of jobs; without the other lists the page
  /// shows less.
  Result<void> Look() {
    const Instant began = clock_.Now();
    std::vector<std::string> jobs{kJobs};
    std::vector<std::string> pods{"pods", "-l",
                                  cluster::label::kManagedBy + "=" + cluster::kManager + "," +
                                      cluster::label::kComponent + "=" +
                                      cluster::component::kWorker};
    if (options_.all_namespaces) {
      jobs.emplace_back("--all-namespaces");
      pods.emplace_back("--all-namespaces");
    }
    auto listed = kubectl_.Get(jobs);
    if (!listed) return tl::unexpected(listed.error());
    ClusterLists lists{*std::move(listed), kubectl_.Get(pods), {}};
    if (!nodes_read_ || began >= *nodes_read_ + kNodesInterval) {
      nodes_ = kubectl_.Get({"nodes"});
      nodes_read_ = began;
    }
    lists.nodes = nodes_;
    handler_.Show(
        BoardsData(lists, {options_.namespace_name, options_.all_namespaces}, WallClockSeconds()),
        clock_.Now());
    look_took_ = clock_.Now() - began;
    return {};
  }

  static constexpr int kPauseFactor = 2;
  static constexpr Duration kNodesInterval = std::chrono::seconds(10);

  const UiOptions& options_;
  Kubectl& kubectl_;
  const platform::BlockedSignals& stop_;
  std::ostream& out_;
  Browser browser_;
  const SteadyClock clock_;
  BoardsHandler handler_;
  Duration look_took_{};
  Result<nlohmann::json> nodes_;
  std::optional<Instant> nodes_read_;
};

}  // namespace

int RunUiCommand(const UiOptions& options, Kubectl& kubectl, const platform::BlockedSignals& stop,
                 std::ostream& out, std::ostream& err) {
  if (!options.job.empty() && options.all_namespaces) {
    return Complain({ErrorCode::kInvalidInput, "-A: is allowed only without the name of a job"},
                    stop, err);
  }
  const auto served = options.job.empty() ? BoardsPages(options, kubectl, stop, out, err).Serve()
                                          : JobPages(options, kubectl, stop, out, err).Serve();
  if (served || stop.Arrived()) return kDone;  // this is how it is meant to end
  return Complain(served.error(), stop, err);
}

}  // namespace evenkeel::cli
