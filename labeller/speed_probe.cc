#include "labeller/speed_probe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <stop_token>

#include "core/base/time.h"
#include "core/model/decimal.h"
#include "labeller/plain_text.h"
#include "workloads/primes/primes.h"
#include "workloads/primes/trial_division.h"

namespace evenkeel::labeller {
namespace {

namespace primes = workloads::primes;

constexpr std::int64_t kEnd = 300'000;
constexpr std::int64_t kCandidates = 64;  // about a million divisions
constexpr Duration kSample = std::chrono::milliseconds(100);
constexpr std::size_t kSamples = 5;
constexpr double kMaxNoise = 0.2;
constexpr double kYoungSeconds = 180;

Duration CpuTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// The task that is run over and over: the last whole one below kEnd.
class Piece {
 public:
  Piece() : tasks_(kEnd, kCandidates), runner_(primes::MakeTrialDivisionRunner(tasks_)) {
    task_ = tasks_.TaskCount() - 2;
    units_ = primes::DivisionsByTask(tasks_)[static_cast<std::size_t>(task_)];
  }

  /// Units per second over at least kSample.
  double Measure() {
    const Duration begin = CpuTime();
    Duration spent{};
    double units = 0;
    std::string result;
    workloads::TaskFailure failure;
    while (spent < kSample) {
      result.clear();
      runner_->Run({task_, 0, {}}, std::stop_token(), result, failure);
      units += static_cast<double>(units_);
      spent = CpuTime() - begin;
    }
    return units / ToSeconds(spent);
  }

 private:
  primes::CandidateTasks tasks_;
  std::unique_ptr<workloads::TaskRunner> runner_;
  model::TaskIndex task_ = 0;
  model::Cost units_ = 0;
};

/// The first number in a file such as /proc/uptime and /proc/loadavg.
std::optional<double> FirstNumber(const RootedFiles& files, const char* path) {
  const std::string text = files.Read(path, 128).value_or("");
  return model::ParseDecimal(text.substr(0, text.find(' ')));
}

int Processors(const RootedFiles& files) {
  int count = 0;
  for (const std::string& line : Lines(files.Read("/proc/stat", 1 << 20).value_or(""))) {
    // "cpu0 ..." is a processor, "cpu  ..." their sum.
    if (line.size() > 3 && line.starts_with("cpu") && line[3] >= '0' && line[3] <= '9') ++count;
  }
  return std::max(count, 1);
}

}  // namespace

ProbeResult ProbeSpeed() {
  Piece piece;
  piece.Measure();  // a core that was asleep takes a moment to reach its clock
  std::array<double, kSamples> rates{};
  for (double& rate : rates) rate = piece.Measure();
  std::sort(rates.begin(), rates.end());
  const double median = rates[kSamples / 2];
  return {median, (rates.back() - rates.front()) / median};
}

std::string WhyNotProbe(const RootedFiles& files) {
  const auto uptime = FirstNumber(files, "/proc/uptime");
  if (uptime && *uptime < kYoungSeconds) return "the machine has just started";
  const auto load = FirstNumber(files, "/proc/loadavg");
  if (load && *load > Processors(files)) {
    return "the load is " + ShortNumber(*load) + ", more than there are cores";
  }
  return {};
}

std::optional<Found> ScoreOf(const ProbeResult& probe) {
  if (probe.noise > kMaxNoise || !(probe.units_per_second >= 1)) return std::nullopt;
  const double unit =
      std::pow(10, std::max(std::floor(std::log10(probe.units_per_second)) - 2, 0.0));
  const double score = std::round(probe.units_per_second / unit) * unit;
  char source[96];
  std::snprintf(source, sizeof source, "median of 5 probes, %.1f %% apart", probe.noise * 100);
  return Found{std::to_string(std::llround(score)), source};
}

}  // namespace evenkeel::labeller
