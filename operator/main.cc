#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <string>

#include "core/base/log.h"
#include "operator/health.h"
#include "operator/options.h"
#include "operator/process.h"
#include "platform/signals.h"

namespace {

constexpr int kFailed = 1;
constexpr int kBadInput = 2;

std::atomic<bool> g_lost_lead{false};

int Complain(const evenkeel::Error& error) {
  std::fprintf(stderr, "evenkeel-operator: %s\n", error.message.c_str());
  return error.code == evenkeel::ErrorCode::kInvalidInput ? kBadInput : kFailed;
}

int AskOnce(const std::string& url) {
  const auto answer = evenkeel::controller::Probe(url);
  if (!answer) return Complain(answer.error());
  std::printf("%s\n", answer->c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  using evenkeel::controller::OperatorProcess;
  const auto line = evenkeel::controller::ParseCommandLine(argc, argv);
  if (line.exit_code >= 0) return line.exit_code;
  // One arena for each of some thirty threads would be most of the memory that the operator takes.
  mallopt(M_ARENA_MAX, 2);
  evenkeel::SetLogLevel(evenkeel::LogLevel::kInfo);
  if (!line.options.probe.empty()) return AskOnce(line.options.probe);
  evenkeel::platform::BlockedSignals signals({SIGTERM, SIGINT});
  auto process = OperatorProcess::Make(line.options, [] {
    g_lost_lead = true;
    ::kill(::getpid(), SIGTERM);
  });
  if (!process) return Complain(process.error());
  if (const auto started = (*process)->Start(); !started) return Complain(started.error());
  static_cast<void>(signals.Wait());
  if (g_lost_lead) {
    evenkeel::Log(evenkeel::LogLevel::kError,
                  "this replica may not act without the lease; it ends, to begin anew");
    // Whatever is under way may not go on for another moment.
    std::_Exit(kFailed);
  }
  (*process)->Stop();
  return 0;
}
