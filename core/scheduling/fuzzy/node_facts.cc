#include "core/scheduling/fuzzy/node_facts.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <utility>

#include "core/model/decimal.h"
#include "core/scheduling/fuzzy/board_catalogue.h"

namespace evenkeel::scheduling {
namespace {

using model::NodeProfile;

const std::string kNfd = "feature.node.kubernetes.io/";

/// Numbers beyond these are slips of the pen or worse, and count as unreadable.
struct Plausible {
  double min;
  double max;
};

std::string Shown(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

class Collector {
 public:
  explicit Collector(const NodeProfile& node) : node_(node) {
    if (const std::string* model = Label(fact::kModel)) {
      board_ = FindBoard(*model);
      if (!board_) facts_.notes.push_back("model: \"" + *model + "\" is not in the catalogue");
    }
  }

  NodeFacts Collect() {
    CollectCpu();
    CollectNumber(fact::kCpuCores, {1, 4096}, Cores());
    CollectNumber(fact::kOsBits, {8, 128}, OsBits());
    CollectNumber(fact::kRamMib, {1, 1e9}, Scaled(node_.memory_bytes, 0x1p-20));
    CollectNumber(fact::kSdGb, {0.01, 1e7}, Scaled(node_.ephemeral_storage_bytes, 1e-9));
    CollectNumber(fact::kPowerWatts, {0.01, 1e5},
                  usual_board_ ? std::optional(usual_board_->power_watts) : std::nullopt);
    CollectNumber(fact::kIdlePowerWatts, {0, 1e5}, std::nullopt);
    CollectReleaseDate();
    CollectExtraLoad();
    return std::move(facts_);
  }

 private:
  [[nodiscard]] const std::string* Label(const std::string& name) const {
    const auto label = node_.labels.find(name);
    return label == node_.labels.end() ? nullptr : &label->second;
  }

  [[nodiscard]] std::string LabelOr(const std::string& name, const std::string& otherwise) const {
    const std::string* label = Label(name);
    return label ? *label : otherwise;
  }

  static std::optional<double> Scaled(std::optional<std::int64_t> amount, double factor) {
    if (!amount || *amount <= 0) return std::nullopt;
    return static_cast<double>(*amount) * factor;
  }

  static std::optional<double> ReadNumber(const std::string& text, Plausible range) {
    const auto number = model::ParseDecimal(text);
    return number && *number >= range.min && *number <= range.max ? number : std::nullopt;
  }

  void CollectNumber(const std::string& name, Plausible range, std::optional<double> otherwise) {
    if (const std::string* label = Label(name)) {
      facts_.facts[name] = {*label, ReadNumber(*label, range)};
    } else if (otherwise) {
      facts_.facts[name] = {Shown(*otherwise), otherwise};
    }
  }

  /// The core this node is known to have; also finds the board that stands for it.
  std::optional<CpuCore> FindNodeCore() const {
    if (const std::string* label = Label(fact::kCpu)) {
      if (const auto core = FindCore(*label)) return core;
      const auto board = FindBoard(*label);  // people write the board's name there, too
      return board ? FindCore(board->core_name) : std::nullopt;
    }
    if (board_) return FindCore(board_->core_name);
    if (const auto core = CoreByFeatureDiscovery()) return core;
    return Architecture() == "amd64" ? FindCore("x86-64") : std::nullopt;
  }

  /// Node Feature Discovery shows, for Arm, the low half of the main ID register (MIDR) as
  /// cpu-model.id: the part number and four bits of revision.
  std::optional<CpuCore> CoreByFeatureDiscovery() const {
    const std::string vendor = LabelOr(kNfd + "cpu-model.vendor_id", "");
    if (vendor == "Intel" || vendor == "AMD") return FindCore("x86-64");
    const std::string id = LabelOr(kNfd + "cpu-model.id", "");
    std::uint32_t number = 0;
    const auto parsed = std::from_chars(id.data(), id.data() + id.size(), number);
    if (vendor != "ARM" || parsed.ec != std::errc()) return std::nullopt;
    const auto core = FindArmPart(number >> 4);
    return core ? core : FindArmPart(number);
  }

  void CollectCpu() {
    const std::optional<CpuCore> core = FindNodeCore();
    usual_board_ = board_ ? board_ : core ? FindBoard(core->usual_board) : std::nullopt;
    CollectNumber(fact::kCpuMhz, {1, 20'000},
                  usual_board_ ? std::optional(usual_board_->mhz) : std::nullopt);
    if (!core) {
      if (const std::string* label = Label(fact::kCpu)) {
        facts_.facts[fact::kCpu] = {*label, std::nullopt};
      }
      return;
    }
    const Fact& clock = facts_.facts.at(fact::kCpuMhz);
    const double mhz = clock.number.value_or(usual_board_->mhz);
    if (!clock.number) {
      facts_.notes.push_back("cpu-mhz: cannot read \"" + clock.text + "\", took the usual " +
                             Shown(mhz) + " MHz");
    }
    facts_.facts[fact::kCpu] = {
        LabelOr(fact::kCpu, std::string(core->name)) + " " + Shown(mhz) + " MHz",
        core->performance_per_mhz * mhz};
  }

  [[nodiscard]] std::optional<double> Cores() const {
    if (const auto cores = Scaled(node_.cpu_millicores, 1e-3)) return cores;
    return usual_board_ ? std::optional(usual_board_->cores) : std::nullopt;
  }

  [[nodiscard]] std::string Architecture() const {
    if (!node_.architecture.empty()) return node_.architecture;
    return LabelOr("kubernetes.io/arch", LabelOr("beta.kubernetes.io/arch", ""));
  }

  [[nodiscard]] std::optional<double> OsBits() const {
    const std::string architecture = Architecture();
    for (const char* wide : {"arm64", "amd64", "riscv64", "ppc64le", "s390x"}) {
      if (architecture == wide) return 64;
    }
    if (architecture == "arm" || architecture == "386") return 32;
    return board_ ? std::optional(board_->os_bits) : std::nullopt;
  }

  void CollectReleaseDate() {
    std::optional<std::string> date;
    if (const std::string* label = Label(fact::kOsReleaseDate)) date = *label;
    if (!date) {
      date = OsReleaseDate(LabelOr(kNfd + "system-os_release.ID", ""),
                           LabelOr(kNfd + "system-os_release.VERSION_ID", ""));
    }
    if (!date) date = OsReleaseDateOfImage(node_.os_image);
    if (date) facts_.facts[fact::kOsReleaseDate] = {*date, model::ParseIsoDate(*date)};
  }

  /// Without a label, a node of the control plane has more to do than the job.
  void CollectExtraLoad() {
    const bool control_plane = Label("node-role.kubernetes.io/control-plane") != nullptr ||
                               Label("node-role.kubernetes.io/master") != nullptr;
    const std::string word = LabelOr(fact::kExtraLoad, control_plane ? "above-norm" : "norm");
    facts_.facts[fact::kExtraLoad] = {word, model::ParseDecimal(word)};
  }

  const NodeProfile& node_;
  std::optional<Board> board_;        // named by a label
  std::optional<Board> usual_board_;  // that, or the one that usually has this core
  NodeFacts facts_;
};

struct Release {
  std::string_view id;     // in os-release
  std::string_view image;  // begin of PRETTY_NAME
  std::string_view date;
  std::string_view version;
};

/// Dates as announced by Debian and Ubuntu; Raspberry Pi OS calls itself Debian or Raspbian and
/// follows some weeks later.
constexpr std::array<Release, 11> kReleases{{
    {"debian", "Debian GNU/Linux 10", "2019-07-06", "10"},
    {"debian", "Debian GNU/Linux 11", "2021-08-14", "11"},
    {"debian", "Debian GNU/Linux 12", "2023-06-10", "12"},
    {"debian", "Debian GNU/Linux 13", "2025-08-09", "13"},
    {"raspbian", "Raspbian GNU/Linux 10", "2019-07-06", "10"},
    {"raspbian", "Raspbian GNU/Linux 11", "2021-08-14", "11"},
    {"raspbian", "Raspbian GNU/Linux 12", "2023-06-10", "12"},
    {"raspbian", "Raspbian GNU/Linux 13", "2025-08-09", "13"},
    {"ubuntu", "Ubuntu 20.04", "2020-04-23", "20.04"},
    {"ubuntu", "Ubuntu 22.04", "2022-04-21", "22.04"},
    {"ubuntu", "Ubuntu 24.04", "2024-04-25", "24.04"},
}};

}  // namespace

NodeFacts CollectFacts(const NodeProfile& node) { return Collector(node).Collect(); }

std::optional<std::string> OsReleaseDate(const std::string& id, const std::string& version) {
  for (const Release& release : kReleases) {
    if (release.id == id && release.version == version) return std::string(release.date);
  }
  return std::nullopt;
}

std::optional<std::string> OsReleaseDateOfImage(const std::string& os_image) {
  for (const Release& release : kReleases) {
    if (os_image.starts_with(release.image)) return std::string(release.date);
  }
  return std::nullopt;
}

}  // namespace evenkeel::scheduling
