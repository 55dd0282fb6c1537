#include "labeller/board_facts.h"

#include <cmath>
#include <optional>
#include <string_view>

#include "core/base/printable.h"
#include "core/model/decimal.h"
#include "core/model/names.h"
#include "core/scheduling/fuzzy/board_catalogue.h"
#include "core/scheduling/fuzzy/node_facts.h"
#include "labeller/cpu_facts.h"
#include "labeller/disk_facts.h"
#include "labeller/os_facts.h"
#include "labeller/plain_text.h"
#include "labeller/rooted_files.h"

namespace evenkeel::labeller {
namespace {

namespace fact = scheduling::fact;

class Reader {
 public:
  Reader(const std::filesystem::path& root, const std::string& kernel_machine) : files_(root) {
    const auto kernel = files_.Read("/proc/sys/kernel/arch", 64);  // since Linux 6.1
    facts_.kernel = PrintableAscii(Trimmed(kernel.value_or(kernel_machine)), kMaxTextBytes);
  }

  BoardFacts Read() {
    const CpuFacts cpu = ReadCpuFacts(files_);
    ReadMachine(cpu);
    facts_.notes.insert(facts_.notes.end(), cpu.notes.begin(), cpu.notes.end());
    ReadCpu(cpu);
    Keep(fact::kCpuMhz, cpu.mhz, "the clock is not told");
    Keep(fact::kOsBits, ReadOsBits(files_, facts_.kernel), "the bits of the system are not told");
    Keep(fact::kRamMib, ReadMemory(), "/proc/meminfo does not tell the memory");
    Keep(fact::kSdGb, ReadRootDisk(files_), "the disk of the root file system is not to be found");
    Keep(fact::kOsReleaseDate, ReadOsRelease(files_), "the system's release is not known");
    NoteNarrowPrograms();
    return std::move(facts_);
  }

 private:
  void Keep(const std::string& label, const std::optional<Found>& found, const char* otherwise) {
    if (!found) {
      facts_.notes.emplace_back(otherwise);
    } else if (model::IsLabelValue(found->value)) {
      facts_.labels[label] = *found;
    } else {
      facts_.notes.push_back(label + ": \"" + PrintableAscii(found->value, kMaxTextBytes) +
                             "\" cannot be a label");
    }
  }

  /// The board's own name; PCs have theirs in the firmware's tables.
  void ReadMachine(const CpuFacts& cpu) {
    for (const char* path : {"/sys/firmware/devicetree/base/model", "/proc/device-tree/model"}) {
      const std::string model = Trimmed(files_.Read(path, 1024).value_or(""));
      if (model.empty()) continue;
      facts_.machine = PrintableAscii(model, kMaxTextBytes);
      return ReadBoard(model, path);
    }
    const std::string product =
        Trimmed(files_.Read("/sys/class/dmi/id/product_name", 1024).value_or(""));
    facts_.machine = PrintableAscii(product.empty() ? cpu.model_name : product, kMaxTextBytes);
    if (!product.empty() && !cpu.model_name.empty()) facts_.machine += ", " + cpu.model_name;
  }

  void ReadBoard(const std::string& model, const std::string& source) {
    board_ = scheduling::FindBoard(model);
    if (!board_) {
      facts_.notes.push_back("\"" + facts_.machine + "\" is not in the catalogue of boards");
      return;
    }
    const std::string board(board_->model);
    Keep(fact::kModel, Found{board, source}, "");
    Keep(fact::kPowerWatts,
         Found{ShortNumber(board_->power_watts), "the catalogue, all cores of a " + board}, "");
  }

  void ReadCpu(const CpuFacts& cpu) {
    if (cpu.core || !board_) return Keep(fact::kCpu, cpu.core, "the processor is not known");
    const std::string core(board_->core_name);
    Keep(fact::kCpu, Found{core, "the catalogue, a " + std::string(board_->model)}, "");
  }

  std::optional<Found> ReadMemory() {
    for (const std::string& line : Lines(files_.Read("/proc/meminfo").value_or(""))) {
      if (!line.starts_with("MemTotal:") || !line.ends_with(" kB")) continue;
      const auto kib =
          model::ParseDecimal(Trimmed(std::string_view(line).substr(9, line.size() - 12)));
      constexpr double kMaxMib = 1e9;
      if (!kib || *kib < 1024 || *kib / 1024 > kMaxMib) return std::nullopt;
      return Found{ShortNumber(std::floor(*kib / 1024)), "/proc/meminfo, MemTotal"};
    }
    return std::nullopt;
  }

  /// Containers are chosen by the kubelet's architecture, which is the kernel's as a rule.
  void NoteNarrowPrograms() {
    const auto bits = facts_.labels.find(fact::kOsBits);
    const bool wide_kernel = facts_.kernel == "aarch64" || facts_.kernel == "x86_64";
    if (bits != facts_.labels.end() && bits->second.value == "32" && wide_kernel) {
      facts_.notes.push_back("32-bit programs on a 64-bit kernel (" + facts_.kernel + ")");
    }
  }

  RootedFiles files_;
  BoardFacts facts_;
  std::optional<scheduling::Board> board_;
};

}  // namespace

BoardFacts ReadBoardFacts(const std::filesystem::path& root, const std::string& kernel_machine) {
  return Reader(root, kernel_machine).Read();
}

}  // namespace evenkeel::labeller
