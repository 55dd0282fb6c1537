#pragma once

#include <map>
#include <optional>
#include <string>

namespace evenkeel::labeller {

/// All labels that are ever set or removed begin so.
inline const std::string kLabelPrefix = "hardware.evenkeel.dev/";
/// Annotation of a Node: the labels that were set by the labeller, as "NAME=VALUE,...", without the
/// prefix. Labels that it lacks or has with another value belong to others and stay.
inline const std::string kMemory = "evenkeel.dev/labelled";

using Labels = std::map<std::string, std::string>;

/// The metadata of a Node that the labeller uses.
struct NodeMetadata {
  Labels labels;
  Labels annotations;
  std::string resource_version;
};

/// Changes of a Node. A label without a value is removed.
struct LabelChange {
  std::map<std::string, std::optional<std::string>> labels;
  std::optional<std::string> memory;  ///< new value of the annotation; nothing: as it is

  [[nodiscard]] bool Empty() const { return labels.empty() && !memory; }
};

/// How the node comes to have the `wanted` labels, and those no more that were set here and are not
/// wanted. Labels set by others take precedence. A measured score varies with each measurement: it
/// stays if it is within 10 % of the new one, or if there is none this time.
[[nodiscard]] LabelChange PlanChange(const NodeMetadata& node, const Labels& wanted);

}  // namespace evenkeel::labeller
