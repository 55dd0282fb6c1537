#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "labeller/board_facts.h"
#include "platform/time.h"

namespace evenkeel::labeller {

/// YAML: `labels`, `sources` (where each comes from), `machine`, `kernel`, `notes`.
[[nodiscard]] std::string YamlOf(const BoardFacts& facts);

/// A feature file for the local source of Node Feature Discovery: a line a label. `expires`: NFD
/// drops the labels then, unless the file was written again.
[[nodiscard]] std::string FeatureFileOf(const BoardFacts& facts,
                                        std::optional<platform::Timestamp> expires);

/// Replaces the file atomically, so that NFD never reads a part of it. The temporary file is
/// hidden: NFD does not read files whose names begin with a dot. Errors: kUnavailable,
/// kStorageFull.
[[nodiscard]] Result<void> WriteFeatureFile(const std::filesystem::path& path,
                                            const std::string& text);

}  // namespace evenkeel::labeller
