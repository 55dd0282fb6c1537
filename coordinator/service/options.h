#pragma once

#include <optional>
#include <string>

#include "core/base/error.h"

namespace evenkeel::coordinator {

/// The command line of evenkeel-coordinator.
struct ServiceOptions {
  std::string job_file;       ///< the manifest
  std::string nodes_file;     ///< [{"name", "ratio", "weight"}]
  std::string folder;         ///< of journal and results
  std::string snapshot;       ///< empty: none
  std::string inputs;         ///< folder of the workload's input files; empty: none
  std::string learned_costs;  ///< folder of the costs that earlier jobs learned; empty: none
  std::string earlier;        ///< folder of the job of spec.rerun; empty: none
  std::string
      launcher_socket;     ///< of the launcher that runs the reduce command; empty: one is started
  std::string name_space;  ///< of the job: in the certificates of its workers and the metrics
  std::string listen = "0.0.0.0:7400";
  std::string health_listen = "0.0.0.0:7401";
  std::string probe_listen = "0.0.0.0:7405";
  std::string control_listen = "0.0.0.0:7402";
  std::string pages_listen = "127.0.0.1:7403";
  std::string tls_ca;
  std::string tls_certificate;
  std::string tls_key;
  std::string control_token_file;
};

/// Reads the command line. Nothing: --help or --version was answered. kInvalidInput is one line.
[[nodiscard]] Result<std::optional<ServiceOptions>> ParseServiceOptions(int argc,
                                                                        const char* const* argv);

}  // namespace evenkeel::coordinator
