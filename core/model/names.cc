#include "core/model/names.h"

#include <algorithm>

namespace evenkeel::model {
namespace {

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsLetterOrDigit(char c) { return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z'); }

}  // namespace

bool IsDnsLabel(std::string_view text) {
  return !text.empty() && text.size() <= 63 && IsLowerOrDigit(text.front()) &&
         IsLowerOrDigit(text.back()) && std::all_of(text.begin(), text.end(), [](char c) {
           return IsLowerOrDigit(c) || c == '-';
         });
}

bool IsJobName(std::string_view text) {
  return IsDnsLabel(text) && text.size() <= kMaxJobName && text.front() >= 'a' &&
         text.front() <= 'z';
}

bool IsDnsSubdomain(std::string_view text) {
  if (text.size() > kMaxDnsSubdomain) return false;
  while (true) {
    const std::size_t dot = text.find('.');
    if (!IsDnsLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string NameForNode(std::string_view name_template, std::string_view node) {
  std::string name;
  for (std::size_t found = name_template.find(kNodePlaceholder); found != std::string_view::npos;
       found = name_template.find(kNodePlaceholder)) {
    name.append(name_template.substr(0, found)).append(node);
    name_template.remove_prefix(found + kNodePlaceholder.size());
  }
  return name.append(name_template);
}

bool IsLabelValue(std::string_view text) {
  return !text.empty() && text.size() <= 63 && IsLetterOrDigit(text.front()) &&
         IsLetterOrDigit(text.back()) && std::all_of(text.begin(), text.end(), [](char c) {
           return IsLetterOrDigit(c) || c == '-' || c == '_' || c == '.';
         });
}

bool IsQualifiedName(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return IsLabelValue(text);
  return IsDnsSubdomain(text.substr(0, slash)) && IsLabelValue(text.substr(slash + 1));
}

bool IsExtendedResource(std::string_view text) {
  constexpr std::string_view kHugePages = "hugepages-";
  if (text.starts_with(kHugePages)) return text.size() > kHugePages.size() && IsLabelValue(text);
  return text.find('/') != std::string_view::npos && IsQualifiedName(text) &&
         text.find("kubernetes.io/") == std::string_view::npos;  // those are Kubernetes' own
}

bool IsWorkloadName(std::string_view text) {
  constexpr std::size_t kMostCharacters = 56;
  return !text.empty() && text.size() <= kMostCharacters && text.front() >= 'a' &&
         text.front() <= 'z' && std::all_of(text.begin(), text.end(), IsLetterOrDigit);
}

}  // namespace evenkeel::model
