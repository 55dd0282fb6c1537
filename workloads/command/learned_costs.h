#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/cost_model.h"
#include "core/model/index_range.h"

namespace evenkeel::workloads::command {

/// The costs of arguments as earlier runs of a profile measured them, newest first. Costs are
/// relative: about 1 for a typical task. Not thread-safe.
class LearnedCosts {
 public:
  /// The costs of more arguments are not kept; the oldest are dropped.
  static constexpr std::size_t kMaxArguments = 100'000;

  /// Reads a file that AddTo has written. A file that is missing, damaged or of another version has
  /// no costs: they are hints, and no job fails for them.
  [[nodiscard]] static LearnedCosts Read(const std::filesystem::path& file);
  /// Adds the costs to those in the file, as Learn does, and replaces it as a whole. Makes its
  /// folder if that is missing. kConflict if another process does the same now; other errors as of
  /// WriteFileAtomically.
  [[nodiscard]] static Result<void> AddTo(const std::filesystem::path& file,
                                          const std::vector<std::pair<std::string, double>>& costs);

  [[nodiscard]] std::optional<double> Of(std::string_view argument) const;
  [[nodiscard]] std::size_t Count() const { return entries_.size(); }
  /// Puts the costs of this run's arguments in front of the others; of equal arguments the first
  /// counts. Costs that are not finite and above 0 are ignored.
  void Learn(const std::vector<std::pair<std::string, double>>& costs);

 private:
  using Key = std::uint64_t;  // digest of an argument, which may be long or confidential
  void Append(Key key, double cost);
  [[nodiscard]] std::string Text() const;

  std::vector<std::pair<Key, double>> entries_;
  std::unordered_map<Key, double> costs_;  // the same, for look-ups
};

/// How long the tasks of one run took on which nodes. Not thread-safe.
class ObservedTimes {
 public:
  /// Times of more tasks are ignored. Memory: 24 bytes per task.
  static constexpr std::size_t kMaxTasks = LearnedCosts::kMaxArguments;

  /// `seconds` > 0, or the time is ignored.
  void Add(model::TaskIndex task, const std::string& node, double seconds);

  /// The cost of each observed task: its time divided by how slow its node is. How slow a node is
  /// follows from log(seconds / cost), with `costs` as they were known before the run, or 1 each:
  /// the mean over its tasks is drawn towards that of all nodes as far as the scatter of its few
  /// tasks explains the difference (best linear unbiased prediction in the one-way random model;
  /// Searle, Casella and McCulloch, "Variance Components", 1992, chapter 3, with variances by
  /// analysis of variance). So tasks that a slow node ran do not count as long ones, and a long
  /// task that was alone on its node does.
  [[nodiscard]] std::vector<std::pair<model::TaskIndex, double>> Costs(
      const model::CostModel& costs) const;

 private:
  struct Time {
    model::TaskIndex task;
    std::uint32_t node;
    double seconds;
  };
  std::map<std::string, std::uint32_t> nodes_;
  std::vector<Time> times_;
};

}  // namespace evenkeel::workloads::command
