#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace evenkeel::labeller {

/// Something that was found out.
struct Found {
  std::string value;   ///< a label's value
  std::string source;  ///< where it comes from, for people: "/proc/meminfo, MemTotal"

  friend bool operator==(const Found&, const Found&) = default;
};

/// Facts that a board reports about itself.
struct BoardFacts {
  /// By label, those of core/scheduling/fuzzy/node_facts.h; what is not there is not known. All are
  /// valid values of labels and can be read by the weights.
  std::map<std::string, Found> labels;
  std::string machine;             ///< as it calls itself, one printable line; empty if it does not
  std::string kernel;              ///< machine of the kernel, "aarch64"; empty if not known
  std::vector<std::string> notes;  ///< what was missing, made no sense or is noteworthy
};

/// Reads the facts of the machine whose files are below `root`: /proc, /sys, /etc and its programs.
/// `kernel_machine`: what uname(2) says, used where the files do not. Never fails: what cannot be
/// read or makes no sense is left out.
[[nodiscard]] BoardFacts ReadBoardFacts(const std::filesystem::path& root,
                                        const std::string& kernel_machine);

}  // namespace evenkeel::labeller
