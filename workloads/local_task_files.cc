#include "workloads/local_task_files.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "launcher/task_directory.h"
#include "platform/files.h"
#include "workloads/folder_file.h"
#include "workloads/output_folder.h"

namespace evenkeel::workloads {
namespace {

using platform::WriteError;

constexpr std::chrono::seconds kRemovalPatience{60};
constexpr std::size_t kMaxPreparedBytes = std::size_t{64} << 20;
constexpr const char* kPrepared = "local-files.cbor";

tl::unexpected<Error> InputError(std::string_view path, const std::string& what) {
  return InvalidInput("input " + ShownPath(path) + ": " + what);
}

/// The file at a path below `folder`; links may lead to other places below it.
Result<FileVersion> FindFile(const std::filesystem::path& folder, const std::string& path) {
  if (const std::string mistake = PathMistake(path); !mistake.empty()) {
    return InputError(path, mistake);
  }
  const auto file = OpenFolderFile(folder, path, true);
  if (!file) return InputError(path, file.error().message);
  auto version = VersionOf(path, file->Get());
  if (!version) return InputError(path, "cannot be read");
  return std::move(*version);
}

class LocalTaskFiles final : public TaskFiles {
 public:
  LocalTaskFiles(LocalFiles files, std::shared_ptr<const Workload> workload)
      : files_(std::move(files)), workload_(std::move(workload)), outputs_({files_.Outputs()}) {}

  Result<std::vector<InputFile>> Acquire(model::TaskIndex task, std::string_view input,
                                         const std::stop_token& stop) override {
    for (const FileVersion& version : files_.common) {
      if (stop.stop_requested()) return Fail(ErrorCode::kUnavailable, "the task was stopped");
      const auto now = FindFile(files_.inputs, version.path);
      if (!now) return tl::unexpected(now.error());
      if (*now != version) return InputError(version.path, "changed while the job ran");
    }
    const auto found = FindInputsOf(*workload_, files_.inputs, files_.common, task, input);
    if (!found) return tl::unexpected(found.error());
    std::vector<InputFile> inputs;
    for (const FileVersion& file : *found) {
      inputs.push_back({file.path, files_.inputs / file.path, file.size_bytes});
    }
    return inputs;
  }

  void Release(model::TaskIndex task) override { static_cast<void>(task); }

  Result<void> Store(model::TaskIndex task, std::span<const OutputFile> outputs,
                     const std::stop_token& stop) override {
    return outputs_.Store(task, outputs, stop);
  }

 private:
  const LocalFiles files_;
  const std::shared_ptr<const Workload> workload_;
  OutputFolder outputs_;
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
  if (auto removed = OutputFolder({files.Outputs()}).RemoveStaged(); !removed) return removed;
  const int failed = launcher::RemoveFolder(files.Running().native(), kRemovalPatience);
  return failed == 0 ? Result<void>() : tl::unexpected(WriteError(files.Running(), failed));
}

}  // namespace

Result<std::vector<FileVersion>> FindInputFiles(const std::filesystem::path& folder,
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

Result<std::vector<FileVersion>> FindInputsOf(const Workload& workload,
                                              const std::filesystem::path& folder,
                                              const std::vector<FileVersion>& common,
                                              model::TaskIndex index, std::string_view input) {
  const auto declared = workload.InputFilesOf(index, input);
  if (!declared) return tl::unexpected(declared.error());
  const auto own = FindInputFiles(folder, *declared);
  if (!own) return tl::unexpected(own.error());
  std::vector<FileVersion> files;
  std::set_union(common.begin(), common.end(), own->begin(), own->end(), std::back_inserter(files),
                 [](const FileVersion& a, const FileVersion& b) { return a.path < b.path; });
  if (files.size() > kMaxInputFiles) {
    return InvalidInput("inputs: " + std::to_string(files.size()) + " files, at most " +
                        std::to_string(kMaxInputFiles) + " are allowed");
  }
  return files;
}

Result<LocalFiles> FindLocalFiles(const Workload& workload, const std::filesystem::path& inputs,
                                  const std::filesystem::path& results) {
  LocalFiles files;
  std::error_code error;
  files.inputs = std::filesystem::absolute(inputs, error);
  if (!error) files.results = std::filesystem::absolute(results, error);
  if (error) return InvalidInput(error.message());
  auto common = FindInputFiles(files.inputs, workload.CommonInputFiles());
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
  return OutputFolder({files.Outputs()}).RemoveOthers(completed);
}

std::unique_ptr<TaskFiles> MakeLocalTaskFiles(LocalFiles files,
                                              std::shared_ptr<const Workload> workload) {
  return std::make_unique<LocalTaskFiles>(std::move(files), std::move(workload));
}

}  // namespace evenkeel::workloads
