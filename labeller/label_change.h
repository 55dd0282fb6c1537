#pragma once

#include <map>
#include <optional>
#include <string>

namespace evenkeel::labeller {

/// All labels that are ever set or removed begin so.
inline const std::string kLabelPrefix = "hardware.evenkeel.dev/";
/// Annotation of a Node: the labels that were set by the labeller, as "NAME=VALUE,...", without the
/// prefix. What is not in it, or has another value by now, was set by somebody else and stays.
inline const std::string kMemory = "evenkeel.dev/labelled";

using Labels = std::map<std::string, std::string>;

/// What a Node has, as far as it matters.
struct NodeMetadata {
  Labels labels;
  Labels annotations;
  std::string resource_version;
};

/// What is to be changed; nothing: the label goes.
struct LabelChange {
  std::map<std::string, std::optional<std::string>> labels;
  std::optional<std::string> memory;  ///< new value of the annotation; nothing: as it is

  [[nodiscard]] bool Empty() const { return labels.empty() && !memory; }
};

/// How the node comes to have the `wanted` labels, and those no more that were set here and are not
/// wanted. Labels that somebody else has set win. A measured score, which is never twice the same,
/// stays if it is within 10 % of the new one, or if there is none this time.
[[nodiscard]] LabelChange PlanChange(const NodeMetadata& node, const Labels& wanted);

}  // namespace evenkeel::labeller
