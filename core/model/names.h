#pragma once

#include <string>
#include <string_view>

namespace evenkeel::model {

/// A DNS-1123 label: 1 to 63 of a-z, 0-9 and '-', with a letter or digit at both ends.
[[nodiscard]] bool IsDnsLabel(std::string_view text);
/// Names of most Kubernetes objects: DNS-1123 labels joined by dots, at most 253 characters.
[[nodiscard]] bool IsDnsSubdomain(std::string_view text);
/// Kubernetes' label values, but not empty: 1 to 63 of A-Z, a-z, 0-9, '-', '_' and '.', with a
/// letter or digit at both ends.
[[nodiscard]] bool IsLabelValue(std::string_view text);
/// What a workload may be called: a lower-case letter, then letters and digits, at most 56 of them:
/// as kCustomPrefix + NAME it is still a label value.
[[nodiscard]] bool IsWorkloadName(std::string_view text);

/// The key of spec.workload below which workloads stand that are not Evenkeel's.
inline constexpr std::string_view kCustomWorkload = "custom";
/// What the name of such a workload begins with, in JobSpec::workload and wherever it is known.
inline constexpr std::string_view kCustomPrefix = "custom.";

/// For messages, following "must be ".
inline const std::string kAllowedDnsLabel =
    "1 to 63 lower-case letters, digits or '-', with a letter or digit at both ends";
inline const std::string kAllowedDnsSubdomain =
    "1 to 253 lower-case letters, digits, '-' or '.', with a letter or digit at both ends";
inline const std::string kAllowedLabelValue =
    "1 to 63 letters, digits, '-', '_' or '.', with a letter or digit at both ends";

}  // namespace evenkeel::model
