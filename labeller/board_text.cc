#include "labeller/board_text.h"

#include "core/base/printable.h"
#include "labeller/plain_text.h"

namespace evenkeel::labeller {
namespace {

/// In double quotes; all texts here are printable ASCII.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string YamlOf(const BoardFacts& facts) {
  std::string text = "machine: " + Quoted(facts.machine) + "\nkernel: " + Quoted(facts.kernel);
  text += facts.labels.empty() ? "\nlabels: {}\nsources: {}\n" : "\nlabels:\n";
  for (const auto& [label, found] : facts.labels) {
    text += "  " + label + ": " + Quoted(found.value) + "\n";
  }
  if (!facts.labels.empty()) text += "sources:\n";
  for (const auto& [label, found] : facts.labels) {
    text += "  " + label + ": " + Quoted(PrintableAscii(found.source, kMaxTextBytes)) + "\n";
  }
  text += facts.notes.empty() ? "notes: []\n" : "notes:\n";
  for (const std::string& note : facts.notes)
    text += "  - " + Quoted(PrintableAscii(note, kMaxTextBytes)) + "\n";
  return text;
}

std::string FeatureFileOf(const BoardFacts& facts, std::optional<platform::Timestamp> expires) {
  std::string text = "# Written by evenkeel-labeller.\n";
  if (expires) text += "# +expiry-time=" + platform::FormatTimestamp(*expires) + "\n";
  for (const auto& [label, found] : facts.labels) text += label + "=" + found.value + "\n";
  return text;
}

}  // namespace evenkeel::labeller
