#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coordinator/announcement_queue.h"
#include "coordinator/file_home.h"
#include "coordinator/held_tasks.h"
#include "core/base/error.h"
#include "core/model/range_set.h"
#include "files/origin_index.h"
#include "workloads/local_task_files.h"
#include "workloads/output_folder.h"
#include "workloads/workload.h"

namespace evenkeel::coordinator {

/// The files of the tasks of one job, which workers fetch from here and send back. Thread-safe.
class JobFiles {
 public:
  /// `inputs`: folder of the declared input files; empty: there are none. `results`: folder of the
  /// job's results, in which output files appear. Removes what an earlier process has left
  /// unfinished. kInvalidInput: an input that all tasks need is missing or wrong; kStorageFull,
  /// kUnavailable: the folder of results cannot be used.
  /// `on_data_held`, if any, is called by a thread of its own, once at a time: the cache of a node
  /// had the own input files of these tasks when its worker started.
  using DataHeldHandler =
      std::function<void(const std::string& node, const model::RangeSet& tasks)>;
  [[nodiscard]] static Result<std::unique_ptr<JobFiles>> Open(
      std::shared_ptr<const workloads::Workload> workload, const std::filesystem::path& inputs,
      const std::filesystem::path& results, DataHeldHandler on_data_held = nullptr);

  [[nodiscard]] FileHome& Home() { return home_; }
  /// Whether tasks have input files, and not only output files.
  [[nodiscard]] bool HasInputs() const;
  /// As FileHome::Trouble.
  [[nodiscard]] std::string Trouble() const { return home_.Trouble(); }
  /// As OutputFolder::Keep and KeepOnly.
  void Keep(model::IndexRange tasks) { outputs_.Keep(tasks); }
  void KeepOnly(model::RangeSet tasks) { outputs_.KeepOnly(std::move(tasks)); }
  /// To be called when the job has ended and no worker sends files any more: removes unfinished
  /// uploads, and the output files of tasks that are not completed, for example of one that was
  /// stopped after it had stored them.
  [[nodiscard]] Result<void> KeepOutputsOf(const model::RangeSet& completed);

  /// Copies the output files of all tasks of an earlier job, durable, before this job has a
  /// journal. May be repeated. Both are folders of results.
  [[nodiscard]] static Result<void> TakeOver(const std::filesystem::path& earlier,
                                             const std::filesystem::path& results);

 private:
  JobFiles(std::shared_ptr<const workloads::Workload> workload, std::filesystem::path inputs,
           std::filesystem::path outputs, std::vector<workloads::FileVersion> common,
           DataHeldHandler on_data_held);

  const std::shared_ptr<const workloads::Workload> workload_;
  const std::filesystem::path inputs_;
  const std::vector<workloads::FileVersion> common_;  // that all tasks need, by path
  files::OriginIndex index_;
  HeldTasks held_tasks_;
  AnnouncementQueue announcements_;  // its thread uses held_tasks_
  workloads::OutputFolder outputs_;
  FileHome home_;
};

}  // namespace evenkeel::coordinator
