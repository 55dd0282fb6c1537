#include "cli/evenkeel_main.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "cli/report_command.h"
#include "cli/run_command.h"
#include "cli/simulate_command.h"
#include "cli/usage_error.h"
#include "cli/weights_command.h"
#include "core/base/clock.h"
#include "platform/signals.h"

namespace evenkeel::cli {
namespace {

constexpr int kBadInput = 2;
constexpr const char* kFreePort = "free";

// evenkeel-worker stands beside evenkeel, installed as well as in the build folder.
std::string WorkerBinary() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = self.parent_path() / "evenkeel-worker";
  return beside.string();
}

// "" if nothing is. The parser of flags itself takes numbers that are too large.
std::string WhatIsWrongWithSeed(const std::string& text) {
  std::int64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seed);
  if (read.ec == std::errc() && read.ptr == end && seed >= 0) return {};
  return "must be a whole number from 0 to 9223372036854775807, is " + text;
}

// "" if nothing is. Without a port the parser says "free".
std::string WhatIsWrongWithPort(const std::string& text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, port);
  if (text == kFreePort || (read.ec == std::errc() && read.ptr == end && port > 0)) return {};
  return "must be a port from 1 to 65535, is " + text;
}

struct CommandLine {
  explicit CommandLine(CLI::App& app);

  RunOptions run;
  WeightsOptions weights;
  SimulateOptions simulate;
  std::string run_output = "text";
  std::string rerun_failed;
  std::string ui_port;
  std::string weights_output = "table";
  std::string simulate_output = "table";
  std::string report_folder;
  CLI::App* run_command;
  CLI::App* weights_command;
  CLI::App* simulate_command;
  CLI::App* report_command;
};

CommandLine::CommandLine(CLI::App& app) {
  run_command = app.add_subcommand("run", "Run a WeightedJob on this machine");
  run_command->add_option("job", run.job_file, "The WeightedJob manifest");
  run_command->add_option("--nodes", run.nodes_file,
                          "Nodes to emulate, as printed by 'kubectl get nodes -o yaml'");
  CLI::Option* output =
      run_command->add_option("--output", run.output, "Folder of the run [evenkeel-NAME]");
  run_command->add_option("--strategy", run.strategy,
                          "Instead of the job's spec.balancing.strategy");
  run_command->add_option("--seed", run.seed, "Seed of what the workload synthetic draws")
      ->check(CLI::Validator(WhatIsWrongWithSeed, "whole number from 0 to 2^63-1"));
  CLI::Option* failed =
      run_command
          ->add_option("--rerun-failed", rerun_failed,
                       "Folder of an earlier run: run its failed tasks again, keep its other "
                       "results. Arguments not given are those of that run")
          ->check(CLI::ExistingDirectory)
          ->excludes(output);
  CLI::Option* rerun =
      run_command
          ->add_option("--rerun", run.rerun,
                       "Folder of an earlier run: run the tasks in --indexes again")
          ->check(CLI::ExistingDirectory)
          ->excludes(output)
          ->excludes(failed);
  CLI::Option* indexes =
      run_command->add_option("--indexes", run.rerun_indexes, "Tasks that run again, as 3,7-9")
          ->needs(rerun);
  rerun->needs(indexes);
  run_command
      ->add_flag("--ui{free}", ui_port,
                 "Serve a live page on 127.0.0.1, port PORT (--ui=PORT) or any that is free; on a "
                 "terminal until Ctrl-C")
      ->check(CLI::Validator(WhatIsWrongWithPort, ""));
  run_command->add_option("-o", run_output, "text or json")->check(CLI::IsMember({"text", "json"}));

  weights_command = app.add_subcommand("weights", "Show what each node weighs, and why");
  weights_command->add_option("--nodes", weights.nodes_file, "The nodes")->required();
  weights_command->add_option("--policy", weights.policy,
                              "default, paper or a WeightingPolicy file");
  weights_command->add_option("-o", weights_output, "table or json")
      ->check(CLI::IsMember({"table", "json"}));

  simulate_command = app.add_subcommand("simulate", "Try a job on a cluster in virtual time");
  simulate_command->add_option("scenario", simulate.scenario_files, "Scenario files");
  simulate_command->add_option("--replay", simulate.replay,
                               "Instead of a scenario: the folder of a run");
  simulate_command
      ->add_option("--nodes", simulate.nodes,
                   "With --replay: NAME=SPEED[xCORES] (more or other nodes), NAME=0 (without it), "
                   "or a file of Nodes, to be there instead")
      ->delimiter(',');
  simulate_command->add_option("--strategy", simulate.strategy,
                               "One strategy, or all, instead of the scenario's");
  simulate_command->add_option("--seed,--seeds", simulate.seeds,
                               "A seed, or several as in 1..200, instead of the scenario's");
  simulate_command->add_option("--html", simulate.html, "Write a page with timelines to this file");
  simulate_command->add_option("-o", simulate_output, "table or json")
      ->check(CLI::IsMember({"table", "json"}));

  report_command = app.add_subcommand("report", "(Re)write DIR/report.html");
  report_command->add_option("dir", report_folder, "Folder of a run")->required();
  app.require_subcommand(1);
}

}  // namespace

int EvenkeelMain(int argc, char** argv, const workloads::Registry& registry) {
  const Instant started = SteadyClock().Now();
  CLI::App app{"Evenkeel: batch work on unequal small computers; all nodes finish together"};
  app.set_version_flag("--version", EVENKEEL_VERSION);
  CommandLine line(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << "evenkeel: " << WhyRefused(app, error) << '\n';
    return kBadInput;
  }
  if (!line.rerun_failed.empty()) line.run.rerun = line.rerun_failed;
  if (*line.run_command && line.run.job_file.empty() && line.run.rerun.empty()) {
    std::cerr << "evenkeel: job is required\n";
    return kBadInput;
  }
  if (*line.weights_command) {
    line.weights.json = line.weights_output == "json";
    return RunWeightsCommand(line.weights, std::cout, std::cerr);
  }
  if (*line.simulate_command) {
    line.simulate.json = line.simulate_output == "json";
    line.simulate.show_progress = isatty(STDERR_FILENO) == 1;
    return RunSimulateCommand(line.simulate, registry, std::cout, std::cerr);
  }
  if (*line.report_command) {
    return RunReportCommand(line.report_folder, std::cout, std::cerr);
  }
  line.run.json = line.run_output == "json";
  line.run.worker_binary = WorkerBinary();
  if (!line.ui_port.empty()) {
    line.run.ui_port = static_cast<std::uint16_t>(std::atoi(line.ui_port.c_str()));  // free: 0
    line.run.ui_stays = isatty(STDOUT_FILENO) != 0;
  }
  // A failed write returns an error instead of ending the process.
  std::signal(SIGXFSZ, SIG_IGN);
  platform::BlockedSignals signals({SIGINT, SIGTERM, SIGCHLD});
  return RunRunCommand(line.run, registry, started, signals, std::cout, std::cerr);
}

}  // namespace evenkeel::cli
