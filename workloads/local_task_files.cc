#include "workloads/local_task_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "launcher/task_directory.h"
#include "platform/file_descriptor.h"
#include "platform/files.h"
#include "workloads/folder_file.h"

namespace evenkeel::workloads {
namespace {

using platform::FileDescriptor;
using platform::WriteError;

constexpr const char* kStaged = ".staged";  // in the folder of outputs: not complete, or replaced
constexpr std::chrono::seconds kRemovalPatience{60};
constexpr std::size_t kMaxPreparedBytes = std::size_t{64} << 20;
constexpr const char* kPrepared = "local-files.cbor";
constexpr std::int64_t kNanoseconds = 1'000'000'000;

tl::unexpected<Error> InputError(std::string_view path, const std::string& what) {
  return InvalidInput("input " + ShownPath(path) + ": " + what);
}

FileVersion VersionOf(std::string path, const struct stat& status) {
  return {std::move(path), status.st_size,
          status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec, status.st_ino};
}

/// The file at a path below `folder`; links may lead to other places below it.
Result<FileVersion> FindFile(const std::filesystem::path& folder, const std::string& path) {
  if (const std::string mistake = PathMistake(path); !mistake.empty()) {
    return InputError(path, mistake);
  }
  const auto file = OpenFolderFile(folder, path, true);
  if (!file) return InputError(path, file.error().message);
  struct stat status {};
  if (::fstat(file->Get(), &status) != 0) return InputError(path, "cannot be read");
  return VersionOf(path, status);
}

/// The files of declared paths, by path.
Result<std::vector<FileVersion>> FindAll(const std::filesystem::path& folder,
                                         const std::vector<DeclaredPath>& declared) {
  std::set<std::string> paths;
  for (const DeclaredPath& each : declared) {
    if (!each.glob) {
      paths.insert(each.path);
      continue;
    }
    launcher::FoundFiles found =
        launcher::FindFiles({folder.native(), each.path, kMaxInputFiles, true});
    if (found.status == launcher::FileStatus::kFailed) {
      return InputError(each.path,
                        "cannot be read: " + std::generic_category().message(found.error));
    }
    if (found.status == launcher::FileStatus::kTooMany) {
      return InputError(each.path,
                        "matches more than " + std::to_string(kMaxInputFiles) + " files");
    }
    if (found.paths.empty()) return InputError(each.path, "matches no file");
    paths.merge(std::set(found.paths.begin(), found.paths.end()));
  }
  std::vector<FileVersion> files;
  for (const std::string& path : paths) {
    auto file = FindFile(folder, path);
    if (!file) return tl::unexpected(file.error());
    files.push_back(std::move(*file));
  }
  return files;
}

/// Output files of one task on their way into the folder of outputs.
class Staging {
 public:
  Staging(const std::filesystem::path& outputs, model::TaskIndex task)
      : outputs_(outputs),
        task_(outputs / std::to_string(task)),
        place_(outputs / kStaged / (std::to_string(task) + "-XXXXXX")) {}
  ~Staging() {
    std::error_code ignored;
    if (made_) std::filesystem::remove_all(place_, ignored);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  Result<void> Store(std::span<const OutputFile> files, const std::stop_token& stop) {
    if (auto made = Make(); !made) return made;
    for (const OutputFile& file : files) {
      if (auto added = Add(file, stop); !added) return added;
    }
    for (const auto& folder : folders_) {
      if (const int failed = platform::SyncPath(folder); failed != 0) {
        return tl::unexpected(WriteError(folder, failed));
      }
    }
    return Publish();
  }

  /// The task has no files.
  Result<void> Remove() {
    std::error_code error;
    if (!std::filesystem::exists(std::filesystem::symlink_status(task_, error))) return {};
    if (auto made = Make(); !made) return made;
    if (::rename(task_.c_str(), staged_.c_str()) != 0 && errno != ENOENT) {
      return tl::unexpected(WriteError(task_, errno));
    }
    return Sync();
  }

 private:
  /// Makes an empty folder to put files in.
  Result<void> Make() {
    std::error_code error;
    std::filesystem::create_directories(place_.parent_path(), error);
    if (error) return tl::unexpected(WriteError(place_.parent_path(), error.value()));
    std::string name = place_.native();
    if (::mkdtemp(name.data()) == nullptr) return tl::unexpected(WriteError(place_, errno));
    place_ = name;
    made_ = true;
    staged_ = place_ / "files";  // with the usual permissions, unlike the folder around it
    return MakeFolders(staged_);
  }

  Result<void> Add(const OutputFile& file, const std::stop_token& stop) {
    const auto refuse = [&file](const std::string& what) {
      return InvalidInput("output " + ShownPath(file.path) + " " + what);
    };
    if (const std::string mistake = PathMistake(file.path); !mistake.empty()) {
      return refuse(mistake);
    }
    const std::filesystem::path path = staged_ / file.path;
    if (auto made = MakeFolders(path.parent_path()); !made) return made;
    // Not owned, and not to be closed.
    const FileDescriptor source(::fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0));
    struct stat before {};
    if (!source.IsOpen() || ::fstat(source.Get(), &before) != 0) {
      return tl::unexpected(WriteError(path, errno));
    }
    const FileDescriptor copy(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!copy.IsOpen()) return tl::unexpected(WriteError(path, errno));
    const auto copied = platform::CopyBytes(source, copy, file.size_bytes, stop);
    struct stat after {};
    const bool same = ::fstat(source.Get(), &after) == 0 && S_ISREG(after.st_mode) &&
                      VersionOf("", before) == VersionOf("", after) &&
                      after.st_size == file.size_bytes;
    const bool shorter = !copied && copied.error().code == ErrorCode::kInvalidInput;
    if (shorter || (copied && !same)) return refuse("changed after the command had ended");
    if (!copied) return Fail(copied.error().code, path.string() + ": " + copied.error().message);
    if (::fsync(copy.Get()) != 0) return tl::unexpected(WriteError(path, errno));
    return {};
  }

  Result<void> MakeFolders(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return tl::unexpected(WriteError(folder, error.value()));
    for (auto made = folder; made != place_; made = made.parent_path()) folders_.insert(made);
    return {};
  }

  /// Puts the staged folder in the place of the task's in one step.
  Result<void> Publish() {
    if (::renameat2(AT_FDCWD, staged_.c_str(), AT_FDCWD, task_.c_str(), RENAME_NOREPLACE) == 0 ||
        ::renameat2(AT_FDCWD, staged_.c_str(), AT_FDCWD, task_.c_str(), RENAME_EXCHANGE) == 0) {
      return Sync();
    }
    // The file system cannot exchange two folders: two steps, with nothing in between.
    const std::filesystem::path old = place_ / "old";
    if (::rename(task_.c_str(), old.c_str()) != 0 && errno != ENOENT) {
      return tl::unexpected(WriteError(task_, errno));
    }
    if (::rename(staged_.c_str(), task_.c_str()) != 0) {
      return tl::unexpected(WriteError(task_, errno));
    }
    return Sync();
  }

  [[nodiscard]] Result<void> Sync() const {
    const int failed = platform::SyncPath(outputs_);
    return failed == 0 ? Result<void>() : tl::unexpected(WriteError(outputs_, failed));
  }

  const std::filesystem::path outputs_;
  const std::filesystem::path task_;
  std::filesystem::path place_;  // a template for mkdtemp(3) until it is made
  bool made_ = false;
  std::filesystem::path staged_;  // in it: the files of the task
  std::set<std::filesystem::path> folders_;
};

class LocalTaskFiles final : public TaskFiles {
 public:
  LocalTaskFiles(LocalFiles files, std::shared_ptr<const Workload> workload)
      : files_(std::move(files)), workload_(std::move(workload)) {}

  Result<std::vector<InputFile>> Acquire(model::TaskIndex task, std::string_view input,
                                         const std::stop_token& stop) override {
    std::vector<FileVersion> found;
    for (const FileVersion& version : files_.common) {
      if (stop.stop_requested()) return Fail(ErrorCode::kUnavailable, "the task was stopped");
      const auto now = FindFile(files_.inputs, version.path);
      if (!now) return tl::unexpected(now.error());
      if (*now != version) return InputError(version.path, "changed while the job ran");
      found.push_back(version);
    }
    const auto declared = workload_->InputFilesOf(task, input);
    if (!declared) return tl::unexpected(declared.error());
    const auto own = FindAll(files_.inputs, *declared);
    if (!own) return tl::unexpected(own.error());
    found.insert(found.end(), own->begin(), own->end());
    const auto by_path = [](const FileVersion& a, const FileVersion& b) { return a.path < b.path; };
    std::sort(found.begin(), found.end(), by_path);
    std::vector<InputFile> inputs;
    for (const FileVersion& file : found) {
      if (!inputs.empty() && inputs.back().path == file.path) continue;
      inputs.push_back({file.path, files_.inputs / file.path, file.size_bytes});
    }
    if (inputs.size() > kMaxInputFiles) {
      return InvalidInput("inputs: " + std::to_string(inputs.size()) + " files, at most " +
                          std::to_string(kMaxInputFiles) + " are allowed");
    }
    return inputs;
  }

  void Release(model::TaskIndex task) override { static_cast<void>(task); }

  Result<void> Store(model::TaskIndex task, std::span<const OutputFile> outputs,
                     const std::stop_token& stop) override {
    Staging staging(files_.Outputs(), task);
    return outputs.empty() ? staging.Remove() : staging.Store(outputs, stop);
  }

 private:
  const LocalFiles files_;
  const std::shared_ptr<const Workload> workload_;
};

/// CBOR, because names may be any bytes.
std::vector<std::uint8_t> Encoded(const LocalFiles& files) {
  nlohmann::json common = nlohmann::json::array();
  for (const FileVersion& file : files.common) {
    common.push_back({file.path, file.size_bytes, file.modified_nanoseconds, file.inode});
  }
  return nlohmann::json::to_cbor({{"inputs", files.inputs.native()},
                                  {"results", files.results.native()},
                                  {"common", std::move(common)}});
}

Result<void> RemoveRunning(const LocalFiles& files) {
  std::error_code error;
  std::filesystem::remove_all(files.Outputs() / kStaged, error);
  if (error) return tl::unexpected(WriteError(files.Outputs() / kStaged, error.value()));
  const int failed = launcher::RemoveFolder(files.Running().native(), kRemovalPatience);
  return failed == 0 ? Result<void>() : tl::unexpected(WriteError(files.Running(), failed));
}

/// The index of the task whose output files are in a folder of this name.
std::optional<model::TaskIndex> TaskOf(const std::string& name) {
  model::TaskIndex index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return index;
}

}  // namespace

Result<LocalFiles> FindLocalFiles(const Workload& workload, const std::filesystem::path& inputs,
                                  const std::filesystem::path& results) {
  LocalFiles files;
  std::error_code error;
  files.inputs = std::filesystem::absolute(inputs, error);
  if (!error) files.results = std::filesystem::absolute(results, error);
  if (error) return InvalidInput(error.message());
  auto common = FindAll(files.inputs, workload.CommonInputFiles());
  if (!common) return tl::unexpected(common.error());
  files.common = std::move(*common);
  return files;
}

Result<std::filesystem::path> PrepareLocalFiles(const LocalFiles& files) {
  if (auto removed = RemoveRunning(files); !removed) return tl::unexpected(removed.error());
  std::error_code error;
  for (const auto& folder : {files.Outputs(), files.Running()}) {
    std::filesystem::create_directories(folder, error);
    if (error) return tl::unexpected(WriteError(folder, error.value()));
  }
  if (const int failed = platform::SyncPath(files.results); failed != 0) {
    return tl::unexpected(WriteError(files.results, failed));
  }
  std::filesystem::path file = files.Running() / kPrepared;
  const std::vector<std::uint8_t> bytes = Encoded(files);
  const std::string encoded(bytes.begin(), bytes.end());
  const auto written = platform::WriteFileAtomically(file, encoded);
  if (!written) return tl::unexpected(written.error());
  return file;
}

Result<LocalFiles> ReadLocalFiles(const std::filesystem::path& file) {
  const auto text = platform::ReadRegularFile(file, kMaxPreparedBytes);
  if (!text) return tl::unexpected(text.error());
  try {
    const auto read = nlohmann::json::from_cbor(*text);
    LocalFiles files;
    files.inputs = read.at("inputs").get<std::string>();
    files.results = read.at("results").get<std::string>();
    for (const auto& entry : read.at("common")) {
      files.common.push_back({entry.at(0), entry.at(1), entry.at(2), entry.at(3)});
    }
    return files;
  } catch (const nlohmann::json::exception& exception) {
    return InvalidInput(file.string() + ": " + exception.what());
  }
}

Result<void> CleanUpLocalFiles(const LocalFiles& files, const model::RangeSet& completed) {
  if (auto removed = RemoveRunning(files); !removed) return removed;
  std::vector<std::filesystem::path> others;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(files.Outputs(), error), end;
       !error && entry != end; entry.increment(error)) {
    const auto task = TaskOf(entry->path().filename().string());
    if (task && !completed.Contains(*task)) others.push_back(entry->path());
  }
  for (const auto& folder : others) std::filesystem::remove_all(folder, error);
  return error ? tl::unexpected(WriteError(files.Outputs(), error.value())) : Result<void>();
}

std::unique_ptr<TaskFiles> MakeLocalTaskFiles(LocalFiles files,
                                              std::shared_ptr<const Workload> workload) {
  return std::make_unique<LocalTaskFiles>(std::move(files), std::move(workload));
}

}  // namespace evenkeel::workloads
