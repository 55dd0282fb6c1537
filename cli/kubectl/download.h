#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

#include "cli/kubectl/coordinator_pages.h"
#include "core/base/clock.h"

namespace evenkeel::cli {

/// A line that is drawn over and over in one place of a terminal. Used by one thread at a time.
class ProgressLine {
 public:
  /// `screen` must outlive it; null: nothing is shown.
  explicit ProgressLine(std::ostream* screen);
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Draws "NAME  12.3 MB of 45.0 MB", unless the last one was drawn or cleared just before.
  void Show(const std::string& name, std::uint64_t received, std::optional<std::uint64_t> total);
  /// Removes the line, so that others can be written.
  void Clear();

 private:
  std::ostream* screen_;
  SteadyClock clock_;
  Instant next_;
  bool shown_ = false;
};

/// Pages of a coordinator as files of a folder, each whole or not at all. Used by one thread.
class Downloads {
 public:
  /// `screen`: a terminal on which long downloads show how far they are; null: nothing is shown.
  /// All must outlive it.
  Downloads(CoordinatorPages& pages, std::filesystem::path folder, std::ostream* screen);

  /// Writes a page as `name`, which must be that of a plain file. `want_bytes`: what its size has
  /// to be. `label`: what the progress line and errors call it. Returns the size; nothing if there
  /// is no such page. Errors: kInvalidInput (the folder cannot be written to), kStorageFull,
  /// kInternal (the size is another), and those of CoordinatorPages::Fetch.
  [[nodiscard]] Result<std::optional<std::uint64_t>> Get(const std::string& path,
                                                         const std::string& name,
                                                         std::optional<std::uint64_t> want_bytes,
                                                         const std::string& label);
  /// To be called before other lines are written to the screen.
  void ClearProgress() { line_.Clear(); }

 private:
  CoordinatorPages& pages_;
  std::filesystem::path folder_;
  ProgressLine line_;
};

}  // namespace evenkeel::cli
