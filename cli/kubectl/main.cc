#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>

#include "cli/kubectl/command_end.h"
#include "cli/kubectl/convert_command.h"
#include "cli/kubectl/explain_command.h"
#include "cli/kubectl/rerun_command.h"
#include "cli/kubectl/results_command.h"
#include "cli/kubectl/top_command.h"
#include "cli/kubectl/ui_command.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"
#include "core/base/clock.h"
#include "core/model/names.h"
#include "platform/signals.h"

namespace evenkeel::cli {
namespace {

struct CommandLine {
  explicit CommandLine(CLI::App& app);

  KubectlFlags flags;
  ResultsOptions results;
  TopOptions top;
  std::string explain_job;
  UiOptions ui;
  std::string convert_file;
  RerunOptions rerun;
  std::string rerun_output;
  bool rerun_failed = false;
  CLI::App* results_command;
  CLI::App* top_command;
  CLI::App* explain_command;
  CLI::App* ui_command;
  CLI::App* convert_command;
  CLI::App* rerun_command;
};

std::string WhatIsWrongWithNamespace(const std::string& text) {
  return model::IsDnsLabel(text) ? "" : "must be " + model::kAllowedDnsLabel;
}

std::string WhatIsWrongWithFolder(const std::string& text) {
  return text.empty() ? "must not be empty" : "";
}

CommandLine::CommandLine(CLI::App& app) {
  app.add_option("-n,--namespace", flags.name_space, "Namespace of the job")
      ->check(CLI::Validator(WhatIsWrongWithNamespace, "namespace"));
  app.add_option("--context", flags.context, "Context of the kubeconfig");
  app.add_option("--kubeconfig", flags.kubeconfig, "File with the ways to clusters");
  app.add_option("--as", flags.as, "User to act as");

  results_command = app.add_subcommand("results", "Bring the files of a run into a folder");
  results_command->add_option("job", results.job, "Name of the WeightedJob")->required();
  CLI::Option* output =
      results_command->add_option("--output", results.output, "Folder [evenkeel-JOB]");
  CLI::Option* files =
      results_command->add_option("--files", results.files,
                                  "Bring the output files of tasks into this folder, as "
                                  "INDEX/PATH, instead of the other files");
  files->excludes(output)->check(CLI::Validator(WhatIsWrongWithFolder, "FOLDER"));
  results_command->add_option("--indexes", results.indexes, "Only those of these tasks, as 3,7-9")
      ->needs(files);
  results_command->add_flag("--partial", results.partial, "Also of a job that is not complete");

  top_command = app.add_subcommand("top", "Show jobs, or one job and its workers");
  top_command->add_option("job", top.job, "Name of the WeightedJob");
  top_command->add_flag("-A,--all-namespaces", top.all_namespaces, "Jobs of all namespaces");

  explain_command =
      app.add_subcommand("explain", "Say why nodes weigh what they weigh, and what happened");
  explain_command->add_option("job", explain_job, "Name of the WeightedJob")->required();

  ui_command = app.add_subcommand("ui", "Show a job, or all jobs and boards, live in a browser");
  ui_command->add_option("job", ui.job, "Name of the WeightedJob; without it, all jobs and boards");
  ui_command->add_flag("-A,--all-namespaces", ui.all_namespaces,
                       "Jobs of all namespaces; only without a job");
  ui_command->add_option("--port", ui.port, "Port of this machine [any that is free]")
      ->check(CLI::Range(1, 65535));
  ui_command->add_flag("--open", ui.open, "Open the page in a browser");

  convert_command = app.add_subcommand(
      "convert", "Print Jobs of batch/v1 as WeightedJobs, and what is not converted");
  convert_command->add_option("file", convert_file, "File with the Jobs, or - for standard input")
      ->required();

  rerun_command = app.add_subcommand(
      "rerun", "Run some tasks of a job again, in a new job that has the results of all tasks");
  rerun_command->add_option("job", rerun.job, "Name of the WeightedJob, which has ended")
      ->required();
  CLI::Option* failed =
      rerun_command->add_flag("--failed", rerun_failed, "The tasks that failed [the default]");
  rerun_command->add_option("--indexes", rerun.indexes, "These tasks, as 3,7-9")->excludes(failed);
  rerun_command->add_option("--name", rerun.name, "Name of the new job [JOB-rerun-N]");
  rerun_command->add_option("-o", rerun_output, "yaml: print the new job, do not create it")
      ->check(CLI::IsMember({"yaml"}));
  app.require_subcommand(1);
  app.fallthrough();
  for (CLI::App* command : {results_command, top_command, explain_command, ui_command,
                            convert_command, rerun_command}) {
    command->fallthrough();
  }
}

int Explain(const std::string& job, Kubectl& kubectl, const platform::BlockedSignals& stop) {
  const auto explanation = GatherExplanation(job, kubectl);
  if (stop.Arrived()) return kInterrupted;
  if (!explanation) return Complain(explanation.error(), stop, std::cerr);
  WriteExplanation(*explanation, WallClockSeconds(), std::cout);
  return kDone;
}

int Run(CommandLine& line) {
  if (*line.convert_command) return RunConvertCommand(line.convert_file, std::cout, std::cerr);
  const platform::BlockedSignals stop({SIGINT, SIGTERM});
  Kubectl kubectl(line.flags, stop);
  if (*line.results_command) {
    line.results.terminal = isatty(STDERR_FILENO) != 0;
    return RunResultsCommand(line.results, kubectl, stop, std::cout, std::cerr);
  }
  if (*line.top_command) {
    line.top.terminal = UnderstandsControlSequences();
    return RunTopCommand(line.top, kubectl, stop, std::cout, std::cerr);
  }
  if (*line.explain_command) return Explain(line.explain_job, kubectl, stop);
  if (*line.rerun_command) {
    line.rerun.print = !line.rerun_output.empty();
    return RunRerunCommand(line.rerun, kubectl, stop, std::cout, std::cerr);
  }
  line.ui.namespace_name = line.flags.name_space;
  return RunUiCommand(line.ui, kubectl, stop, std::cout, std::cerr);
}

}  // namespace
}  // namespace evenkeel::cli

int main(int argc, char** argv) {
  CLI::App app{
      "Looks at WeightedJobs of a cluster, brings their results, runs tasks again and converts "
      "Jobs",
      "kubectl evenkeel"};
  app.set_version_flag("--version", EVENKEEL_VERSION);
  app.footer("Exit codes: 0 done, 1 failed or not complete, 2 bad input, 130 interrupted.");
  evenkeel::cli::CommandLine line(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << "kubectl-evenkeel: " << evenkeel::cli::WhyRefused(app, error) << '\n';
    return evenkeel::cli::kBadInput;
  }
  return evenkeel::cli::Run(line);
}
