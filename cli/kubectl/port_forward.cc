#include "cli/kubectl/port_forward.h"

#include <charconv>
#include <utility>

#include "core/base/clock.h"

namespace evenkeel::cli {
namespace {

constexpr Duration kForwardingPatience = std::chrono::seconds(30);
/// kubectl says a line for each connection.
constexpr std::size_t kMaxWords = 65536;

/// The port in the whole lines of kubectl's output so far.
std::optional<std::uint16_t> PortIn(std::string_view text) {
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;) {
    if (const auto port = ForwardedPort(text.substr(0, end))) return port;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint16_t> ForwardedPort(std::string_view line) {
  constexpr std::string_view kBegin = "Forwarding from 127.0.0.1:";
  if (!line.starts_with(kBegin)) return std::nullopt;
  line.remove_prefix(kBegin.size());
  std::uint16_t port = 0;
  const auto read = std::from_chars(line.data(), line.data() + line.size(), port);
  const std::string_view rest = line.substr(static_cast<std::size_t>(read.ptr - line.data()));
  if (read.ec != std::errc() || port == 0 || !rest.starts_with(" -> ")) return std::nullopt;
  return port;
}

Result<PortForward> PortForward::Open(const Kubectl& kubectl, const PodPlace& pod,
                                      std::uint16_t pod_port, std::uint16_t local_port,
                                      const platform::BlockedSignals& stop) {
  const std::string local = local_port == 0 ? "" : std::to_string(local_port);
  auto child = ChildProcess::Start(
      kubectl.CommandLine({"port-forward", "--address=127.0.0.1", "--namespace=" + pod.name_space,
                           "pod/" + pod.name, local + ":" + std::to_string(pod_port)}));
  if (!child) return tl::unexpected(child.error());

  const SteadyClock clock;
  const Instant end = clock.Now() + kForwardingPatience;
  for (;;) {
    const bool open = child->Read(end - clock.Now(), stop, kMaxWords);
    if (const auto port = PortIn(child->Out())) return PortForward(*std::move(child), *port);
    if (stop.Arrived()) return Fail(ErrorCode::kUnavailable, "interrupted");
    if (!open) break;
    if (clock.Now() >= end) {
      return Fail(ErrorCode::kUnavailable, "kubectl port-forward was not ready in 30 s");
    }
  }
  const int exit = child->WaitForExit(std::chrono::seconds(5), stop).value_or(1);
  Error error = KubectlError(child->Err(), exit);
  error.code = ErrorCode::kUnavailable;  // a pod that has gone is no slip of the user's
  return tl::unexpected(std::move(error));
}

bool PortForward::Lives(Duration patience, const platform::BlockedSignals& stop) {
  const SteadyClock clock;
  const Instant end = clock.Now() + patience;
  do {
    if (!child_.Read(end - clock.Now(), stop, kMaxWords) || child_.Exit()) return false;
  } while (!stop.Arrived() && clock.Now() < end);
  return true;
}

std::string PortForward::Complaint() const { return KubectlError(child_.Err(), 1).message; }

}  // namespace evenkeel::cli
