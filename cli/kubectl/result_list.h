#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace evenkeel::cli {

/// A file of results, as the coordinator lists it.
struct ResultFile {
  std::string name;
  std::optional<std::uint64_t> bytes;
};

/// Reads the list: JSON, of names or of objects with `name` and `bytes`. Its writer may be
/// hostile, so each name must be one of a plain file (platform::IsPlainFileName), or of one in the
/// folder `reduce`; none of the files that this program writes itself, none twice; at most 1,000
/// files. Otherwise the whole list is refused (kInternal).
[[nodiscard]] Result<std::vector<ResultFile>> ReadResultList(const std::string& text);

}  // namespace evenkeel::cli
