#include "coordinator/service/options.h"

#include <CLI/CLI.hpp>

namespace evenkeel::coordinator {
namespace {

void Describe(CLI::App& app, ServiceOptions& options) {
  app.set_version_flag("--version", EVENKEEL_VERSION);
  app.add_option("--job", options.job_file, "The WeightedJob manifest")->required();
  app.add_option("--nodes", options.nodes_file,
                 "The nodes, a JSON list of {\"name\", \"ratio\", \"weight\"}")
      ->required();
  app.add_option("--folder", options.folder, "Folder of the journal and the results")->required();
  app.add_option("--listen", options.listen, "IP:PORT for workers, with mutual TLS")
      ->capture_default_str();
  app.add_option("--tls-ca", options.tls_ca, "File: who may be trusted (PEM)")->required();
  app.add_option("--tls-cert", options.tls_certificate, "File: who we are (PEM)")->required();
  app.add_option("--tls-key", options.tls_key, "File: our key (PEM)")->required();
  app.add_option("--health-listen", options.health_listen,
                 "IP:PORT of /healthz, /readyz and /metrics")
      ->capture_default_str();
  app.add_option("--probe-listen", options.probe_listen,
                 "IP:PORT of the same for probes, which connections for metrics cannot block")
      ->capture_default_str();
  app.add_option("--control-listen", options.control_listen, "IP:PORT for the operator, with HTTPS")
      ->capture_default_str();
  app.add_option("--control-token-file", options.control_token_file,
                 "File: the token that the operator shows")
      ->required();
  app.add_option("--pages-listen", options.pages_listen,
                 "IP:PORT of report and results; an address that only this host reaches")
      ->capture_default_str();
  app.add_option("--snapshot", options.snapshot,
                 "File: a journal to go on from if the folder has none");
  app.add_option("--inputs", options.inputs, "Folder of the workload's input files");
  app.add_option("--learned-costs", options.learned_costs,
                 "Folder of the costs that earlier jobs of the same profile learned");
  app.add_option("--earlier", options.earlier,
                 "Folder of the earlier job whose tasks spec.rerun runs again; only read");
  app.add_option("--launcher-socket", options.launcher_socket,
                 "Where the launcher of the reduce command listens (default: one is started here)");
  app.add_option("--namespace", options.name_space, "Namespace of the job")->required();
  app.footer(
      "Exit codes: 0 told to stop, 1 trouble, 2 bad input, 5 another coordinator has the job.");
}

bool OfThisHostOnly(const std::string& address) {
  return address.rfind("127.", 0) == 0 || address.rfind("[::1]:", 0) == 0;
}

}  // namespace

Result<std::optional<ServiceOptions>> ParseServiceOptions(int argc, const char* const* argv) {
  ServiceOptions options;
  CLI::App app("Coordinates one job: gives out its tasks, keeps their results",
               "evenkeel-coordinator");
  Describe(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return InvalidInput(error.what());
    app.exit(error);
    return std::nullopt;
  }
  if (!OfThisHostOnly(options.pages_listen)) {
    return InvalidInput("--pages-listen: must be 127.0.0.1:PORT or [::1]:PORT, is " +
                        options.pages_listen);
  }
  return options;
}

}  // namespace evenkeel::coordinator
