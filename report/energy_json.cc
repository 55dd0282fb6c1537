#include "report/energy_json.h"

namespace evenkeel::report {
namespace {

constexpr const char* kSource = "estimated from power labels or the catalogue of boards";

bool HasNumber(const Json& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && !found->is_null();
}

}  // namespace

void AddNodeEnergy(const model::NodeSummary& node, Json& out) {
  out["powerWatts"] = node.power ? Json(node.power->full_watts) : Json();
  out["idlePowerWatts"] = node.power ? Json(node.power->idle_watts) : Json();
  out["dynamicJoules"] = node.joules ? Json(node.joules->dynamic) : Json();
  out["idleJoules"] = node.joules ? Json(node.joules->idle) : Json();
}

void ReadNodeEnergy(const Json& object, JsonReader& reader, model::NodeSummary& node) {
  if (HasNumber(object, "powerWatts")) {
    reader.Read("powerWatts", node.power.emplace().full_watts);
    reader.Read("idlePowerWatts", node.power->idle_watts);
  }
  if (HasNumber(object, "dynamicJoules")) {
    reader.Read("dynamicJoules", node.joules.emplace().dynamic);
    reader.Read("idleJoules", node.joules->idle);
  }
}

Json EnergyToJson(const std::optional<model::EnergySummary>& energy) {
  if (!energy) return {};
  Json out = {{"joules", energy->joules},
              {"dynamicJoules", energy->dynamic_joules},
              {"idleJoules", energy->idle_joules},
              {"standingJoules", energy->standing_joules},
              {"idlePower", energy->idle_counted ? "Counted" : "Ignored"},
              {"partial", energy->partial},
              {"source", kSource}};
  if (energy->time_factor) {
    out["timeFactor"] = *energy->time_factor;
    out["leftOut"] = energy->left_out;
  }
  return out;
}

std::optional<model::EnergySummary> EnergyFromJson(const Json& summary, std::string& problem) {
  const auto found = summary.find("energy");
  if (found == summary.end() || found->is_null()) return std::nullopt;
  if (!found->is_object()) {
    if (problem.empty()) problem = "energy: object expected";
    return std::nullopt;
  }
  model::EnergySummary energy;
  std::string idle;
  JsonReader reader(*found, "energy", problem);
  reader.Read("joules", energy.joules);
  reader.Read("dynamicJoules", energy.dynamic_joules);
  reader.Read("idleJoules", energy.idle_joules);
  reader.Read("standingJoules", energy.standing_joules);
  reader.Read("idlePower", idle);
  energy.idle_counted = idle == "Counted";
  reader.Read("partial", energy.partial);
  if (!found->contains("timeFactor")) return energy;
  reader.Read("timeFactor", energy.time_factor.emplace());
  if (const Json* names = reader.Child("leftOut", Json::value_t::array)) {
    for (const Json& name : *names) {
      if (name.is_string()) energy.left_out.push_back(name.get<std::string>());
    }
  }
  return energy;
}

}  // namespace evenkeel::report
