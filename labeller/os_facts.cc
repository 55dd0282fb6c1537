#include "labeller/os_facts.h"

#include <string_view>

#include "core/model/decimal.h"
#include "core/scheduling/fuzzy/node_facts.h"
#include "labeller/plain_text.h"

namespace evenkeel::labeller {
namespace {

/// Architectures as Debian and the kernel call them.
std::optional<std::string> BitsOf(std::string_view architecture) {
  for (const char* wide : {"arm64", "aarch64", "amd64", "x86_64", "riscv64", "ppc64le", "s390x"}) {
    if (architecture == wide) return "64";
  }
  for (const char* narrow :
       {"armhf", "armel", "armv6l", "armv7l", "armv8l", "i386", "i486", "i586", "i686"}) {
    if (architecture == narrow) return "32";
  }
  return std::nullopt;
}

/// Byte 4 of an ELF file, EI_CLASS: 1 for 32 bits, 2 for 64 (System V ABI, chapter 4).
std::optional<std::string> ElfBits(const std::optional<std::string>& header) {
  constexpr std::string_view kMagic(
      "\x7f"
      "ELF",
      4);
  if (!header || header->size() < 5 || !header->starts_with(kMagic)) return std::nullopt;
  if ((*header)[4] == 1) return "32";
  if ((*header)[4] == 2) return "64";
  return std::nullopt;
}

/// The value of a line KEY=VALUE or KEY="VALUE" (os-release(5)).
std::string ValueOf(const std::string& text, const std::string& key) {
  for (const std::string& line : Lines(text)) {
    if (!line.starts_with(key + "=")) continue;
    std::string value = Trimmed(std::string_view(line).substr(key.size() + 1));
    const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
                        value.back() == value.front();
    return quoted ? value.substr(1, value.size() - 2) : value;
  }
  return {};
}

/// The first day written as 2023-12-05 in a text.
std::optional<std::string> FindDay(const std::string& text) {
  constexpr std::size_t kLength = 10;
  for (std::size_t at = 0; at + kLength <= text.size(); ++at) {
    const std::string word = text.substr(at, kLength);
    if (model::ParseIsoDate(word)) return word;
  }
  return std::nullopt;
}

std::optional<std::string> DayOfVersion(const std::string& version) {
  if (version.size() != 8) return std::nullopt;
  const std::string day =
      version.substr(0, 4) + "-" + version.substr(4, 2) + "-" + version.substr(6, 2);
  return model::ParseIsoDate(day) ? std::optional(day) : std::nullopt;
}

}  // namespace

std::optional<Found> ReadOsBits(const RootedFiles& files, const std::string& kernel) {
  for (const char* program :
       {"/bin/sh", "/usr/bin/env", "/sbin/init", "/usr/lib/systemd/systemd"}) {
    if (const auto bits = ElfBits(files.Read(program, 5))) {
      return Found{*bits, std::string("ELF class of ") + program};
    }
  }
  // dpkg writes this file only on systems with several architectures; its own stands first.
  if (const auto list = files.Read("/var/lib/dpkg/arch", 1024)) {
    const auto lines = Lines(*list);
    const auto bits = lines.empty() ? std::nullopt : BitsOf(Trimmed(lines.front()));
    if (bits) return Found{*bits, "/var/lib/dpkg/arch"};
  }
  if (const auto bits = BitsOf(kernel)) return Found{*bits, "machine of the kernel, " + kernel};
  return std::nullopt;
}

std::optional<Found> ReadOsRelease(const RootedFiles& files) {
  if (const auto issue = files.Read("/etc/rpi-issue", 4096)) {
    if (const auto day = FindDay(*issue)) return Found{*day, "/etc/rpi-issue"};
  }
  for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    const std::string text = files.Read(path).value_or("");
    const std::string version = ValueOf(text, "VERSION_ID");
    const std::string source = std::string(path) + ", ID and VERSION_ID";
    if (const auto day = scheduling::OsReleaseDate(ValueOf(text, "ID"), version)) {
      return Found{*day, source};
    }
    if (const auto day = DayOfVersion(version)) return Found{*day, source};
  }
  return std::nullopt;
}

}  // namespace evenkeel::labeller
