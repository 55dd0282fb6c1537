#include "workloads/switch_simulation/task_result.h"

#include <array>

#include "workloads/little_endian.h"

namespace evenkeel::workloads::switch_simulation {
namespace {

constexpr std::array kNumbers{
    &TaskResult::arrived,   &TaskResult::departed,  &TaskResult::lost,
    &TaskResult::queued,    &TaskResult::delay_sum, &TaskResult::delay_p50,
    &TaskResult::delay_p95, &TaskResult::delay_p99, &TaskResult::delay_longest};

double Share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double LossOf(const TaskResult& result) { return Share(result.lost, result.arrived); }
double MeanDelayOf(const TaskResult& result) { return Share(result.delay_sum, result.departed); }

void AppendResult(const TaskResult& result, std::string& bytes) {
  for (const auto number : kNumbers) AppendLittleEndian(result.*number, bytes);
}

Result<TaskResult> ReadResult(std::string_view bytes) {
  if (bytes.size() != 8 * kNumbers.size()) {
    return Fail(ErrorCode::kInternal, "its result has " + std::to_string(bytes.size()) +
                                          " bytes, " + std::to_string(8 * kNumbers.size()) +
                                          " are expected");
  }
  TaskResult result;
  for (std::size_t n = 0; n < kNumbers.size(); ++n) {
    result.*kNumbers[n] = ReadLittleEndian(bytes, 8 * n);
  }
  if (result.arrived != result.departed + result.lost + result.queued) {
    return Fail(ErrorCode::kInternal,
                "its cells that departed, were lost or wait are not those "
                "that arrived");
  }
  return result;
}

}  // namespace evenkeel::workloads::switch_simulation
