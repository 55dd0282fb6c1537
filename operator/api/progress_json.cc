#include "operator/api/progress_json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "operator/api/lenient_json.h"

namespace evenkeel::api {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxReason = 1024;
constexpr std::size_t kMaxName = 253;
constexpr std::size_t kMaxState = 32;
constexpr std::size_t kMaxResult = 1024;
constexpr double kMaxSeconds = 315'360'000;  // ten years
constexpr double kMaxRatio = 1e9;
constexpr double kMaxUnits = 1e18;
constexpr std::int64_t kMaxThreads = 4096;

constexpr std::pair<const char*, CoordinatorState> kStates[] = {
    {"Running", CoordinatorState::kRunning},         {"Complete", CoordinatorState::kComplete},
    {"Failed", CoordinatorState::kFailed},           {"Blocked", CoordinatorState::kBlocked},
    {"Interrupted", CoordinatorState::kInterrupted},
};

/// Cut at a whole character, without line breaks and other control characters.
std::string Bounded(std::string text, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xC0U) == 0x80U) {
      --max_bytes;
    }
    text.resize(max_bytes);
  }
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  return text;
}

std::int64_t Count(const json& object, const char* field) {
  return std::max<std::int64_t>(0, Integer(object, field));
}

double NumberUpTo(const json& object, const char* field, double most) {
  return std::clamp(Number(object, field), 0.0, most);
}

/// Anything but ranges of indexes is not for a status. The text itself may be long: it is cut by
/// whoever writes it.
std::string IndexText(const std::string& text) {
  const bool good = text.find_first_not_of("0123456789,-.") == std::string::npos;
  return good ? text : std::string();
}

WorkerProgress ReadWorker(const json& object) {
  WorkerProgress worker;
  worker.node = Bounded(Text(object, "node"), kMaxName);
  worker.ratio = NumberUpTo(object, "ratio", kMaxRatio);
  worker.connected = Flag(object, "connected");
  worker.share = Count(object, "share");
  worker.completed = Count(object, "completed");
  worker.stolen = Count(object, "stolen");
  worker.rate = NumberUpTo(object, "rate", std::numeric_limits<double>::max());
  worker.state = Bounded(Text(object, "state"), kMaxState);
  return worker;
}

NodeWork ReadWork(const json& object) {
  NodeWork work;
  work.node = Bounded(Text(object, "node"), kMaxName);
  work.units = NumberUpTo(object, "units", kMaxUnits);
  work.busy_seconds = NumberUpTo(object, "busySeconds", kMaxSeconds * kMaxThreads);
  work.threads = std::min<std::int64_t>(Count(object, "threads"), kMaxThreads);
  return work;
}

}  // namespace

Result<Progress> ReadProgress(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return InvalidInput("progress: must be a JSON object");
  const std::string state = Text(object, "state");
  const auto known = std::find_if(std::begin(kStates), std::end(kStates),
                                  [&state](const auto& entry) { return state == entry.first; });
  if (known == std::end(kStates)) {
    return InvalidInput("progress.state: \"" + Bounded(state, kMaxState) + "\" is not known");
  }
  Progress progress;
  progress.state = known->second;
  progress.epoch = Count(object, "epoch");
  progress.reason = Bounded(Text(object, "reason"), kMaxReason);
  const json& tasks = Child(object, "tasks");
  progress.tasks = {Count(tasks, "total"), Count(tasks, "completed"), Count(tasks, "failed")};
  progress.fraction = NumberUpTo(object, "progress", 1);
  if (Child(object, "etaSeconds").is_number()) {
    progress.eta = FromSeconds(NumberUpTo(object, "etaSeconds", kMaxSeconds));
  }
  progress.active = FromSeconds(NumberUpTo(object, "activeSeconds", kMaxSeconds));
  progress.failed_indexes = IndexText(Text(object, "failedIndexes"));
  for (const json& worker : Items(object, "workers")) {
    if (progress.workers.size() < kMaxWorkerRows) progress.workers.push_back(ReadWorker(worker));
  }
  progress.workload_digest = Bounded(Text(object, "workloadDigest"), kMaxState);
  for (const json& row : Items(object, "work")) {
    if (progress.work.size() < kMaxWorkRows) progress.work.push_back(ReadWork(row));
  }
  const json& result = Child(object, "result");
  if (result.is_object()) {
    progress.result = Compact(result);
    if (progress.result.size() > kMaxResult) progress.result.clear();
  }
  return progress;
}

}  // namespace evenkeel::api
