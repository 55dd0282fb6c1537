#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"
#include "operator/history/history_source.h"
#include "operator/manifests/job_objects.h"

namespace evenkeel::controller {

/// The command line of evenkeel-operator.
struct OperatorOptions {
  std::string kubeconfig;               ///< empty: the service account of this pod
  std::string context;                  ///< of the kubeconfig; empty: its current one
  std::vector<std::string> namespaces;  ///< where jobs are looked after; empty: everywhere
  std::string image;                    ///< of workers and coordinators of jobs that start now
  std::string key_file;                 ///< secret from which identities of jobs are derived
  std::string previous_key_file;        ///< the one before, during a rotation; may be absent
  /// How long pods may take to read a Secret that has changed, see plan::OperatorSettings.
  Duration secret_propagation = std::chrono::minutes(3);
  std::string listen = "0.0.0.0:8080";  ///< metrics; health as well, for people
  std::string probe_listen;             ///< health alone, for the kubelet; empty: none
  Duration scrape_interval = std::chrono::minutes(1);  ///< of this process's metrics
  std::string own_namespace;                           ///< empty: that of the pod
  std::string identity;  ///< of this replica; empty: the host's name, which is the pod's
  std::vector<std::string> metrics_namespaces;  ///< that may read metrics of jobs; empty: all
  bool metrics_annotations = false;  ///< coordinators carry those that Prometheus may go by
  cluster::DnsSettings dns;          ///< whom pods of jobs may ask for names
  bool leader_elect = false;         ///< with several replicas it must be true
  std::string lease_name = "evenkeel-operator";
  Duration lease_duration = std::chrono::seconds(35);
  Duration renew_deadline = std::chrono::seconds(30);
  Duration retry_period = std::chrono::seconds(5);
  /// Jobs looked at at a time. The rate of requests is what limits the start of many jobs: more of
  /// them at a time would only make each wait for the others.
  int concurrency = 2;
  double requests_per_second = 40;
  int request_burst = 60;
  HistorySettings history;  ///< where to query the rates of earlier jobs
  std::string probe;        ///< not empty: only probe this URL, see probe.h
};

/// A parsed command line: the options, or an exit code (help, version, invalid input) after the
/// message was written.
struct ParsedCommandLine {
  int exit_code = -1;  ///< -1: run with `options`
  OperatorOptions options;
};
[[nodiscard]] ParsedCommandLine ParseCommandLine(int argc, char** argv);

}  // namespace evenkeel::controller
