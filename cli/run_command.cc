#include "cli/run_command.h"

#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <random>

#include "cli/human_text.h"
#include "cli/live_view.h"
#include "cli/local_workers.h"
#include "cli/run_ending.h"
#include "cli/terminal.h"
#include "cli/terminal_view.h"
#include "coordinator/job_run.h"
#include "coordinator/manifest_watch.h"
#include "coordinator/run_results.h"
#include "core/base/log.h"
#include "platform/signals.h"

namespace evenkeel::cli {
namespace {

constexpr int kComplete = 0;
constexpr int kFailed = 1;
constexpr int kBadInput = 2;
constexpr int kInterrupted = 130;
constexpr const char* kInterruptReason = "interrupted; the same command goes on";
// Time for an open page to fetch the report.
constexpr Duration kPagePatience = std::chrono::seconds(4);

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

int ExitCode(const Error& error) {
  const bool users = error.code == ErrorCode::kInvalidInput || error.code == ErrorCode::kConflict ||
                     error.code == ErrorCode::kInUse;
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
                                                     Instant started,
                                                     coordinator::JobSource& source) {
  coordinator::JobRunConfig config;
  config.version = plan.version;
  for (const auto& node : plan.nodes) {
    config.nodes.push_back({node.name, node.ratio, node.power});
  }
  for (const auto& node : plan.left_out) {
    config.nodes.push_back({node.name, node.ratio, node.power, true});
  }
  config.token = token;
  config.folder = plan.folder;
  config.started = started;
  config.source = &source;
  config.rerun = plan.rerun;
  config.reduce.environment = plan.environment;
  config.reduce.forgets_failures = true;
  return coordinator::JobRun::Open(std::move(config));
}

// Whether the journal alone decides how the job ends, so that no worker is needed.
bool NothingLeft(const RunPlan& plan, const coordinator::JournalState& known) {
  model::RangeSet failed;
  for (const auto& failure : known.failures) {
    const bool counts = failure.final && !known.completed.Contains(failure.index);
    if (counts) failed.Insert({failure.index, failure.index + 1});
  }
  return known.complete || failed.Size() > plan.job().task_policy.max_failed_tasks ||
         known.completed.Size() + failed.Size() >= plan.version->TaskCount();
}

int ExitCode(model::JobState state) {
  if (state == model::JobState::kComplete) return kComplete;
  return state == model::JobState::kInterrupted ? kInterrupted : kFailed;
}

// Waits for a signal to stop, or until `enough` returns true. Calls it about every 100 ms.
void AwaitStop(platform::BlockedSignals& signals, const std::function<bool()>& enough) {
  while (!enough()) {
    if (!signals.WaitFor(std::chrono::milliseconds(100))) continue;
    while (const auto signal = signals.Take()) {
      if (*signal != SIGCHLD) return;
    }
  }
}

// Shows the report on the page that is open; on a terminal until told to stop.
void ServeReport(const RunOptions& options, const model::RunSummary& summary,
                 platform::BlockedSignals& signals, LiveView& page, std::ostream& text) {
  const bool stays = options.ui_stays && summary.state != model::JobState::kInterrupted;
  if (stays) text << "serving " << page.Address() << "; Ctrl-C to stop" << std::endl;
  // Nobody is left before the page that shows the run has become its report.
  const Instant end = stays ? kNever : SteadyClock().Now() + kPagePatience;
  AwaitStop(signals, [&page, stays, end] {
    return !stays && (!page.ReportIsAwaited() || SteadyClock().Now() >= end);
  });
}

// The last word of a run that has left its results.
int Finish(const RunOptions& options, const RunPlan& plan, const model::RunSummary& summary,
           platform::BlockedSignals& signals, LiveView* page, std::ostream& out,
           std::ostream& text) {
  if (options.json) {
    out << std::ifstream(plan.folder / "summary.json").rdbuf() << std::flush;
  } else {
    PrintEnd(plan, summary, out);
  }
  if (page != nullptr) ServeReport(options, summary, signals, *page, text);
  return ExitCode(summary.state);
}

// The live page, if there is to be one, from before anything is written.
Result<std::unique_ptr<LiveView>> OpenPage(const RunOptions& options, const RunPlan& plan) {
  if (!options.ui_port) return nullptr;
  return LiveView::Open(*options.ui_port, plan.job().name);
}

// The objects that a run needs; borrowed.
struct RunParts {
  const std::string& token;
  coordinator::JobRun& run;
  platform::BlockedSignals& signals;
  LiveView* page;  // or null
  TerminalView& view;
};

bool DrawsLive(const RunOptions& options) { return !options.json && UnderstandsControlSequences(); }

// No worker runs any more.
Result<void> CleanUpFiles(const workloads::LocalFiles& files,
                          const coordinator::JournalReader& journal) {
  return coordinator::CompletedTasks(journal).and_then([&files](const model::RangeSet& completed) {
    return workloads::CleanUpLocalFiles(files, completed);
  });
}

// The run itself, with its workers and its view, which is not closed yet: writing to a terminal may
// take as long as its user likes.
Result<coordinator::RunEnd> Execute(const RunOptions& options, const RunPlan& plan,
                                    const coordinator::WorkByNode& earlier, const RunParts& parts,
                                    SpeedControl& control) {
  coordinator::JobRun& run = parts.run;
  TerminalView& view = parts.view;
  const auto tell = [&view, live = DrawsLive(options)](const std::string& line) {
    live ? view.Say(line) : Log(LogLevel::kWarning, line);
  };
  std::filesystem::path files;
  if (plan.files) {
    auto prepared = workloads::PrepareLocalFiles(*plan.files);
    if (!prepared) return tl::unexpected<Error>(prepared.error());
    files = std::move(*prepared);
  }
  LocalWorkers workers({options.worker_binary, run.Port(), parts.token, plan.job().workload,
                        plan.environment, files, plan.workload().Sleeps(), tell},
                       plan.nodes, [&run](const std::string& why) { run.InterruptTasks(why); });
  control = workers.Control();
  if (auto started = workers.StartAll(); !started) return tl::unexpected<Error>(started.error());
  const auto on_signal = [&run, &workers](int signal) {
    if (signal == SIGCHLD) {
      workers.Collect();
    } else {
      run.Interrupt(kInterruptReason);
    }
  };
  std::optional<platform::SignalThread> signal_thread;
  signal_thread.emplace(parts.signals, platform::SignalThread::Handlers{
                                           on_signal, [&workers] { workers.StartDue(); }});
  if (parts.page != nullptr) parts.page->Begin(OutcomeOf(plan, control), earlier, run, view);
  auto end =
      run.Run(parts.page != nullptr ? static_cast<coordinator::RunObserver*>(parts.page) : &view);
  if (parts.page != nullptr) parts.page->End();
  signal_thread.reset();
  workers.EndAll(std::chrono::seconds(2));
  if (plan.files) {
    const auto clean = CleanUpFiles(*plan.files, *run.journal());
    if (!clean) tell(clean.error().message);
  }
  return end;
}

// The reduce command, if there is one, which a signal interrupts.
Result<void> Reduce(coordinator::JobRun& run, platform::BlockedSignals& signals, TerminalView* live,
                    coordinator::RunEnd& end) {
  const auto on_signal = [&run](int signal) {
    if (signal != SIGCHLD) run.Interrupt(kInterruptReason);
  };
  const platform::SignalThread signal_thread(signals, {on_signal});
  const auto on_attempt = [live, &end](std::int32_t attempt) {
    std::string line = "all tasks are done; the reduce command runs";
    if (attempt > 1) line += ", attempt " + std::to_string(attempt);
    if (live == nullptr) return Log(LogLevel::kInfo, line);
    live->Say(std::move(line));
    live->OnProgress(end.progress);  // draws it
  };
  return run.Reduce(on_attempt, end);
}

}  // namespace

int RunRunCommand(const RunOptions& given, const workloads::Registry& registry, Instant started,
                  platform::BlockedSignals& signals, std::ostream& out, std::ostream& err) {
  LogInBackground();  // a log line must not wait for a stopped terminal either
  // 1. Read and check everything; nothing is written before that.
  const auto completed = CompleteOptions(given);
  if (!completed) return Complain(completed.error(), err);
  const RunOptions& options = *completed;
  coordinator::ManifestWatch manifest(
      options.job_file, [&options, &registry] { return ReadJobVersion(options, registry); });
  auto plan = PlanRun(options, registry);
  if (!plan) return Complain(plan.error(), err);
  auto page = OpenPage(options, *plan);
  if (!page) return Complain(page.error(), err);
  // 2. The folder and the journal.
  auto folder = RunFolder::Make(plan->folder);
  if (!folder) return Complain(folder.error(), err);
  const std::string token = NewToken();
  auto run = OpenRun(*plan, token, started, manifest);
  if (!run) {
    folder->RemoveIfMade();
    return Complain(run.error(), err);
  }
  std::ostream& text = options.json ? err : out;
  for (const auto& note : plan->notes) text << "note: " << note << '\n';
  if (*page) text << "live page: " << (*page)->Address() << std::endl;
  const auto& known = (*run)->journal()->State();
  if (known.complete) {
    text << plan->job().name << (plan->rerun ? ": no task has failed" : ": was complete already")
         << "; results and report are written anew\n";
    const auto context = OutcomeOf(*plan, SpeedControl::kNone);
    if (const auto summary = coordinator::RefreshResults(context, *(*run)->journal())) {
      if (*page) (*page)->Conclude(plan->folder, *summary);
      return Finish(options, *plan, *summary, signals, page->get(), out, text);
    }
  } else if (plan->rerun) {
    const std::int64_t all = plan->version->TaskCount();
    text << plan->job().name << ": " << HumanCount(all - known.completed.Size()) << " of "
         << HumanCount(all) << " tasks run, the results of the others stay\n";
  } else if (known.epoch > 1) {
    text << plan->job().name << ": goes on from the journal, " << HumanCount(known.completed.Size())
         << " tasks are done\n";
  }
  if (const auto kept = KeepOptions(options, plan->folder); !kept) {
    text << "note: a rerun will need the manifest: " << kept.error().message << '\n';
  }
  // 3. The run. 4. Its results. 5. The output, which may wait for the terminal.
  const auto earlier = coordinator::ReadEarlierWork(*(*run)->journal(), *plan->version->costs());
  if (!earlier) return Complain(earlier.error(), err);
  SpeedControl control = SpeedControl::kNone;
  TerminalView view(text, plan->job().name,
                    DrawsLive(options) ? SizeOfTerminal : std::function<TerminalSize()>());
  const bool nothing_left = NothingLeft(*plan, known);
  auto end = nothing_left ? (*run)->Run(nullptr)
                          : Execute(options, *plan, *earlier,
                                    {token, **run, signals, page->get(), view}, control);
  if (!end) return Complain(end.error(), err);
  plan->version = end->version;
  TerminalView* const live = DrawsLive(options) && !nothing_left ? &view : nullptr;
  const auto reduced = Reduce(**run, signals, live, *end);
  if (!reduced) return Complain(reduced.error(), err);
  const auto summary =
      coordinator::LeaveResults(OutcomeOf(*plan, control), *(*run)->journal(), *end, *earlier);
  if (summary && *page) (*page)->Conclude(plan->folder, *summary);
  if (!nothing_left) view.Close(end->progress);
  if (!end->reason.empty()) err << "evenkeel: " << plan->job().name << ": " << end->reason << '\n';
  if (!summary) {
    // The reason has been told already if it ended the job, too.
    return end->state == model::JobState::kFailed ? kFailed : Complain(summary.error(), err);
  }
  return Finish(options, *plan, *summary, signals, page->get(), out, text);
}

}  // namespace evenkeel::cli
