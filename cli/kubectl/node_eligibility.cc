#include "cli/kubectl/node_eligibility.h"

#include <algorithm>

#include "cli/human_text.h"
#include "cli/kubectl/object_places.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;

/// As the scheduler decides it: Toleration.ToleratesTaint of k8s.io/api/core/v1.
bool Tolerates(const json& toleration, const json& taint) {
  const std::string effect = TextAt(toleration, "/effect");
  const std::string key = TextAt(toleration, "/key");
  if (!effect.empty() && effect != TextAt(taint, "/effect")) return false;
  if (!key.empty() && key != TextAt(taint, "/key")) return false;
  if (TextAt(toleration, "/operator") == "Exists") return true;
  return !key.empty() && TextAt(toleration, "/value") == TextAt(taint, "/value");
}

void CheckLabels(const json& node, const JobObject& job, std::vector<std::string>& reasons) {
  const json& labels = ValueAt(node, "/metadata/labels");
  for (const auto& [name, wanted] : job.selector) {
    const bool has = labels.is_object() && labels.contains(name);
    const std::string found = has ? labels[name].dump() : "none";
    if (found == json(wanted).dump()) continue;
    reasons.push_back("spec.nodes.selector asks for " + name + "=" + Printable(wanted, 63) +
                      ", the node has " + Printable(found, 80));
  }
}

void CheckTaints(const json& node, const JobObject& job, std::vector<std::string>& reasons) {
  for (const json& taint : ListAt(node, "/spec/taints")) {
    const std::string effect = TextAt(taint, "/effect");
    const std::string key = TextAt(taint, "/key");
    // Cordoning has its own text, and PreferNoSchedule does not exclude pods.
    if (effect == "PreferNoSchedule" || key == "node.kubernetes.io/unschedulable") continue;
    const bool tolerated =
        std::any_of(job.tolerations.begin(), job.tolerations.end(),
                    [&taint](const json& toleration) { return Tolerates(toleration, taint); });
    if (tolerated) continue;
    const std::string value = TextAt(taint, "/value");
    reasons.push_back("has the taint " +
                      Printable(key + (value.empty() ? "" : "=" + value) + ":" + effect, 200) +
                      ", which spec.nodes.tolerations does not tolerate");
  }
}

void CheckReadiness(const json& node, std::vector<std::string>& reasons) {
  for (const json& condition : ListAt(node, "/status/conditions")) {
    if (TextAt(condition, "/type") != "Ready") continue;
    if (TextAt(condition, "/status") == "True") return;
    reasons.push_back("is not ready: " + Printable(TextAt(condition, "/message"), 200));
    return;
  }
  reasons.emplace_back("has not reported yet that it is ready");
}

}  // namespace

std::vector<std::string> WhatKeepsOff(const json& node, const JobObject& job) {
  std::vector<std::string> reasons;
  if (ValueAt(node, "/spec/unschedulable") == json(true)) {
    reasons.emplace_back("is cordoned (kubectl uncordon lets it in again)");
  }
  CheckReadiness(node, reasons);
  CheckLabels(node, job, reasons);
  CheckTaints(node, job, reasons);
  const std::string system = TextAt(node, "/status/nodeInfo/operatingSystem");
  if (!system.empty() && system != "linux") {
    reasons.push_back("runs " + Printable(system, 40) + ", workers need linux");
  }
  return reasons;
}

}  // namespace evenkeel::cli
