#include "labeller/cpu_facts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>

#include "core/base/printable.h"
#include "core/model/decimal.h"
#include "core/scheduling/fuzzy/board_catalogue.h"
#include "labeller/plain_text.h"

namespace evenkeel::labeller {
namespace {

/// Bounds as of the weights; what is outside is a slip of the firmware's.
constexpr double kMinMhz = 1;
constexpr double kMaxMhz = 20'000;
constexpr std::uint32_t kArm = 0x41;  // implementer in the main ID register

/// The values of one key of /proc/cpuinfo, one for each processor that has it.
std::vector<std::string> ValuesOf(const std::string& cpuinfo, std::string_view key) {
  std::vector<std::string> values;
  for (const std::string& line : Lines(cpuinfo)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || Trimmed(line.substr(0, colon)) != key) continue;
    values.push_back(Trimmed(line.substr(colon + 1)));
  }
  return values;
}

std::optional<std::uint32_t> ReadHexadecimal(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  text.remove_prefix(2);
  std::uint32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

/// The core that most processors are. Boards with cores of two kinds call them by part number, in
/// any order; of equally many the slower one, because a job waits for it.
void FindArmCore(const std::string& cpuinfo, CpuFacts& facts) {
  for (const std::string& maker : ValuesOf(cpuinfo, "CPU implementer")) {
    if (ReadHexadecimal(maker) != kArm) return;
  }
  std::map<std::string, std::pair<int, double>> cores;  // processors and speed, by part number
  for (const std::string& part : ValuesOf(cpuinfo, "CPU part")) {
    const auto number = ReadHexadecimal(part);
    const auto core = number ? scheduling::FindArmPart(*number) : std::nullopt;
    if (!core) {
      facts.notes.push_back("CPU part " + PrintableAscii(part, kMaxTextBytes) +
                            " is not in the catalogue");
      return;
    }
    auto& [processors, speed] = cores[part];
    ++processors;
    speed = core->performance_per_mhz;
  }
  const auto most = std::max_element(cores.begin(), cores.end(), [](const auto& a, const auto& b) {
    const auto& [a_processors, a_speed] = a.second;
    const auto& [b_processors, b_speed] = b.second;
    return a_processors != b_processors ? a_processors < b_processors : a_speed > b_speed;
  });
  if (most == cores.end()) return;
  if (cores.size() > 1) {
    facts.notes.emplace_back("has cores of several kinds; the most common one counts");
  }
  const auto core = scheduling::FindArmPart(*ReadHexadecimal(most->first));
  facts.core = Found{std::string(core->name), "/proc/cpuinfo, CPU part " + most->first};
}

/// Any x86 that can run 64-bit programs; the catalogue knows no other.
void FindIntelCore(const std::string& cpuinfo, CpuFacts& facts) {
  const auto flags = ValuesOf(cpuinfo, "flags");
  if (ValuesOf(cpuinfo, "vendor_id").empty() || flags.empty()) return;
  if (const auto names = ValuesOf(cpuinfo, "model name"); !names.empty()) {
    facts.model_name = PrintableAscii(names.front(), kMaxTextBytes);
  }
  const std::string padded = " " + flags.front() + " ";
  if (padded.find(" hypervisor ") != std::string::npos) {
    facts.notes.emplace_back("is a virtual machine: its clock and speed may change");
  }
  if (padded.find(" lm ") == std::string::npos) {
    facts.notes.emplace_back("is a 32-bit x86, which is not in the catalogue");
    return;
  }
  facts.core = Found{"x86-64", "/proc/cpuinfo, vendor_id and flags"};
}

bool IsCpuFolder(const std::string& name) {
  return name.size() > 3 && name.starts_with("cpu") &&
         std::all_of(name.begin() + 3, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<double> Plausible(std::optional<double> mhz) {
  return mhz && *mhz >= kMinMhz && *mhz <= kMaxMhz ? mhz : std::nullopt;
}

void FindClock(const RootedFiles& files, const std::string& cpuinfo, CpuFacts& facts) {
  const std::string folder = "/sys/devices/system/cpu";
  std::optional<double> most;
  std::string source = folder + "/cpu*/cpufreq/cpuinfo_max_freq";
  for (const std::string& cpu : files.List(folder)) {
    if (!IsCpuFolder(cpu)) continue;
    const auto khz = files.Read(folder + "/" + cpu + "/cpufreq/cpuinfo_max_freq", 64);
    const auto number = khz ? model::ParseDecimal(Trimmed(*khz)) : std::nullopt;
    const auto mhz = Plausible(number ? std::optional(*number / 1000) : std::nullopt);
    if (mhz) most = std::max(most.value_or(0), *mhz);
  }
  if (!most) {  // virtual machines and kernels without frequency scaling
    source = "/proc/cpuinfo, cpu MHz";
    for (const std::string& text : ValuesOf(cpuinfo, "cpu MHz")) {
      const auto mhz = Plausible(model::ParseDecimal(text));
      if (mhz) most = std::max(most.value_or(0), *mhz);
    }
  }
  if (most) facts.mhz = Found{std::to_string(std::lround(*most)), source};
}

}  // namespace

CpuFacts ReadCpuFacts(const RootedFiles& files) {
  CpuFacts facts;
  constexpr std::size_t kMaxCpuinfo = std::size_t{1} << 20;  // a hundred cores have 200 KB
  const std::string cpuinfo = files.Read("/proc/cpuinfo", kMaxCpuinfo).value_or("");
  FindArmCore(cpuinfo, facts);
  if (!facts.core) FindIntelCore(cpuinfo, facts);
  FindClock(files, cpuinfo, facts);
  return facts;
}

}  // namespace evenkeel::labeller
