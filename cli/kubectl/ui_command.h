#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "cli/kubectl/kubectl.h"

namespace evenkeel::cli {

struct UiOptions {
  std::string job;              ///< empty: the page of all jobs and boards
  std::string namespace_name;   ///< as given; empty: that of the kubeconfig
  bool all_namespaces = false;  ///< only without a job
  std::uint16_t port = 0;       ///< on this machine; 0: any that is free
  bool open = false;            ///< in the browser
};

/// `kubectl evenkeel ui JOB`: makes the live page of the job, and the other pages of its
/// coordinator, reachable on this machine and says where, until SIGINT or SIGTERM. A coordinator
/// that is not there yet is waited for, and a connection that breaks is made again, on the same
/// port, also to a coordinator that has replaced the one before; after two minutes without one it
/// gives up. Returns the exit code.
/// Without a job: serves a page of all jobs and boards that this user may list, also until a
/// signal. It reads the cluster only while a page is open, and at most a third of the time.
int RunUiCommand(const UiOptions& options, Kubectl& kubectl, const platform::BlockedSignals& stop,
                 std::ostream& out, std::ostream& err);

}  // namespace evenkeel::cli
