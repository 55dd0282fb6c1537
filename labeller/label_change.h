#pragma once

#include <map>
#include <optional>
#include <string>

namespace evenkeel::labeller {

/// All labels that are ever set or removed begin so.
inline const std::string kLabelPrefix = "hardware.evenkeel.dev/";
/// Annotation of a Node: the labels that were set by the labeller, as "NAME=VALUE,...", without the
/// prefix. Labels that are not in it, or have another value by now, are foreign and stay.
inline const std::string kMemory = "evenkeel.dev/labelled";

using Labels = std::map<std::string, std::string>;

/// The metadata of a Node in use.
struct NodeMetadata {
  Labels labels;
  Labels annotations;
  std::string resource_version;
};

/// The labels to change; without a value, the label is removed.
struct LabelChange {
  std::map<std::string, std::optional<std::string>> labels;
  std::optional<std::string> memory;  ///< new value of the annotation; nothing: as it is

  [[nodiscard]] bool Empty() const { return labels.empty() && !memory; }
};

/// How the node comes to have the `wanted` labels, and those no more that were set here and are not
/// wanted. Foreign labels win. A measured score, which is never twice the same,
/// stays if it is within 10 % of the new one, or if there is none this time.
[[nodiscard]] LabelChange PlanChange(const NodeMetadata& node, const Labels& wanted);

}  // namespace evenkeel::labeller
