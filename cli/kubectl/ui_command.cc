#include "cli/kubectl/ui_command.h"

#include <optional>
#include <ostream>

#include "cli/kubectl/command_end.h"
#include "cli/kubectl/coordinator_pod.h"
#include "cli/kubectl/job_object.h"
#include "cli/kubectl/port_forward.h"
#include "core/base/clock.h"

namespace evenkeel::cli {
namespace {

constexpr Duration kLook = std::chrono::minutes(1);
constexpr Duration kPause = std::chrono::seconds(2);
constexpr Duration kGiveUp = std::chrono::minutes(1);

Result<PortForward> Open(Kubectl& kubectl, const JobObject& job, std::uint16_t port,
                         const StopSignals& stop) {
  const auto pod = FindCoordinator(kubectl, job.name_space, job.name);
  if (!pod) return tl::unexpected(pod.error());
  return PortForward::Open(kubectl, *pod, kPagesPort, port, stop);
}

void SayWhere(std::uint16_t port, std::ostream& out) {
  const std::string begin = "http://127.0.0.1:" + std::to_string(port);
  out << begin << "/report.html\n"
      << "also there: /summary.json /timeline.jsonl /metrics.prom /results/; Ctrl-C ends it"
      << std::endl;
}

/// Waits for the end of a connection; false: a signal came first.
bool WaitForEnd(PortForward& forward, const StopSignals& stop) {
  while (forward.Lives(kLook, stop)) {
    if (stop.Arrived()) return false;
  }
  return !stop.Arrived();
}

Result<void> Serve(const std::string& name, Kubectl& kubectl, const StopSignals& stop,
                   std::ostream& out, std::ostream& err) {
  if (auto named = CheckJobName(name); !named) return named;
  const auto object = kubectl.Get({kJobs, name});
  if (!object) return tl::unexpected(object.error());
  const JobObject job = ReadJobObject(*object);

  auto forward = Open(kubectl, job, 0, stop);
  if (!forward) return tl::unexpected(forward.error());
  const std::uint16_t port = forward->LocalPort();
  SayWhere(port, out);

  const SteadyClock clock;
  std::optional<PortForward> open(*std::move(forward));
  while (WaitForEnd(*open, stop)) {
    err << "kubectl-evenkeel: " << open->Complaint() << "; connecting again" << std::endl;
    open.reset();
    for (const Instant give_up = clock.Now() + kGiveUp; !open;) {
      if (stop.WaitFor(kPause)) return {};
      auto again = Open(kubectl, job, port, stop);
      if (again) {
        open.emplace(*std::move(again));
        out << "connected again" << std::endl;
      } else if (clock.Now() >= give_up || again.error().code != ErrorCode::kUnavailable) {
        return tl::unexpected(again.error());
      }
    }
  }
  return {};
}

}  // namespace

int RunUiCommand(const std::string& job, Kubectl& kubectl, const StopSignals& stop,
                 std::ostream& out, std::ostream& err) {
  const auto served = Serve(job, kubectl, stop, out, err);
  if (served || stop.Arrived()) return kDone;  // this is how it is meant to end
  return Complain(served.error(), stop, err);
}

}  // namespace evenkeel::cli
