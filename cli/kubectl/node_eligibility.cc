#include "cli/kubectl/node_eligibility.h"

#include <algorithm>

#include "cli/human_text.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;

/// Text at a place of an object; empty if there is none.
std::string TextIn(const json& object, const char* place) {
  const json::json_pointer pointer(place);
  if (!object.contains(pointer) || !object.at(pointer).is_string()) return {};
  return object.at(pointer).get<std::string>();
}

const json& List(const json& object, const char* place) {
  static const json kNone = json::array();
  const json::json_pointer pointer(place);
  return object.contains(pointer) && object.at(pointer).is_array() ? object.at(pointer) : kNone;
}

/// As the scheduler decides it: Toleration.ToleratesTaint of k8s.io/api/core/v1.
bool Tolerates(const json& toleration, const json& taint) {
  const std::string effect = TextIn(toleration, "/effect");
  const std::string key = TextIn(toleration, "/key");
  if (!effect.empty() && effect != TextIn(taint, "/effect")) return false;
  if (!key.empty() && key != TextIn(taint, "/key")) return false;
  if (TextIn(toleration, "/operator") == "Exists") return true;
  return !key.empty() && TextIn(toleration, "/value") == TextIn(taint, "/value");
}

void CheckLabels(const json& node, const JobObject& job, std::vector<std::string>& reasons) {
  static const json kNone = json::object();
  const json::json_pointer place("/metadata/labels");
  const json& labels = node.contains(place) ? node.at(place) : kNone;
  for (const auto& [name, wanted] : job.selector) {
    const bool has = labels.is_object() && labels.contains(name);
    const std::string found = has ? labels[name].dump() : "none";
    if (found == json(wanted).dump()) continue;
    reasons.push_back("spec.nodes.selector asks for " + name + "=" + Printable(wanted, 63) +
                      ", the node has " + Printable(found, 80));
  }
}

void CheckTaints(const json& node, const JobObject& job, std::vector<std::string>& reasons) {
  for (const json& taint : List(node, "/spec/taints")) {
    const std::string effect = TextIn(taint, "/effect");
    const std::string key = TextIn(taint, "/key");
    // Cordoning is said in plainer words, and PreferNoSchedule keeps nobody off.
    if (effect == "PreferNoSchedule" || key == "node.kubernetes.io/unschedulable") continue;
    const bool tolerated =
        std::any_of(job.tolerations.begin(), job.tolerations.end(),
                    [&taint](const json& toleration) { return Tolerates(toleration, taint); });
    if (tolerated) continue;
    const std::string value = TextIn(taint, "/value");
    reasons.push_back("has the taint " +
                      Printable(key + (value.empty() ? "" : "=" + value) + ":" + effect, 200) +
                      ", which spec.nodes.tolerations does not tolerate");
  }
}

void CheckReadiness(const json& node, std::vector<std::string>& reasons) {
  for (const json& condition : List(node, "/status/conditions")) {
    if (TextIn(condition, "/type") != "Ready") continue;
    if (TextIn(condition, "/status") == "True") return;
    reasons.push_back("is not ready: " + Printable(TextIn(condition, "/message"), 200));
    return;
  }
  reasons.emplace_back("has not reported yet that it is ready");
}

}  // namespace

std::vector<std::string> WhatKeepsOff(const json& node, const JobObject& job) {
  std::vector<std::string> reasons;
  const json::json_pointer cordoned("/spec/unschedulable");
  if (node.contains(cordoned) && node.at(cordoned) == json(true)) {
    reasons.emplace_back("is cordoned (kubectl uncordon lets it in again)");
  }
  CheckReadiness(node, reasons);
  CheckLabels(node, job, reasons);
  CheckTaints(node, job, reasons);
  const std::string system = TextIn(node, "/status/nodeInfo/operatingSystem");
  if (!system.empty() && system != "linux") {
    reasons.push_back("runs " + Printable(system, 40) + ", workers need linux");
  }
  return reasons;
}

}  // namespace evenkeel::cli
