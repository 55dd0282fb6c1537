#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

#include "cli/kubectl/coordinator_pages.h"

namespace evenkeel::cli {

/// Pages of a coordinator as files of a folder, each whole or not at all. Used by one thread.
class Downloads {
 public:
  /// `screen`: a terminal on which large files show how far they are; null: nothing is shown. All
  /// must outlive it.
  Downloads(CoordinatorPages& pages, std::filesystem::path folder, std::ostream* screen);

  /// Writes a page as `name`, which must be that of a plain file. `want_bytes`: what its size has
  /// to be. Returns the size; nothing if there is no such page. Errors: kInvalidInput (the folder
  /// cannot be written to), kStorageFull, kInternal (the size is another), and those of
  /// CoordinatorPages::Fetch.
  [[nodiscard]] Result<std::optional<std::uint64_t>> Get(const std::string& path,
                                                         const std::string& name,
                                                         std::optional<std::uint64_t> want_bytes);

 private:
  CoordinatorPages& pages_;
  std::filesystem::path folder_;
  std::ostream* screen_;
};

}  // namespace evenkeel::cli
