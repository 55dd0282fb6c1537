#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace evenkeel::model {

/// A DNS-1123 label: 1 to 63 of a-z, 0-9 and '-', with a letter or digit at both ends.
[[nodiscard]] bool IsDnsLabel(std::string_view text);
/// Names of most Kubernetes objects: DNS-1123 labels joined by dots, at most 253 characters.
[[nodiscard]] bool IsDnsSubdomain(std::string_view text);
inline constexpr std::size_t kMaxDnsSubdomain = 253;

/// In a template of the name of an object for each node, stands for the name of the node.
inline constexpr std::string_view kNodePlaceholder = "{node}";
/// Replaces kNodePlaceholder. If the template makes a DNS subdomain with a name of one letter, it
/// makes one with the name of each node, unless that is too long.
[[nodiscard]] std::string NameForNode(std::string_view name_template, std::string_view node);
/// A Kubernetes label value that is not empty: 1 to 63 of A-Z, a-z, 0-9, '-', '_' and '.', with a
/// letter or digit at both ends.
[[nodiscard]] bool IsLabelValue(std::string_view text);
/// A key of labels and annotations: a name of 1 to 63 characters like a label value, after an
/// optional prefix, a DNS subdomain and '/'.
[[nodiscard]] bool IsQualifiedName(std::string_view text);
/// A resource that a node has beside cpu, memory and storage: an extended resource such as
/// nvidia.com/gpu, or huge pages such as hugepages-2Mi. Requests for these equal their limits.
[[nodiscard]] bool IsExtendedResource(std::string_view text);
/// A workload name: a lower-case letter, then letters and digits, at most 56 characters, so that
/// kCustomPrefix + NAME is a label value.
[[nodiscard]] bool IsWorkloadName(std::string_view text);

/// Names of all objects of a job begin with its name. So long that these, and certificates for
/// them, stay valid.
inline constexpr std::size_t kMaxJobName = 50;
/// The name of a WeightedJob in a cluster: a DNS-1123 label of at most kMaxJobName characters that
/// begins with a letter.
[[nodiscard]] bool IsJobName(std::string_view text);

/// The key of spec.workload that contains a user-defined workload.
inline constexpr std::string_view kCustomWorkload = "custom";
/// Prefix of the name of a user-defined workload in JobSpec::workload, metrics and labels.
inline constexpr std::string_view kCustomPrefix = "custom.";

/// Follow "must be " in messages.
inline const std::string kAllowedDnsLabel =
    "1 to 63 lower-case letters, digits or '-', with a letter or digit at both ends";
inline const std::string kAllowedJobName =
    "1 to 50 lower-case letters, digits or '-', beginning with a letter and ending with a letter "
    "or digit";
inline const std::string kAllowedDnsSubdomain =
    "1 to 253 lower-case letters, digits, '-' or '.', with a letter or digit at both ends";
inline const std::string kAllowedLabelValue =
    "1 to 63 letters, digits, '-', '_' or '.', with a letter or digit at both ends";

inline const std::string kAllowedQualifiedName =
    "a name of 1 to 63 letters, digits, '-', '_' or '.', with a letter or digit at both ends, "
    "after "
    "an optional domain and '/'";

}  // namespace evenkeel::model
