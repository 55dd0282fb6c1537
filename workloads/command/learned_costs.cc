#include "workloads/command/learned_costs.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "core/base/digest.h"
#include "core/base/portable_math.h"
#include "core/model/decimal.h"
#include "platform/file_descriptor.h"
#include "platform/files.h"

namespace evenkeel::workloads::command {
namespace {

constexpr std::string_view kHead = "evenkeel learned costs, version 1\n";
constexpr std::size_t kMaxBytes = std::size_t{8} << 20;

std::uint64_t KeyOf(std::string_view argument) {
  Digest digest;
  digest.Add(argument);
  return digest.Value();
}

bool IsCost(double cost) { return std::isfinite(cost) && cost > 0; }

/// A line is the key in 16 hexadecimal digits, a space and the cost.
constexpr std::size_t kKeyDigits = 16;

std::optional<std::pair<std::uint64_t, double>> ReadEntry(std::string_view line) {
  if (line.size() <= kKeyDigits || line[kKeyDigits] != ' ') return std::nullopt;
  std::uint64_t key = 0;
  const char* const end = line.data() + kKeyDigits;
  if (std::from_chars(line.data(), end, key, 16).ptr != end) return std::nullopt;
  const auto cost = model::ParseDecimal(line.substr(kKeyDigits + 1));
  if (!cost || !IsCost(*cost)) return std::nullopt;
  return std::pair{key, *cost};
}

}  // namespace

LearnedCosts LearnedCosts::Read(const std::filesystem::path& file) {
  const auto text = platform::ReadRegularFile(file, kMaxBytes);
  LearnedCosts read;
  if (!text) return read;
  std::string_view rest(*text);
  if (!rest.starts_with(kHead)) return read;
  for (rest.remove_prefix(kHead.size()); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (const auto entry = ReadEntry(rest.substr(0, end))) read.Append(entry->first, entry->second);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return read;
}

Result<void> LearnedCosts::AddTo(const std::filesystem::path& file,
                                 const std::vector<std::pair<std::string, double>>& costs) {
  std::error_code ignored;  // the next step says what is wrong
  std::filesystem::create_directories(file.parent_path(), ignored);
  const std::string lock_name = file.native() + ".lock";
  const platform::FileDescriptor lock(
      ::open(lock_name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock.IsOpen()) return tl::unexpected(platform::WriteError(file, errno));
  if (::flock(lock.Get(), LOCK_EX | LOCK_NB) != 0) {
    return Fail(ErrorCode::kConflict, file.string() + ": another job is writing it");
  }
  LearnedCosts learned = Read(file);
  learned.Learn(costs);
  return platform::WriteFileAtomically(file, learned.Text());
}

std::string LearnedCosts::Text() const {
  std::string text(kHead);
  for (const auto& [key, cost] : entries_) {
    std::array<char, 64> line;
    std::snprintf(line.data(), line.size(), "%016" PRIx64 " %.6g\n", key, cost);
    text += line.data();
  }
  return text;
}

std::optional<double> LearnedCosts::Of(std::string_view argument) const {
  const auto found = costs_.find(KeyOf(argument));
  if (found == costs_.end()) return std::nullopt;
  return found->second;
}

void LearnedCosts::Learn(const std::vector<std::pair<std::string, double>>& costs) {
  const LearnedCosts earlier = std::exchange(*this, LearnedCosts());
  for (const auto& [argument, cost] : costs) {
    if (IsCost(cost)) Append(KeyOf(argument), cost);
  }
  for (const auto& [key, cost] : earlier.entries_) Append(key, cost);
}

void LearnedCosts::Append(Key key, double cost) {
  if (entries_.size() >= kMaxArguments || !costs_.emplace(key, cost).second) return;
  entries_.emplace_back(key, cost);
}

void ObservedTimes::Add(model::TaskIndex task, const std::string& node, double seconds) {
  if (!IsCost(seconds) || times_.size() >= kMaxTasks) return;
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  times_.push_back({task, nodes_.try_emplace(node, number).first->second, seconds});
}

std::vector<std::pair<model::TaskIndex, double>> ObservedTimes::Costs(
    const model::CostModel& costs) const {
  struct Node {
    double tasks = 0;
    double sum = 0;  // of the logarithms
  };
  const auto log_of = [&costs](const Time& time) {
    const auto cost = static_cast<double>(costs.Of({time.task, time.task + 1}));
    return PortableLog(time.seconds / std::max(cost, 1.0));
  };
  std::vector<Node> nodes(nodes_.size());
  Node all;
  for (const Time& time : times_) {
    const double log = log_of(time);
    nodes[time.node].tasks += 1;
    nodes[time.node].sum += log;
    all.tasks += 1;
    all.sum += log;
  }
  // Sums of squares within and between nodes, and the variances that follow from them.
  const double mean = all.tasks > 0 ? all.sum / all.tasks : 0;
  double within = 0;
  for (const Time& time : times_) {
    const double difference = log_of(time) - nodes[time.node].sum / nodes[time.node].tasks;
    within += difference * difference;
  }
  double between = 0;
  double squares = 0;
  for (const Node& node : nodes) {
    const double difference = node.sum / node.tasks - mean;
    between += node.tasks * difference * difference;
    squares += node.tasks * node.tasks;
  }
  const auto groups = static_cast<double>(nodes.size());
  double task_variance = 0;
  double node_variance = 0;
  if (groups > 1 && all.tasks > groups) {
    task_variance = within / (all.tasks - groups);
    const double tasks_per_node = (all.tasks - squares / all.tasks) / (groups - 1);
    node_variance = std::max(0.0, (between / (groups - 1) - task_variance) / tasks_per_node);
  }
  std::vector<double> slowness;
  for (const Node& node : nodes) {
    const double signal = node.tasks * node_variance;
    const double weight = signal > 0 ? signal / (signal + task_variance) : 0;
    slowness.push_back(PortableExp(mean + weight * (node.sum / node.tasks - mean)));
  }
  std::vector<std::pair<model::TaskIndex, double>> learned;
  learned.reserve(times_.size());
  for (const Time& time : times_) {
    learned.emplace_back(time.task, time.seconds / slowness[time.node]);
  }
  return learned;
}

}  // namespace evenkeel::workloads::command
