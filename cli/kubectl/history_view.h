#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace evenkeel::cli {

/// A weight that a history had a say in, as the plan of the job keeps it. Texts are printable.
struct HistoryRow {
  std::string node;
  double ratio = 0;         ///< the blended one
  double fuzzy = 0;         ///< the ratio by labels
  double measured = 0;      ///< units a second in earlier jobs; 0: not known
  double busy_seconds = 0;  ///< that this stands on
  double age_seconds = 0;
  double confidence = 0;  ///< share of the history, 0 to 1
  std::string note;
};

/// Measured rates of earlier jobs and their effect on a job's weights.
struct HistoryView {
  std::string message;  ///< outcome of the query; empty without a query
  std::vector<HistoryRow> rows;

  [[nodiscard]] std::set<std::string> Nodes() const;
};

/// Reads the ConfigMap JOB-plan. Accepts any content.
[[nodiscard]] HistoryView ReadHistoryView(const nlohmann::json& plan);

/// Writes a row and notes for each node. Writes nothing without a query.
void WriteHistoryView(const HistoryView& view, std::ostream& out);

}  // namespace evenkeel::cli
