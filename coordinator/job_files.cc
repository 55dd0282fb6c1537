#include "coordinator/job_files.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "workloads/local_task_files.h"
#include "workloads/stored_outputs.h"

namespace evenkeel::coordinator {
namespace {

std::vector<std::string> PathsIn(const std::vector<workloads::FileVersion>& files) {
  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (const workloads::FileVersion& file : files) paths.push_back(file.path);
  return paths;
}

}  // namespace

Result<void> JobFiles::TakeOver(const std::filesystem::path& earlier,
                                const std::filesystem::path& results) {
  workloads::OutputFolder outputs({results / workloads::kOutputsFolder});
  if (auto removed = outputs.RemoveStaged(); !removed) return removed;
  return outputs.CopyFrom(workloads::StoredOutputs(earlier));
}

Result<std::unique_ptr<JobFiles>> JobFiles::Open(
    std::shared_ptr<const workloads::Workload> workload, const std::filesystem::path& inputs,
    const std::filesystem::path& results) {
  auto common = workloads::FindInputFiles(inputs, workload->CommonInputFiles());
  if (!common) return tl::unexpected(common.error());
  std::unique_ptr<JobFiles> files(new JobFiles(
      std::move(workload), inputs, results / workloads::kOutputsFolder, PathsIn(*common)));
  if (auto removed = files->outputs_.RemoveStaged(); !removed) {
    return tl::unexpected(removed.error());
  }
  return files;
}

JobFiles::JobFiles(std::shared_ptr<const workloads::Workload> workload,
                   std::filesystem::path inputs, std::filesystem::path outputs,
                   std::vector<std::string> common)
    : workload_(std::move(workload)),
      inputs_(std::move(inputs)),
      common_(std::move(common)),
      index_({inputs_}),
      outputs_({std::move(outputs), workload_->OutputFilesLimit()}),
      home_(
          index_,
          [this](std::uint64_t task, std::string_view input) { return PathsOf(task, input); },
          /*between_workers=*/true, &outputs_) {}

Result<std::vector<std::string>> JobFiles::PathsOf(std::uint64_t task,
                                                   std::string_view input) const {
  const auto declared = workload_->InputFilesOf(static_cast<model::TaskIndex>(task), input);
  if (!declared) return tl::unexpected(declared.error());
  const auto found = workloads::FindInputFiles(inputs_, *declared);
  if (!found) return tl::unexpected(found.error());
  const std::vector<std::string> own = PathsIn(*found);
  std::vector<std::string> paths;
  std::set_union(common_.begin(), common_.end(), own.begin(), own.end(), std::back_inserter(paths));
  if (paths.size() > workloads::kMaxInputFiles) {
    return InvalidInput("inputs: " + std::to_string(paths.size()) + " files, at most " +
                        std::to_string(workloads::kMaxInputFiles) + " are allowed");
  }
  return paths;
}

Result<void> JobFiles::KeepOutputsOf(const model::RangeSet& completed) {
  if (auto removed = outputs_.RemoveStaged(); !removed) return removed;
  return outputs_.RemoveOthers(completed);
}

}  // namespace evenkeel::coordinator
