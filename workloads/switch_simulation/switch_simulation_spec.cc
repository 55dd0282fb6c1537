#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "workloads/switch_simulation/arrivals.h"
#include "workloads/switch_simulation/switch_simulation.h"

namespace evenkeel::workloads::switch_simulation {
namespace {

template <typename T>
void CheckList(const std::string& field, const std::vector<T>& list, model::FieldReader& fields) {
  if (list.empty()) fields.Fail(field, "must have at least one value");
  std::vector<T> sorted = list;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    fields.Fail(field, "must not have a value twice");
  }
}

template <typename T>
std::vector<T> ReadInts(const std::string& field, model::IntRange allowed,
                        model::FieldReader& fields) {
  std::vector<T> list;
  for (const std::int64_t value : fields.Ints(field, kMaxListed, allowed)) {
    list.push_back(static_cast<T>(value));
  }
  return list;
}

std::vector<Algorithm> ReadAlgorithms(model::FieldReader& fields) {
  if (!fields.Has("algorithms")) {
    static_cast<void>(fields.Any("algorithms"));
    return {kAllAlgorithms.begin(), kAllAlgorithms.end()};
  }
  std::vector<std::string> names;
  for (const Algorithm algorithm : kAllAlgorithms) names.emplace_back(NameOf(algorithm));
  std::vector<Algorithm> list;
  for (const std::string& name : fields.Choices("algorithms", kAlgorithmCount, names)) {
    list.push_back(ParseAlgorithm(name).value_or(Algorithm::kLqf));
  }
  return list;
}

std::vector<std::uint64_t> ReadSeeds(model::FieldReader& fields) {
  constexpr std::int64_t kMaxSeed = std::numeric_limits<std::int64_t>::max();
  const bool given = fields.Has("seeds");
  auto seeds = ReadInts<std::uint64_t>("seeds", {0, kMaxSeed}, fields);
  return given ? seeds : std::vector<std::uint64_t>{1};
}

/// What all fields together have to keep to.
void CheckTotals(const SwitchSpec& spec, model::FieldReader& fields) {
  const std::int64_t most = kMaxCells / (std::int64_t{spec.ports} * spec.ports);
  for (const std::uint32_t size : spec.buffer_sizes) {
    if (size <= most) continue;
    fields.Fail("bufferSizes", "must be at most " + std::to_string(most) + " with " +
                                   std::to_string(spec.ports) + " ports, is " +
                                   std::to_string(size));
  }
  const std::uint64_t tasks = std::uint64_t{spec.loads.size()} * spec.buffer_sizes.size() *
                              spec.algorithms.size() * spec.seeds.size();
  if (tasks > static_cast<std::uint64_t>(kMaxTasks)) {
    fields.Fail("loads", "must be fewer: loads x bufferSizes x algorithms x seeds are " +
                             std::to_string(tasks) + " tasks, at most " +
                             std::to_string(kMaxTasks) + " are allowed");
  }
}

}  // namespace

Result<SwitchSpec> ReadSwitchSpec(model::FieldReader fields) {
  SwitchSpec spec;
  spec.ports = static_cast<std::uint32_t>(fields.OptionalInt("ports", {2, kMaxPorts}, 16));
  spec.slots = static_cast<std::uint32_t>(fields.OptionalInt("slots", {1, kMaxSlots}, 1'000'000));
  spec.loads = fields.Numbers("loads", kMaxListed, {0.0, 1.0, true});
  spec.buffer_sizes = ReadInts<std::uint32_t>("bufferSizes", {1, kMaxCells / 4}, fields);
  spec.algorithms = ReadAlgorithms(fields);
  spec.seeds = ReadSeeds(fields);
  CheckList("loads", spec.loads, fields);
  CheckList("bufferSizes", spec.buffer_sizes, fields);
  CheckList("algorithms", spec.algorithms, fields);
  CheckList("seeds", spec.seeds, fields);
  CheckTotals(spec, fields);
  if (auto read = fields.Finish(); !read) return tl::unexpected(read.error());
  return spec;
}

}  // namespace evenkeel::workloads::switch_simulation
