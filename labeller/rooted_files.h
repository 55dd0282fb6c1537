#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel::labeller {

/// Files below a root folder as a process sees them whose root it is: links, absolute ones too,
/// lead nowhere else. So a host's files can be read through a mount, and tests have boards of their
/// own. Thread-safe.
class RootedFiles {
 public:
  explicit RootedFiles(std::filesystem::path root) : root_(std::move(root)) {}

  /// The first `max_bytes` of a regular file; nothing if there is none that can be read. `path` is
  /// absolute, as seen from the root.
  [[nodiscard]] std::optional<std::string> Read(const std::string& path,
                                                std::size_t max_bytes = 65536) const;
  /// "MAJOR:MINOR" of the device that holds a file.
  [[nodiscard]] std::optional<std::string> Device(const std::string& path) const;
  /// Names in a folder, sorted, at most 10,000; empty if there is none.
  [[nodiscard]] std::vector<std::string> List(const std::string& path) const;
  /// The same path without links; nothing if they lead in circles.
  [[nodiscard]] std::optional<std::string> Resolve(const std::string& path) const;

 private:
  [[nodiscard]] std::filesystem::path Below(const std::string& resolved) const;

  std::filesystem::path root_;
};

}  // namespace evenkeel::labeller
