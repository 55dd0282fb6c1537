#pragma once

#include <optional>
#include <string>
#include <vector>

#include "labeller/board_facts.h"
#include "labeller/rooted_files.h"

namespace evenkeel::labeller {

/// The processor as far as /proc and /sys tell.
struct CpuFacts {
  std::optional<Found> core;  ///< name of a core in the catalogue of boards
  std::optional<Found> mhz;   ///< the highest clock it may take
  std::string model_name;     ///< of x86: "Intel(R) N100"; printable
  std::vector<std::string> notes;
};

[[nodiscard]] CpuFacts ReadCpuFacts(const RootedFiles& files);

}  // namespace evenkeel::labeller
