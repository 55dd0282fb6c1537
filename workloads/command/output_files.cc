#include "workloads/command/output_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>
#include <utility>

namespace evenkeel::workloads::command {
namespace {

using launcher::FileStatus;

tl::unexpected<Error> OutputError(std::string_view path, const std::string& what) {
  return InvalidInput("output " + ShownPath(path) + " " + what);
}

tl::unexpected<Error> TooMany() {
  return InvalidInput("outputs: more than " + std::to_string(kMaxOutputFiles) +
                      " files, which is the limit of a task");
}

std::string WhyNotOpened(const launcher::OpenAnswer& answer) {
  constexpr const char* kWanted = ", must be a regular file";
  switch (answer.status) {
    case FileStatus::kLink:
      return std::string("is a symbolic link") + kWanted;
    case FileStatus::kFolder:
      return std::string("is a directory") + kWanted;
    case FileStatus::kDevice:
      return std::string("is a device") + kWanted;
    case FileStatus::kSocket:
      return std::string("is a socket") + kWanted;
    case FileStatus::kFifo:
      return std::string("is a named pipe") + kWanted;
    case FileStatus::kFound:
    case FileStatus::kFailed:
    case FileStatus::kTooMany:
      break;
  }
  if (answer.error == ENOENT) return "was not written";
  if (answer.error == ENOTDIR || answer.error == ELOOP) {
    return "is not in a directory: a part of its path is a link or a file";
  }
  return "cannot be read: " + std::generic_category().message(answer.error);
}

/// The paths that a glob matches.
Result<std::vector<std::string>> Matches(LauncherConnection& launcher,
                                         const std::filesystem::path& directory,
                                         const std::string& glob, std::size_t inputs) {
  auto found = launcher.FindFiles(
      {directory.native(), glob, static_cast<std::uint32_t>(kMaxOutputFiles + inputs)});
  if (!found) return tl::unexpected(found.error());
  if (found->status == FileStatus::kTooMany) return TooMany();
  if (found->status != FileStatus::kFound) {
    return OutputError(glob,
                       "cannot be looked up: " + std::generic_category().message(found->error));
  }
  return std::move(found->paths);
}

}  // namespace

Result<OutputFiles> OutputFiles::Collect(LauncherConnection& launcher,
                                         const std::filesystem::path& directory,
                                         const std::vector<DeclaredPath>& declared,
                                         std::span<const InputFile> inputs,
                                         std::int64_t limit_bytes) {
  std::set<std::string> paths;
  for (const DeclaredPath& each : declared) {
    if (!each.glob) {
      paths.insert(each.path);
      continue;
    }
    const auto matches = Matches(launcher, directory, each.path, inputs.size());
    if (!matches) return tl::unexpected(matches.error());
    for (const std::string& path : *matches) {
      const bool is_input =
          std::any_of(inputs.begin(), inputs.end(),
                      [&path](const InputFile& input) { return input.path == path; });
      if (!is_input) paths.insert(path);
    }
  }
  if (paths.size() > kMaxOutputFiles) return TooMany();
  OutputFiles files;
  for (const std::string& path : paths) {
    if (auto added = files.Add(launcher, directory, path, limit_bytes); !added) {
      return tl::unexpected(added.error());
    }
  }
  return files;
}

Result<void> OutputFiles::Add(LauncherConnection& launcher, const std::filesystem::path& directory,
                              const std::string& path, std::int64_t limit_bytes) {
  // A glob may have matched any name.
  if (const std::string mistake = PathMistake(path); !mistake.empty()) {
    return OutputError(path, mistake);
  }
  auto opened = launcher.OpenFile({directory.native(), path});
  if (!opened) return tl::unexpected(opened.error());
  if (opened->answer.status != FileStatus::kFound) {
    return OutputError(path, WhyNotOpened(opened->answer));
  }
  // The launcher has checked it, but it runs as the user of the command.
  struct stat status {};
  const int descriptor = opened->descriptor.Get();
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    return OutputError(path, "must be a regular file");
  }
  if (status.st_size > limit_bytes - bytes_) {
    return InvalidInput("outputs: more than outputFilesLimitBytes, " + std::to_string(limit_bytes) +
                        " bytes, with " + ShownPath(path));
  }
  bytes_ += status.st_size;
  files_.push_back({path, descriptor, status.st_size});
  descriptors_.push_back(std::move(opened->descriptor));
  return {};
}

}  // namespace evenkeel::workloads::command
