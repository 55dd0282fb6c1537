#include "coordinator/held_tasks.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "files/file_content.h"
#include "workloads/local_task_files.h"

namespace evenkeel::coordinator {

HeldTasks::HeldTasks(std::shared_ptr<const workloads::Workload> workload,
                     std::filesystem::path inputs)
    : workload_(std::move(workload)), inputs_(std::move(inputs)) {}

model::RangeSet HeldTasks::Find(const std::string& node, const std::vector<std::uint64_t>& keys,
                                const std::stop_token& stop) {
  if (announcements_.size() >= kMaxNodes && !announcements_.contains(node)) return {};
  int& announcements = announcements_[node];
  if (announcements >= kMaxAnnouncements) return {};
  ++announcements;
  const std::unordered_set<std::uint64_t> held(keys.begin(), keys.end());
  const auto is_held = [&held](std::uint64_t key) { return held.contains(key); };
  if (!read_) read_ = ReadVersions(stop);
  if (!read_) return {};
  model::RangeSet tasks;
  auto begin = keys_.begin();
  for (std::size_t n = 0; n < keys_until_.size(); ++n) {
    const auto end = keys_.begin() + static_cast<std::ptrdiff_t>(keys_until_[n]);
    const auto task = static_cast<model::TaskIndex>(n);
    if (begin != end && std::all_of(begin, end, is_held)) tasks.Insert({task, task + 1});
    begin = end;
  }
  return tasks;
}

bool HeldTasks::ReadVersions(const std::stop_token& stop) {
  keys_.clear();
  keys_until_.clear();
  for (model::TaskIndex task = 0; task < workload_->TaskCount(); ++task) {
    if (stop.stop_requested()) return false;
    const auto files =
        workloads::FindInputsOf(*workload_, inputs_, {}, task, workload_->InputOf(task));
    if (files && files->empty()) return true;  // each task declares as many
    if (files) {
      if (keys_.size() + files->size() > kMaxFiles) break;
      for (const workloads::FileVersion& file : *files) {
        keys_.push_back(files::VersionKey(file.size_bytes, file.modified_nanoseconds));
      }
    }
    keys_until_.push_back(keys_.size());
  }
  return true;
}

}  // namespace evenkeel::coordinator
