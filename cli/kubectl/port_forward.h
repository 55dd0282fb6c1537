#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/kubectl/child_process.h"
#include "cli/kubectl/kubectl.h"

namespace evenkeel::cli {

/// The local port in a line of `kubectl port-forward`, such as "Forwarding from 127.0.0.1:40123 ->
/// 7403"; nothing in other lines.
[[nodiscard]] std::optional<std::uint16_t> ForwardedPort(std::string_view line);

/// A local port behind which a port of a pod answers, as long as this lives and kubectl's
/// connection holds. Only this machine can connect. Used by one thread.
class PortForward {
 public:
  /// Takes `local_port`, 0: any that is free. Errors: kUnavailable, in kubectl's words.
  [[nodiscard]] static Result<PortForward> Open(const Kubectl& kubectl, const PodPlace& pod,
                                                std::uint16_t pod_port, std::uint16_t local_port,
                                                const platform::BlockedSignals& stop);

  [[nodiscard]] std::uint16_t LocalPort() const { return local_port_; }
  /// False once kubectl has ended, because the pod or the connection has gone. Waits for that, or
  /// for a signal, at most so long.
  bool Lives(Duration patience, const platform::BlockedSignals& stop);
  /// kubectl's last words.
  [[nodiscard]] std::string Complaint() const;

 private:
  PortForward(ChildProcess child, std::uint16_t local_port)
      : child_(std::move(child)), local_port_(local_port) {}

  ChildProcess child_;
  std::uint16_t local_port_;
};

}  // namespace evenkeel::cli
