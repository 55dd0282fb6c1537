#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "platform/file_descriptor.h"

namespace evenkeel::workloads {

/// Opens an ordinary file for reading; a relative `name` is looked up in `folder`. If `confined`,
/// only what is in there is opened: names that lead out of it, by themselves or by links, are
/// refused. Errors (kInvalidInput) say what is wrong with the file, without its name.
[[nodiscard]] Result<platform::FileDescriptor> OpenFolderFile(const std::filesystem::path& folder,
                                                              const std::filesystem::path& name,
                                                              bool confined);

/// The size in bytes of a file that OpenFolderFile would open. It need not be readable.
[[nodiscard]] Result<std::int64_t> FolderFileSize(const std::filesystem::path& folder,
                                                  const std::filesystem::path& name, bool confined);

/// Reads a file that OpenFolderFile opens, and that has at most `max_bytes`.
[[nodiscard]] Result<std::string> ReadFolderFile(const std::filesystem::path& folder,
                                                 const std::filesystem::path& name, bool confined,
                                                 std::size_t max_bytes);

/// The way of OpenFolderFile on kernels without openat2(2), before Linux 5.6: a descriptor of the
/// file, opened with `flags`, or -1 and errno; EXDEV if the file is not in `folder`.
[[nodiscard]] int OpenBeneathByName(const std::filesystem::path& folder,
                                    const std::filesystem::path& name, int flags);

}  // namespace evenkeel::workloads
