#pragma once

#include <optional>
#include <string>

namespace evenkeel::scheduling {

/// The release date ("2023-06-10") of a system, from the words of /etc/os-release: ID ("debian")
/// and VERSION_ID ("12"). Nothing for systems that are not in the table.
[[nodiscard]] std::optional<std::string> OsReleaseDate(const std::string& id,
                                                       const std::string& version);

/// The same from PRETTY_NAME, which Kubernetes shows as osImage: "Debian GNU/Linux 12 (bookworm)".
[[nodiscard]] std::optional<std::string> OsReleaseDateOfImage(const std::string& os_image);

}  // namespace evenkeel::scheduling
