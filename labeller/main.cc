#include <signal.h>
#include <sys/utsname.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/printable.h"
#include "core/model/names.h"
#include "labeller/board_look.h"
#include "labeller/board_text.h"
#include "labeller/kube_node_labels.h"
#include "labeller/pauses.h"
#include "labeller/plain_text.h"
#include "platform/files.h"
#include "platform/signals.h"

namespace evenkeel::labeller {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kBadUsage = 2;
constexpr int kTriesOfOnce = 4;

struct CommandLine {
  LookOptions look;
  std::string root = "/";
  std::string node;
  std::string kubeconfig;
  std::string feature_file;
  double interval_seconds = 3600;
  bool once = false;
  bool print = false;
};

void Describe(CLI::App& app, CommandLine& line) {
  app.add_option("--node", line.node, "Name of this node [environment NODE_NAME]");
  app.add_option("--root", line.root, "Where the host's files are mounted [/]");
  auto* interval =
      app.add_option("--interval", line.interval_seconds, "Seconds between looks [3600]")
          ->check(CLI::Range(10.0, 1e7));
  app.add_flag("--once", line.once, "Look once and end")->excludes(interval);
  app.add_flag("--print", line.print, "Print the facts and change nothing");
  app.add_flag("!--no-probe", line.look.probe, "Do not measure the speed");
  app.add_option("--nfd-file", line.feature_file,
                 "Write a feature file of Node Feature Discovery instead of labels");
  app.add_option("--kubeconfig", line.kubeconfig, "How to reach the cluster from outside of it");
  app.footer("Exit codes: 0 done, 1 failed, 2 bad usage.");
}

std::string KernelMachine() {
  utsname names{};
  return uname(&names) == 0 ? names.machine : "";
}

/// Puts the facts where they belong.
class Publisher {
 public:
  explicit Publisher(const CommandLine& line) : line_(line) {}

  Result<void> Connect() {
    if (!line_.feature_file.empty()) return {};
    auto cluster = Cluster::Connect(line_.kubeconfig);
    if (!cluster) return tl::unexpected(cluster.error());
    cluster_ = *std::move(cluster);
    node_ = MakeKubeNodeLabels(cluster_->Client(), line_.node);
    return {};
  }

  Result<void> Publish(const BoardFacts& facts) {
    if (node_) return Label(facts);
    // The facts expire if three rounds are missed.
    const auto expires = line_.once ? std::nullopt
                                    : std::optional(platform::FromUnixSeconds(
                                          WallClockSeconds() + 3 * line_.interval_seconds));
    // NFD ignores the hidden file that this is written to first.
    return platform::WriteFileAtomically(line_.feature_file, FeatureFileOf(facts, expires));
  }

 private:
  Result<void> Label(const BoardFacts& facts) {
    const auto change = ApplyLabels(*node_, LabelsOf(facts));
    if (!change) return tl::unexpected(change.error());
    for (const auto& [label, value] : change->labels) {
      Log(LogLevel::kInfo, value ? label + "=" + *value : label + " removed");
    }
    return {};
  }

  const CommandLine& line_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<NodeLabels> node_;
};

int Work(const CommandLine& line) {
  Publisher publisher(line);
  if (const auto connected = publisher.Connect(); !connected) {
    std::fprintf(stderr, "evenkeel-labeller: %s\n", connected.error().message.c_str());
    return connected.error().code == ErrorCode::kInvalidInput ? kBadUsage : kFailed;
  }
  std::random_device seed;
  Pauses pauses(FromSeconds(line.interval_seconds), seed());
  for (;;) {
    const BoardLook look = LookAtBoard(line.look);
    for (const std::string& note : look.facts.notes) Log(LogLevel::kInfo, note);
    Duration pause{};
    if (const auto published = publisher.Publish(look.facts)) {
      if (line.once) return kDone;
      pause = pauses.AfterSuccess(look.probe_put_off);
    } else {
      Log(LogLevel::kWarning, published.error().message);
      pause = pauses.AfterFailure();
      if (line.once && pauses.Failures() == kTriesOfOnce) return kFailed;
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace
}  // namespace evenkeel::labeller

int main(int argc, char** argv) {
  using namespace evenkeel::labeller;
  CommandLine line;
  CLI::App app("Labels this node with the facts of its board", "evenkeel-labeller");
  Describe(app, line);
  if (const char* name = std::getenv("NODE_NAME")) line.node = name;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadUsage;
  }
  line.look.root = line.root;
  line.look.kernel_machine = KernelMachine();
  if (line.print) {
    std::fputs(YamlOf(LookAtBoard(line.look).facts).c_str(), stdout);
    return kDone;
  }
  if (line.feature_file.empty() && !evenkeel::model::IsDnsSubdomain(line.node)) {
    std::fprintf(stderr, "evenkeel-labeller: --node: must be the name of a node, is \"%s\"\n",
                 evenkeel::PrintableAscii(line.node, kMaxTextBytes).c_str());
    return kBadUsage;
  }
  // Nothing has to be cleaned up, so a signal ends the process at once, also during a request. The
  // first process of a container does not end by a signal's default action.
  evenkeel::platform::BlockedSignals signals({SIGTERM, SIGINT});
  const evenkeel::platform::SignalThread signal_thread(
      signals, {[](int signal) { std::_Exit(signal == SIGTERM ? kDone : 128 + signal); }});
  evenkeel::SetLogLevel(evenkeel::LogLevel::kInfo);
  return Work(line);
}
