#pragma once

#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "simulator/scenario.h"
#include "workloads/registry.h"

namespace evenkeel::simulator {

/// Reads a scenario file; docs/simulator.md has its format. Relative file names are resolved in
/// `folder`. Errors (kInvalidInput) are one line "FILE: FIELD: what is wrong".
[[nodiscard]] Result<Scenario> ParseScenario(const std::string& yaml_text,
                                             const std::string& file_name,
                                             const std::filesystem::path& folder,
                                             const workloads::Registry& registry);

/// All strategies and techniques under their own names, with the options of `defaults`.
[[nodiscard]] std::vector<Variant> AllVariants(const Variant& defaults);

}  // namespace evenkeel::simulator
