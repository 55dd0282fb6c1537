#include "cli/run_command.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <random>

#include "cli/local_workers.h"
#include "cli/signal_watch.h"
#include "cli/terminal_view.h"
#include "coordinator/job_run.h"
#include "coordinator/lower_bound.h"
#include "coordinator/run_metrics.h"
#include "coordinator/run_results.h"
#include "report/html_report.h"
#include "report/summary_json.h"

namespace evenkeel::cli {
namespace {

constexpr int kComplete = 0;
constexpr int kFailed = 1;
constexpr int kBadInput = 2;
constexpr int kInterrupted = 130;
constexpr Duration kCalibration = std::chrono::milliseconds(300);

// 128 random bits as hexadecimal digits.
std::string NewToken() {
  std::random_device source;
  std::string token;
  char digits[9];
  for (int i = 0; i < 4; ++i) {
    std::snprintf(digits, sizeof digits, "%08x", source());
    token += digits;
  }
  return token;
}

int Columns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

int ExitCode(const Error& error) {
  const bool users = error.code == ErrorCode::kInvalidInput || error.code == ErrorCode::kConflict;
  return users ? kBadInput : kFailed;
}

int Complain(const Error& error, std::ostream& err) {
  err << "evenkeel: " << error.message << '\n';
  return ExitCode(error);
}

// The folder of a run; one that was made here goes again if the run cannot begin.
class RunFolder {
 public:
  static Result<RunFolder> Make(const std::filesystem::path& path) {
    std::error_code error;
    RunFolder folder(path);
    folder.made_ = std::filesystem::create_directory(path, error);
    if (error) return InvalidInput("--output: " + path.string() + ": " + error.message());
    if (!std::filesystem::is_directory(path, error)) {
      return InvalidInput("--output: " + path.string() + " is not a folder");
    }
    return folder;
  }
  void RemoveIfMade() const {
    std::error_code ignored;
    if (made_) std::filesystem::remove_all(path_, ignored);
  }

 private:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
  bool made_ = false;
};

Result<std::unique_ptr<coordinator::JobRun>> OpenRun(const RunPlan& plan, const std::string& token,
                                                     Instant started) {
  coordinator::JobRunConfig config;
  config.job = plan.job;
  config.workload = plan.workload;
  for (const auto& node : plan.nodes) config.nodes.push_back({node.name, node.ratio});
  config.token = token;
  config.folder = plan.folder;
  config.started = started;
  return coordinator::JobRun::Open(std::move(config));
}

void FillBound(const RunPlan& plan, const engine::Progress& progress, model::RunSummary& summary) {
  const double core = plan.workload->DeclaredUnitsPerSecond() > 0
                          ? 0
                          : coordinator::CalibrateCore(*plan.workload, kCalibration);
  std::vector<coordinator::NodeSpeed> speeds;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const LocalNode& node = plan.nodes[i];
    speeds.push_back({node.threads, node.emulated_speed.value_or(1.0), progress.nodes[i].rate});
    summary.nodes[i].declared_speed = node.emulated_speed;
  }
  const auto bound = coordinator::ComputeLowerBound(*plan.workload, speeds, core);
  summary.lower_bound_seconds = bound.seconds;
  summary.rate_source = bound.rate_source;
  coordinator::FillRatios(summary);
}

// Results first: a summary that says Complete must not stand beside results that are missing.
Result<model::RunSummary> LeaveResults(const RunPlan& plan, coordinator::Journal& journal,
                                       const coordinator::RunEnd& end, SpeedControl control) {
  auto summary = coordinator::Summarize(plan.job, end, journal.State().epoch);
  summary.speed_control = ToString(control);
  if (end.state == model::JobState::kComplete) {
    auto result = coordinator::WriteResults(journal, *plan.workload, plan.folder);
    if (!result) return tl::unexpected<Error>(result.error());
    summary.result_json = std::move(*result);
  }
  FillBound(plan, end.progress, summary);
  if (auto done = coordinator::WriteTimeline(journal, plan.folder); !done) {
    return tl::unexpected<Error>(done.error());
  }
  if (auto done = report::WriteSummary(plan.folder / "summary.json", summary); !done) {
    return tl::unexpected<Error>(done.error());
  }
  if (auto page = report::WriteReport(plan.folder); !page) {
    return tl::unexpected<Error>(page.error());
  }
  if (auto done = coordinator::WriteMetrics(plan.job, journal, end, plan.folder); !done) {
    return tl::unexpected<Error>(done.error());
  }
  if (auto marked = journal.MarkEnded(end.state); !marked) {
    return tl::unexpected<Error>(marked.error());
  }
  return summary;
}

void PrintEnd(const RunPlan& plan, const model::RunSummary& summary, std::ostream& out) {
  char line[256];
  std::snprintf(line, sizeof line,
                "%s: %s in %.2f s (lower bound %.2f s, %s; efficiency %.3f), "
                "%lld reserved and %lld leased moves, %lld copies\n",
                summary.job.c_str(), std::string(report::StateName(summary.state)).c_str(),
                summary.makespan_seconds, summary.lower_bound_seconds, summary.rate_source.c_str(),
                summary.efficiency, static_cast<long long>(summary.moves.reserved),
                static_cast<long long>(summary.moves.leased),
                static_cast<long long>(summary.moves.copies));
  out << line;
  if (summary.state == model::JobState::kComplete) out << "result: " << summary.result_json << '\n';
  out << "report: " << (plan.folder / "report.html").string() << '\n';
}

int ExitCode(model::JobState state) {
  if (state == model::JobState::kComplete) return kComplete;
  return state == model::JobState::kInterrupted ? kInterrupted : kFailed;
}

// The run itself, with its workers and its view.
coordinator::RunEnd Execute(const RunOptions& options, const RunPlan& plan, const std::string& token,
                            coordinator::JobRun& run, SignalWatch& watch, std::ostream& text,
                            SpeedControl& control) {
  LocalWorkers workers({options.worker_binary, run.Port(), token, plan.job.workload,
                        plan.workload->Sleeps()},
                       plan.nodes, [&run](const std::string& why) { run.Interrupt(why); });
  control = workers.Control();
  if (auto started = workers.StartAll(); !started) {
    coordinator::RunEnd end;
    end.state = model::JobState::kFailed;
    end.reason = started.error().message;
    return end;
  }
  watch.Start({[&run] { run.Interrupt("interrupted; the same command goes on"); },
               [&workers] { workers.Collect(); }, [&workers] { workers.StartDue(); }});
  const bool live = !options.json && isatty(STDOUT_FILENO) != 0;
  TerminalView view(text, plan.job.name, live, Columns());
  auto end = run.Run(&view);
  view.Close(end.progress);
  watch.Stop();
  workers.EndAll(std::chrono::seconds(2));
  return end;
}

}  // namespace

int RunRunCommand(const RunOptions& options, Instant started, SignalWatch& watch, std::ostream& out,
                  std::ostream& err) {
  // 1. Read and check everything; nothing is written before that.
  auto plan = PlanRun(options);
  if (!plan) return Complain(plan.error(), err);
  // 2. The folder and the journal.
  auto folder = RunFolder::Make(plan->folder);
  if (!folder) return Complain(folder.error(), err);
  const std::string token = NewToken();
  auto run = OpenRun(*plan, token, started);
  if (!run) {
    folder->RemoveIfMade();
    return Complain(run.error(), err);
  }
  std::ostream& text = options.json ? err : out;
  for (const auto& note : plan->notes) text << "note: " << note << '\n';
  const auto& known = (*run)->TheJournal().State();
  if (known.epoch > 1) {
    text << plan->job.name << ": goes on from the journal, "
         << HumanCount(known.completed.Size()) << " tasks are done\n";
  }
  // 3. The run. 4. What it leaves behind.
  SpeedControl control = SpeedControl::kNone;
  const auto end = Execute(options, *plan, token, **run, watch, text, control);
  if (!end.reason.empty()) err << "evenkeel: " << plan->job.name << ": " << end.reason << '\n';
  auto summary = LeaveResults(*plan, (*run)->TheJournal(), end, control);
  if (!summary) return Complain(summary.error(), err);
  if (options.json) {
    std::ifstream file(plan->folder / "summary.json");
    out << file.rdbuf();
  } else {
    PrintEnd(*plan, *summary, out);
  }
  return ExitCode(end.state);
}

}  // namespace evenkeel::cli
