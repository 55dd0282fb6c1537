#pragma once

#include <optional>
#include <string>

#include "labeller/board_facts.h"
#include "platform/time.h"

namespace evenkeel::labeller {

/// YAML: `labels`, `sources` (where each comes from), `machine`, `kernel`, `notes`.
[[nodiscard]] std::string YamlOf(const BoardFacts& facts);

/// A feature file for the local source of Node Feature Discovery: a line a label. `expires`: NFD
/// drops the labels then, unless the file was written again.
[[nodiscard]] std::string FeatureFileOf(const BoardFacts& facts,
                                        std::optional<platform::Timestamp> expires);

}  // namespace evenkeel::labeller
