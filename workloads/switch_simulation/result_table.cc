#include "workloads/switch_simulation/result_table.h"

#include <string>

#include "workloads/result_file.h"
#include "workloads/short_text.h"

namespace evenkeel::workloads::switch_simulation {
namespace {

constexpr const char* kHead =
    "index,seed,load,bufferSize,algorithm,arrived,departed,lost,queued,throughput,loss,meanDelay,"
    "delayP50,delayP95,delayP99,longestDelay\n";

std::string Row(const SwitchSpec& spec, model::TaskIndex index, const TaskResult& result) {
  const TaskPlace place = PlaceOf(spec, index);
  const double chances = static_cast<double>(spec.ports) * spec.slots;
  const auto whole = [](auto number) { return std::to_string(number) + ","; };
  std::string row = whole(index) + whole(spec.seeds[place.seed]);
  row += ShortText(spec.loads[place.load]) + "," + whole(spec.buffer_sizes[place.buffer_size]);
  row += std::string(NameOf(spec.algorithms[place.algorithm])) + ",";
  row += whole(result.arrived) + whole(result.departed) + whole(result.lost) + whole(result.queued);
  row += ShortText(static_cast<double>(result.departed) / chances) + ",";
  row += ShortText(LossOf(result)) + "," + ShortText(MeanDelayOf(result)) + ",";
  row += whole(result.delay_p50) + whole(result.delay_p95) + whole(result.delay_p99);
  return row + std::to_string(result.delay_longest) + "\n";
}

}  // namespace

Result<void> WriteResultTable(const std::filesystem::path& path, const SweepResults& results) {
  auto created = ResultFile::Create(path);
  if (!created) return tl::unexpected(created.error());
  ResultFile& file = **created;
  if (auto begun = file.Append(kHead); !begun) return begun;
  for (std::size_t task = 0; task < results.All().size(); ++task) {
    const auto& result = results.All()[task];
    if (!result) continue;
    const auto index = static_cast<model::TaskIndex>(task);
    if (auto added = file.Append(Row(results.Spec(), index, *result)); !added) return added;
  }
  return file.Commit();
}

}  // namespace evenkeel::workloads::switch_simulation
