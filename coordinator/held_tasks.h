#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/model/range_set.h"
#include "workloads/workload.h"

namespace evenkeel::coordinator {

/// Finds the tasks whose input files the cache of a node has, by sizes and times of change alone,
/// so that no file has to be read for it. The result is a hint for the scheduler: each file is
/// checked by its digest before it is used. For one thread.
class HeldTasks {
 public:
  /// More files are not looked at: tasks behind them run anywhere.
  static constexpr std::size_t kMaxFiles = 100'000;

  /// `inputs`: folder of the input files.
  HeldTasks(std::shared_ptr<const workloads::Workload> workload, std::filesystem::path inputs);

  /// Of one node; a worker announces its cache once, when it starts. Later ones are ignored.
  static constexpr int kMaxAnnouncements = 100;
  static constexpr std::size_t kMaxNodes = 10'000;

  /// The tasks that have input files of their own and for each of these one of the keys
  /// (files::VersionKey) that a node announces; none if it, or too many nodes, did so too often.
  /// The first call blocks on the disk for each file. None if `stop` is requested meanwhile.
  [[nodiscard]] model::RangeSet Find(const std::string& node,
                                     const std::vector<std::uint64_t>& keys,
                                     const std::stop_token& stop = {});

 private:
  /// Reads the keys of the first tasks. False if `stop` was requested before all were read.
  bool ReadVersions(const std::stop_token& stop);

  const std::shared_ptr<const workloads::Workload> workload_;
  const std::filesystem::path inputs_;
  std::map<std::string, int> announcements_;  // of each node
  bool read_ = false;
  std::vector<std::uint64_t> keys_;      // of the files of all tasks, one task after the other
  std::vector<std::size_t> keys_until_;  // of each task: the end of its keys
};

}  // namespace evenkeel::coordinator
