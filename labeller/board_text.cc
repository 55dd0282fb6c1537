#include "labeller/board_text.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

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
    text += "  " + label + ": " + Quoted(Printable(found.source)) + "\n";
  }
  text += facts.notes.empty() ? "notes: []\n" : "notes:\n";
  for (const std::string& note : facts.notes) text += "  - " + Quoted(Printable(note)) + "\n";
  return text;
}

std::string FeatureFileOf(const BoardFacts& facts, std::optional<platform::Timestamp> expires) {
  std::string text = "# Written by evenkeel-labeller.\n";
  if (expires) text += "# +expiry-time=" + platform::FormatTimestamp(*expires) + "\n";
  for (const auto& [label, found] : facts.labels) text += label + "=" + found.value + "\n";
  return text;
}

Result<void> WriteFeatureFile(const std::filesystem::path& path, const std::string& text) {
  const auto hidden = path.parent_path() / ("." + path.filename().string());
  const auto failed = [&path] {
    const int error = errno;
    return Fail(error == ENOSPC ? ErrorCode::kStorageFull : ErrorCode::kUnavailable,
                path.string() + ": cannot be written: " + std::generic_category().message(error));
  };
  const auto close = [](std::FILE* file) { std::fclose(file); };
  std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(hidden.c_str(), "wb"), close);
  if (!file) return failed();
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0 || std::rename(hidden.c_str(), path.c_str()) != 0) {
    const auto error = failed();
    std::remove(hidden.c_str());
    return error;
  }
  return {};
}

}  // namespace evenkeel::labeller
