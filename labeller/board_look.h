#pragma once

#include <filesystem>
#include <string>

#include "labeller/board_facts.h"
#include "labeller/label_change.h"

namespace evenkeel::labeller {

struct LookOptions {
  std::filesystem::path root = "/";
  std::string kernel_machine;  ///< as uname(2) says
  bool probe = true;
};

/// The facts of the board, with the score of a probe if it could be measured now. The notes
/// include the outcome of the probe.
struct BoardLook {
  BoardFacts facts;
  bool probe_put_off = false;  ///< a later look may have the score
};
/// Takes about a second of CPU time with a probe.
[[nodiscard]] BoardLook LookAtBoard(const LookOptions& options);

[[nodiscard]] Labels LabelsOf(const BoardFacts& facts);

}  // namespace evenkeel::labeller
