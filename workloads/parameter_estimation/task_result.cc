#include "workloads/parameter_estimation/task_result.h"

#include <algorithm>

#include "workloads/little_endian.h"

namespace evenkeel::workloads::parameter_estimation {
namespace {

constexpr std::size_t kNumbers = 4;
constexpr std::uint64_t kNanoPerMicro = 1000;

}  // namespace

TaskResult FiguresOf(const EstimationSpec& spec, const UnitCounts& counts, std::uint32_t cycles,
                     bool proven) {
  TaskResult result;
  result.cycles = cycles;
  result.proven = proven;
  std::uint64_t idle_microwatts = 0;
  std::uint64_t picojoules = 0;
  for (std::size_t n = 0; n < spec.units.size(); ++n) {
    const UnitType& unit = spec.units[n];
    result.area += std::uint64_t{counts[n]} * static_cast<std::uint64_t>(unit.area);
    idle_microwatts += std::uint64_t{counts[n]} * static_cast<std::uint64_t>(unit.idle_microwatts);
    const auto operations =
        std::count_if(spec.graph.begin(), spec.graph.end(), [&unit](const Operation& operation) {
          return std::find(unit.kinds.begin(), unit.kinds.end(), operation.kind) !=
                 unit.kinds.end();
        });
    picojoules += static_cast<std::uint64_t>(operations * unit.energy_picojoules);
  }
  // A picojoule a microsecond is a microwatt, and a cycle takes 1 / clock microseconds. At most
  // 500 x 10^6 x 10^4 x 10^3: fits.
  const std::uint64_t switching =
      picojoules * static_cast<std::uint64_t>(spec.clock_megahertz) * kNanoPerMicro / cycles;
  result.power_nanowatts = idle_microwatts * kNanoPerMicro + switching;
  return result;
}

double SecondsOf(const EstimationSpec& spec, std::uint64_t cycles) {
  return static_cast<double>(cycles) / (static_cast<double>(spec.clock_megahertz) * 1e6);
}

double MilliwattsOf(const TaskResult& result) {
  return static_cast<double>(result.power_nanowatts) / 1e6;
}

void AppendResult(const TaskResult& result, std::string& bytes) {
  AppendLittleEndian(result.cycles, bytes);
  AppendLittleEndian(result.power_nanowatts, bytes);
  AppendLittleEndian(result.area, bytes);
  AppendLittleEndian(result.proven ? 1 : 0, bytes);
}

Result<TaskResult> ReadResult(std::string_view bytes) {
  if (bytes.size() != 8 * kNumbers) {
    return Fail(ErrorCode::kInternal, "its result has " + std::to_string(bytes.size()) +
                                          " bytes, " + std::to_string(8 * kNumbers) +
                                          " are expected");
  }
  TaskResult result;
  result.cycles = ReadLittleEndian(bytes, 0);
  result.power_nanowatts = ReadLittleEndian(bytes, 8);
  result.area = ReadLittleEndian(bytes, 16);
  const std::uint64_t proven = ReadLittleEndian(bytes, 24);
  if (result.cycles == 0 || proven > 1) {
    return Fail(ErrorCode::kInternal,
                "its schedule takes no time, or it is neither proven nor not");
  }
  result.proven = proven == 1;
  return result;
}

}  // namespace evenkeel::workloads::parameter_estimation
