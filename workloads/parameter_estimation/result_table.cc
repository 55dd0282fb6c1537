#include "workloads/parameter_estimation/result_table.h"

#include <numeric>
#include <string>
#include <utility>

#include "workloads/result_file.h"
#include "workloads/short_text.h"

namespace evenkeel::workloads::parameter_estimation {
namespace {

std::string Head(const EstimationSpec& spec) {
  std::string head = "index";
  for (const UnitType& unit : spec.units) head += ",units." + unit.name;
  return head + ",cycles,seconds,powerMilliwatts,area,proven,pareto\n";
}

std::string Row(const EstimationSpec& spec, std::size_t task, const TaskResult& result,
                bool pareto) {
  std::string row = std::to_string(task);
  for (const std::uint32_t count : CombinationAt(spec.units, static_cast<model::TaskIndex>(task))) {
    row += "," + std::to_string(count);
  }
  row += "," + std::to_string(result.cycles);
  row += "," + ShortText(SecondsOf(spec, result.cycles));
  row += "," + ShortText(MilliwattsOf(result)) + "," + std::to_string(result.area);
  row += result.proven ? ",1" : ",0";
  return row + (pareto ? ",1\n" : ",0\n");
}

/// A row for each of `tasks` that has a result.
Result<void> WriteTable(const std::filesystem::path& path, const EstimationSpec& spec,
                        const EstimationResults& results, const std::vector<std::size_t>& tasks,
                        const std::vector<bool>& in_front) {
  auto created = ResultFile::Create(path);
  if (!created) return tl::unexpected(created.error());
  ResultFile& file = **created;
  if (auto begun = file.Append(Head(spec)); !begun) return begun;
  for (const std::size_t task : tasks) {
    if (!results[task]) continue;
    const std::string row = Row(spec, task, *results[task], in_front[task]);
    if (auto added = file.Append(row); !added) return added;
  }
  return file.Commit();
}

Result<void> WriteFrontJson(const std::filesystem::path& path, const EstimationSpec& spec,
                            const EstimationResults& results,
                            const std::vector<std::size_t>& front) {
  auto created = ResultFile::Create(path);
  if (!created) return tl::unexpected(created.error());
  ResultFile& file = **created;
  std::string separator = "[";
  for (const std::size_t task : front) {
    const std::string item = separator + "\n" + CombinationJson(spec, task, *results[task]);
    if (auto added = file.Append(item); !added) return added;
    separator = ",";
  }
  if (auto ended = file.Append(front.empty() ? "[]\n" : "\n]\n"); !ended) return ended;
  return file.Commit();
}

}  // namespace

std::string CombinationJson(const EstimationSpec& spec, std::size_t task,
                            const TaskResult& result) {
  const UnitCounts counts = CombinationAt(spec.units, static_cast<model::TaskIndex>(task));
  std::string units;
  for (std::size_t n = 0; n < counts.size(); ++n) {
    if (n > 0) units += ",";
    units += "\"" + spec.units[n].name + "\":" + std::to_string(counts[n]);
  }
  return "{\"units\":{" + units + "},\"cycles\":" + std::to_string(result.cycles) +
         ",\"seconds\":" + ShortText(SecondsOf(spec, result.cycles)) +
         ",\"powerMilliwatts\":" + ShortText(MilliwattsOf(result)) +
         ",\"area\":" + std::to_string(result.area) + "}";
}

Result<void> WriteResultFiles(const std::filesystem::path& folder, const EstimationSpec& spec,
                              const EstimationResults& results,
                              const std::vector<std::size_t>& front) {
  std::vector<std::size_t> all(results.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<bool> in_front(results.size());
  for (const std::size_t task : front) in_front[task] = true;
  for (const auto* tasks : {&std::as_const(all), &front}) {
    const auto path = folder / (tasks == &front ? "pareto.csv" : "results.csv");
    if (auto csv = WriteTable(path, spec, results, *tasks, in_front); !csv) return csv;
  }
  return WriteFrontJson(folder / "pareto.json", spec, results, front);
}

}  // namespace evenkeel::workloads::parameter_estimation
