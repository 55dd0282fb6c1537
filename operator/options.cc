#include "operator/options.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <string>

#include "core/model/names.h"

namespace evenkeel::controller {
namespace {

constexpr int kBadUsage = 2;

struct Seconds {
  double lease = 35;
  double renew = 30;
  double retry = 5;
  double prometheus = 2;
  double propagation = 180;
  double scrape = 60;
};

void DescribeHistory(CLI::App& app, OperatorOptions& options, Seconds& seconds) {
  HistorySettings& history = options.history;
  app.add_option("--prometheus-url", history.address.url,
                 "Prometheus that scrapes this operator: its history goes into weights");
  app.add_flag("--discover-prometheus", history.discover,
               "Look for a Prometheus where it usually is, unless --prometheus-url is given");
  app.add_option("--prometheus-namespace", history.namespaces,
                 "Namespace to look in; may be given several times (default: the usual ones)");
  app.add_option("--prometheus-token-file", history.address.token_file,
                 "File with the bearer token that is shown to it (https only)");
  app.add_option("--prometheus-ca-file", history.address.ca_file,
                 "File with the certificates to know it by (needed for https)");
  app.add_option("--prometheus-timeout", seconds.prometheus, "Seconds that an answer may take [2]")
      ->check(CLI::Range(0.1, 30.0));
  app.add_option("--history-window", history.options.window_seconds,
                 "Seconds that are looked back; older work counts less [604800]")
      ->check(CLI::Range(64, 366 * 86400));
}

/// Reads labels KEY=VALUE. Throws CLI::ValidationError.
std::map<std::string, std::string> ReadLabels(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> labels;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    const std::string name = key.substr(key.find('/') + 1);
    const std::string prefix = key.substr(0, key.size() - name.size());
    const bool is_label =
        equals != std::string::npos && model::IsLabelValue(name) &&
        (prefix.empty() || model::IsDnsSubdomain(prefix.substr(0, prefix.size() - 1))) &&
        model::IsLabelValue(text.substr(equals + 1));
    if (!is_label) {
      throw CLI::ValidationError("--dns-label", "must be a label KEY=VALUE, is \"" + text + "\"");
    }
    labels[key] = text.substr(equals + 1);
  }
  return labels;
}

void DescribeDns(CLI::App& app, cluster::DnsSettings& dns) {
  const auto why_invalid = [](const std::string& name) {
    return model::IsDnsLabel(name) ? std::string() : "must be " + model::kAllowedDnsLabel;
  };
  app.add_option("--dns-namespace", dns.namespace_name,
                 "Namespace of the name servers that pods of jobs may reach [kube-system]")
      ->check(CLI::Validator(why_invalid, ""));
  app.add_option_function<std::vector<std::string>>(
      "--dns-label", [&dns](const auto& texts) { dns.labels = ReadLabels(texts); },
      "Label KEY=VALUE of the name servers; may be given several times [k8s-app=kube-dns]");
  app.add_flag_callback(
      "--dns-anywhere", [&dns] { dns.namespace_name.clear(); },
      "Let pods of jobs reach port 53 of every destination");
}

void DescribeElection(CLI::App& app, OperatorOptions& options, Seconds& seconds) {
  const auto range = CLI::Range(1.0, 3600.0);
  app.add_flag("--leader-elect", options.leader_elect,
               "Act only while holding the Lease; needed if there are several replicas");
  app.add_option("--lease-name", options.lease_name, "Name of the Lease [evenkeel-operator]");
  app.add_option("--lease-duration", seconds.lease,
                 "Seconds that others wait for a silent leader [35]")
      ->check(range);
  app.add_option("--renew-deadline", seconds.renew,
                 "Seconds after which a leader that cannot renew gives up [30]")
      ->check(range);
  app.add_option("--retry-period", seconds.retry, "Seconds between attempts [5]")->check(range);
}

void Describe(CLI::App& app, OperatorOptions& options, Seconds& seconds) {
  app.add_option("--kubeconfig", options.kubeconfig,
                 "How to reach the API server (default: the pod's service account)");
  app.add_option("--context", options.context, "Context of the kubeconfig");
  app.add_option("--namespace", options.namespaces,
                 "Look after jobs in this namespace only; may be given several times");
  app.add_option("--worker-image", options.image, "Image of workers and coordinators (required)");
  app.add_option(
      "--key-file", options.key_file,
      "File with the secret that certificates and tokens of jobs are derived from (required)");
  app.add_option(
      "--previous-key-file", options.previous_key_file,
      "File with the secret that was used before, while jobs move to the new one; may be "
      "absent");
  app.add_option("--secret-propagation", seconds.propagation,
                 "Seconds that pods may take to read a Secret that has changed [180]")
      ->check(CLI::Range(1.0, 86400.0));
  app.add_option("--listen", options.listen, "Address of metrics and health [0.0.0.0:8080]");
  app.add_option(
      "--probe-listen", options.probe_listen,
      "Address of health alone, which connections for metrics cannot block (default: none)");
  app.add_option("--scrape-interval", seconds.scrape,
                 "Seconds between two scrapes of this operator's metrics; what nodes did for jobs "
                 "is shown as 0 for twice as long, so that Prometheus sees it rise [60]")
      ->check(CLI::Range(0.1, 3600.0));
  app.add_option("--own-namespace", options.own_namespace,
                 "Namespace of the operator (default: that of the pod)");
  app.add_option("--identity", options.identity,
                 "Name of this replica in the Lease and in events (default: the host's)");
  app.add_option("--metrics-namespaces", options.metrics_namespaces,
                 "Namespaces whose pods may read metrics of jobs (default: all)");
  app.add_flag("--metrics-annotations", options.metrics_annotations,
               "Annotate coordinators with prometheus.io/scrape, port and path");
  app.add_option("--concurrency", options.concurrency,
                 "Maximum number of concurrent reconciles [2]")
      ->check(CLI::Range(1, 64));
  app.add_option("--qps", options.requests_per_second, "Requests to the API server a second [40]")
      ->check(CLI::Range(1.0, 10000.0));
  app.add_option("--burst", options.request_burst, "Requests at once [60]")
      ->check(CLI::Range(1, 10000));
  app.add_option("--probe", options.probe,
                 "Ask this URL, print the answer, and end: with 0 if its status is 200");
}

/// Empty, or what is missing.
std::string Missing(const OperatorOptions& options) {
  if (!options.probe.empty()) return {};
  if (options.image.empty()) return "--worker-image is required";
  return options.key_file.empty() ? "--key-file is required" : "";
}

}  // namespace

ParsedCommandLine ParseCommandLine(int argc, char** argv) {
  ParsedCommandLine parsed;
  Seconds seconds;
  CLI::App app{"Looks after WeightedJobs in a Kubernetes cluster", "evenkeel-operator"};
  app.set_version_flag("--version", EVENKEEL_VERSION);
  Describe(app, parsed.options, seconds);
  DescribeElection(app, parsed.options, seconds);
  DescribeHistory(app, parsed.options, seconds);
  DescribeDns(app, parsed.options.dns);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      parsed.exit_code = app.exit(error);
    } else {
      std::cerr << "evenkeel-operator: " << error.what() << '\n';
      parsed.exit_code = kBadUsage;
    }
    return parsed;
  }
  if (const std::string missing = Missing(parsed.options); !missing.empty()) {
    std::cerr << "evenkeel-operator: " << missing << '\n';
    parsed.exit_code = kBadUsage;
    return parsed;
  }
  parsed.options.secret_propagation = FromSeconds(seconds.propagation);
  parsed.options.scrape_interval = FromSeconds(seconds.scrape);
  parsed.options.lease_duration = FromSeconds(seconds.lease);
  parsed.options.renew_deadline = FromSeconds(seconds.renew);
  parsed.options.retry_period = FromSeconds(seconds.retry);
  parsed.options.history.options.timeout = FromSeconds(seconds.prometheus);
  return parsed;
}

}  // namespace evenkeel::controller
