#include "report/task_facts_json.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace evenkeel::report {
namespace {

using model::CostUse;

constexpr std::array<std::pair<CostUse, std::string_view>, 4> kCostUses = {
    {{CostUse::kUnknown, "Unknown"},
     {CostUse::kUsed, "Used"},
     {CostUse::kNoise, "Noise"},
     {CostUse::kIndexIsBetter, "IndexIsBetter"}}};

std::string_view NameOf(CostUse use) {
  const auto* const found = std::find_if(kCostUses.begin(), kCostUses.end(),
                                         [use](const auto& entry) { return entry.first == use; });
  return found->second;
}

Json CostsToJson(const model::CostFindings& costs, const model::TaskDescription& description) {
  return {{"use", NameOf(costs.use)},        {"slope", costs.slope ? Json(*costs.slope) : Json()},
          {"slopeSigma", costs.slope_sigma}, {"timeSigma", costs.time_sigma},
          {"unit", description.cost_unit},   {"unitSize", description.cost_unit_size}};
}

void ReadCosts(const Json& object, std::string& problem, model::RunSummary& out) {
  JsonReader reader(object, "costs", problem);
  model::CostFindings& costs = out.costs.emplace();
  std::string use;
  reader.Read("use", use);
  const auto* const found = std::find_if(kCostUses.begin(), kCostUses.end(),
                                         [&use](const auto& entry) { return entry.second == use; });
  if (found == kCostUses.end()) {
    return reader.Complain("use", "one of Unknown, Used, Noise, IndexIsBetter expected");
  }
  costs.use = found->first;
  const auto slope = object.find("slope");
  if (slope != object.end() && !slope->is_null()) reader.Read("slope", costs.slope.emplace());
  reader.Read("slopeSigma", costs.slope_sigma);
  reader.Read("timeSigma", costs.time_sigma);
  reader.Read("unit", out.description.cost_unit);
  reader.Read("unitSize", out.description.cost_unit_size);
}

std::uint32_t ReadCount(JsonReader& reader, const char* field, Presence presence) {
  std::uint64_t count = 0;
  reader.Read(field, count, presence);
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

void AddTaskFacts(const model::RunSummary& summary, Json& out) {
  if (!summary.description.notes.empty()) {
    Json notes = Json::array();
    for (const model::TaskNote& note : summary.description.notes) {
      notes.push_back({{"name", note.name}, {"text", note.text}});
    }
    out["taskNotes"] = std::move(notes);
  }
  if (summary.costs) out["costs"] = CostsToJson(*summary.costs, summary.description);
  if (summary.failed_attempts.total > 0) {
    out["failedAttempts"] = {{"total", summary.failed_attempts.total},
                             {"outOfMemory", summary.failed_attempts.out_of_memory},
                             {"latest", summary.failed_attempts.latest}};
  }
  if (summary.alone.running > 0 || summary.alone.waiting > 0) {
    out["alone"] = {{"running", summary.alone.running}, {"waiting", summary.alone.waiting}};
  }
}

void ReadTaskFacts(const Json& summary, std::string& problem, model::RunSummary& out) {
  JsonReader top(summary, "", problem);
  if (const Json* notes = top.Child("taskNotes", Json::value_t::array, Presence::kOptional)) {
    for (std::size_t i = 0; i < notes->size() && problem.empty(); ++i) {
      const std::string where = "taskNotes[" + std::to_string(i) + "]";
      if (!(*notes)[i].is_object()) return top.Complain(where.c_str(), "object expected");
      JsonReader reader((*notes)[i], where, problem);
      model::TaskNote& note = out.description.notes.emplace_back();
      reader.Read("name", note.name);
      reader.Read("text", note.text);
    }
  }
  if (const Json* costs = top.Child("costs", Json::value_t::object, Presence::kOptional)) {
    ReadCosts(*costs, problem, out);
  }
  if (const Json* failed =
          top.Child("failedAttempts", Json::value_t::object, Presence::kOptional)) {
    JsonReader reader(*failed, "failedAttempts", problem);
    reader.Read("total", out.failed_attempts.total);
    reader.Read("outOfMemory", out.failed_attempts.out_of_memory);
    reader.Read("latest", out.failed_attempts.latest);
  }
  if (const Json* alone = top.Child("alone", Json::value_t::object, Presence::kOptional)) {
    JsonReader reader(*alone, "alone", problem);
    reader.Read("running", out.alone.running);
    reader.Read("waiting", out.alone.waiting);
  }
}

void AddNodeTaskFacts(const model::NodeSummary& node, Json& out) {
  if (node.threads > 0) out["threads"] = node.threads;
  if (node.slots) {
    out["slots"] = node.slots->count;
    if (!node.slots->limited_by.empty()) out["slotLimit"] = node.slots->limited_by;
  }
  if (!node.ranges) return;
  out["ranges"] = {{"startupSeconds", node.ranges->startup_seconds},
                   {"perTaskSeconds", node.ranges->per_task_seconds},
                   {"cut", node.ranges->cut}};
}

void ReadNodeTaskFacts(const Json& object, const std::string& where, std::string& problem,
                       model::NodeSummary& out) {
  JsonReader reader(object, where, problem);
  out.threads = ReadCount(reader, "threads", Presence::kOptional);
  if (object.contains("slots")) {
    out.slots.emplace().count = ReadCount(reader, "slots", Presence::kRequired);
    reader.Read("slotLimit", out.slots->limited_by, Presence::kOptional);
  }
  const Json* const ranges = reader.Child("ranges", Json::value_t::object, Presence::kOptional);
  if (ranges == nullptr) return;
  JsonReader inner(*ranges, where + ".ranges", problem);
  model::RangeStatistics& read = out.ranges.emplace();
  inner.Read("startupSeconds", read.startup_seconds);
  inner.Read("perTaskSeconds", read.per_task_seconds);
  inner.Read("cut", read.cut);
}

}  // namespace evenkeel::report
