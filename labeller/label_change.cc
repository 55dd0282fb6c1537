#include "labeller/label_change.h"

#include <cmath>
#include <sstream>

#include "core/model/decimal.h"
#include "labeller/speed_probe.h"

namespace evenkeel::labeller {
namespace {

constexpr double kSameScore = 0.1;

/// The labels that were set here, with the values they were given, as the annotation has them.
Labels Remembered(const NodeMetadata& node) {
  Labels remembered;
  const auto annotation = node.annotations.find(kMemory);
  if (annotation == node.annotations.end()) return remembered;
  std::istringstream entries(annotation->second);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    remembered[kLabelPrefix + entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return remembered;
}

std::string Written(const Labels& remembered) {
  std::string text;
  for (const auto& [name, value] : remembered) {
    text += (text.empty() ? "" : ",") + name.substr(kLabelPrefix.size()) + "=" + value;
  }
  return text;
}

bool IsAsGood(const std::string& label, const std::string& has, const std::string& wanted) {
  if (has == wanted || label != kProbeScore) return has == wanted;
  const auto old_score = model::ParseDecimal(has);
  const auto new_score = model::ParseDecimal(wanted);
  return old_score && new_score && std::abs(*old_score - *new_score) <= kSameScore * *new_score;
}

}  // namespace

LabelChange PlanChange(const NodeMetadata& node, const Labels& wanted) {
  const Labels before = Remembered(node);
  const auto is_others = [&](const std::string& label) {
    const auto has = node.labels.find(label);
    if (has == node.labels.end()) return false;
    const auto set = before.find(label);
    return set == before.end() || set->second != has->second;
  };

  LabelChange change;
  Labels after;
  for (const auto& [label, value] : wanted) {
    if (!label.starts_with(kLabelPrefix) || is_others(label)) continue;
    const auto has = node.labels.find(label);
    const bool good = has != node.labels.end() && IsAsGood(label, has->second, value);
    after[label] = good ? has->second : value;
    if (!good) change.labels[label] = value;
  }
  for (const auto& [label, value] : before) {
    if (wanted.contains(label) || !node.labels.contains(label) || is_others(label)) continue;
    if (label == kProbeScore) {
      after[label] = value;
    } else {
      change.labels[label] = std::nullopt;
    }
  }
  if (after != before) change.memory = Written(after);
  return change;
}

}  // namespace evenkeel::labeller
