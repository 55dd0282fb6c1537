#pragma once

#include <string>
#include <vector>

#include "cli/kubectl/cluster.h"
#include "platform/signals.h"

namespace evenkeel::cli {

/// How kubectl is to reach the cluster; empty: as it does by itself.
struct KubectlFlags {
  std::string context;
  std::string kubeconfig;
  std::string as;  ///< impersonated user
  std::string name_space;
};

/// Reads and changes the cluster by running kubectl, so that every way to log in that kubectl knows
/// works, and nothing that kubectl's user may not see is shown. Used by one thread.
class Kubectl final : public Cluster {
 public:
  /// `stop` must outlive it; a signal ends what is under way with kUnavailable.
  Kubectl(KubectlFlags flags, const platform::BlockedSignals& stop);

  [[nodiscard]] Result<nlohmann::json> Get(const std::vector<std::string>& arguments) override;
  [[nodiscard]] Result<void> Create(const nlohmann::json& object) override;

  /// A command line: "kubectl", the words, then the flags, the namespace among them unless the
  /// words name one themselves.
  [[nodiscard]] std::vector<std::string> CommandLine(std::vector<std::string> words) const;

 private:
  /// Runs kubectl with `input` as its standard input, and returns its output. Errors as of Get.
  [[nodiscard]] Result<std::string> Run(std::vector<std::string> words, const std::string& input);

  KubectlFlags flags_;
  const platform::BlockedSignals& stop_;
};

/// The error that kubectl's complaint stands for.
[[nodiscard]] Error KubectlError(const std::string& complaint, int exit_code);

}  // namespace evenkeel::cli
