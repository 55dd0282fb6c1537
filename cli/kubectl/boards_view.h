#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace evenkeel::cli {

/// Lists of objects as `kubectl get -o json` prints them. An error says in one line why this user
/// does not get the list.
struct ClusterLists {
  nlohmann::json jobs;           ///< WeightedJobs
  Result<nlohmann::json> pods;   ///< worker pods
  Result<nlohmann::json> nodes;  ///< all of the cluster
};

/// Which namespaces the jobs are from.
struct JobScope {
  std::string namespace_name;  ///< empty: that of the kubeconfig
  bool all_namespaces = false;
};

/// Rows of jobs, and of boards, that the page gets at most; and workers of a board.
inline constexpr std::size_t kMaxBoardRows = 1000;
inline constexpr std::size_t kMaxWorkersOfBoard = 20;

/// The page's data on all jobs and boards, as docs/live-page.md describes it, without the fields
/// `againSeconds`, `ageSeconds` and `trouble`. Jobs that are not over come first, the oldest first;
/// then those that ended last. Boards with workers come first, in the order of their names. A list
/// that is missing is mentioned in `notes`; without nodes, boards are the nodes that pods name.
/// `now`: seconds since 1970.
[[nodiscard]] nlohmann::json BoardsData(const ClusterLists& lists, const JobScope& scope,
                                        double now);

}  // namespace evenkeel::cli
