#include "coordinator/job_files.h"

#include <functional>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <utility>

#include "workloads/stored_outputs.h"

namespace evenkeel::coordinator {
namespace {

/// Tells before the first task what OriginIndex would tell after a million of them. Paths that a
/// task cannot use are not counted: they are a failure of that task. A glob counts as one.
Result<void> CheckNumberOfInputFiles(const workloads::Workload& workload) {
  constexpr std::size_t kMost = files::OriginIndex::kMaxFiles;
  const std::int64_t tasks = workload.TaskCount();
  std::unordered_set<std::size_t> different;  // hashes: 40 MB at most
  for (model::TaskIndex task = 0; task < tasks; ++task) {
    const auto paths = workload.InputFilesOf(task, workload.InputOf(task));
    if (!paths) continue;
    // Each task declares as many: all together are few enough.
    if (static_cast<std::uint64_t>(paths->size()) * static_cast<std::uint64_t>(tasks) <= kMost) {
      return {};
    }
    for (const auto& path : *paths) different.insert(std::hash<std::string>{}(path.path));
    if (different.size() > kMost) {
      return InvalidInput(
          "workload.command.inputs: the tasks have more than 1,000,000 different input files, "
          "which is the limit; put several into one file, or make several jobs");
    }
  }
  return {};
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
    const std::filesystem::path& results, DataHeldHandler on_data_held) {
  if (auto few = CheckNumberOfInputFiles(*workload); !few) return tl::unexpected(few.error());
  auto common = workloads::FindInputFiles(inputs, workload->CommonInputFiles());
  if (!common) return tl::unexpected(common.error());
  std::unique_ptr<JobFiles> files(new JobFiles(std::move(workload), inputs,
                                               results / workloads::kOutputsFolder,
                                               std::move(*common), std::move(on_data_held)));
  if (auto removed = files->outputs_.RemoveStaged(); !removed) {
    return tl::unexpected(removed.error());
  }
  return files;
}

JobFiles::JobFiles(std::shared_ptr<const workloads::Workload> workload,
                   std::filesystem::path inputs, std::filesystem::path outputs,
                   std::vector<workloads::FileVersion> common, DataHeldHandler on_data_held)
    : workload_(std::move(workload)),
      inputs_(std::move(inputs)),
      common_(std::move(common)),
      index_({inputs_}),
      held_tasks_(workload_, inputs_),
      announcements_([this, on_data_held = std::move(on_data_held)](
                         const std::string& node, const std::vector<std::uint64_t>& keys,
                         const std::stop_token& stop) {
        if (!on_data_held) return;
        const model::RangeSet tasks = held_tasks_.Find(node, keys, stop);
        if (!tasks.Empty()) on_data_held(node, tasks);
      }),
      outputs_({std::move(outputs), workload_->OutputFilesLimit()}),
      home_(
          index_,
          [this](std::uint64_t task, std::string_view input) {
            return workloads::FindInputsOf(*workload_, inputs_, common_,
                                           static_cast<model::TaskIndex>(task), input);
          },
          outputs_,
          [this](const std::string& node, const std::vector<std::uint64_t>& keys) {
            announcements_.Put(node, keys);
          }) {}

bool JobFiles::HasInputs() const {
  if (!common_.empty()) return true;
  if (workload_->TaskCount() == 0) return false;
  // Each task declares as many; if those of the first one are wrong, there are some.
  const auto first = workload_->InputFilesOf(0, workload_->InputOf(0));
  return !first || !first->empty();
}

Result<void> JobFiles::KeepOutputsOf(const model::RangeSet& completed) {
  if (auto removed = outputs_.RemoveStaged(); !removed) return removed;
  return outputs_.RemoveOthers(completed);
}

}  // namespace evenkeel::coordinator
