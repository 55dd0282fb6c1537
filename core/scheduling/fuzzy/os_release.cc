#include "core/scheduling/fuzzy/os_release.h"

#include <array>
#include <string_view>

namespace evenkeel::scheduling {
namespace {

struct Release {
  std::string_view id;     // in os-release
  std::string_view image;  // begin of PRETTY_NAME
  std::string_view date;
  std::string_view version;
};

/// Dates as announced by Debian and Ubuntu; Raspberry Pi OS calls itself Debian or Raspbian and
/// follows some weeks later.
constexpr std::array<Release, 11> kReleases{{
    {"debian", "Debian GNU/Linux 10", "2019-07-06", "10"},
    {"debian", "Debian GNU/Linux 11", "2021-08-14", "11"},
    {"debian", "Debian GNU/Linux 12", "2023-06-10", "12"},
    {"debian", "Debian GNU/Linux 13", "2025-08-09", "13"},
    {"raspbian", "Raspbian GNU/Linux 10", "2019-07-06", "10"},
    {"raspbian", "Raspbian GNU/Linux 11", "2021-08-14", "11"},
    {"raspbian", "Raspbian GNU/Linux 12", "2023-06-10", "12"},
    {"raspbian", "Raspbian GNU/Linux 13", "2025-08-09", "13"},
    {"ubuntu", "Ubuntu 20.04", "2020-04-23", "20.04"},
    {"ubuntu", "Ubuntu 22.04", "2022-04-21", "22.04"},
    {"ubuntu", "Ubuntu 24.04", "2024-04-25", "24.04"},
}};

}  // namespace

std::optional<std::string> OsReleaseDate(const std::string& id, const std::string& version) {
  for (const Release& release : kReleases) {
    if (release.id == id && release.version == version) return std::string(release.date);
  }
  return std::nullopt;
}

std::optional<std::string> OsReleaseDateOfImage(const std::string& os_image) {
  for (const Release& release : kReleases) {
    if (os_image.starts_with(release.image)) return std::string(release.date);
  }
  return std::nullopt;
}

}  // namespace evenkeel::scheduling
