#include "simulator/scenario_fields.h"

#include <algorithm>

#include "core/model/field_reader.h"
#include "core/model/names.h"
#include "core/scheduling/energy/energy_choice.h"

namespace evenkeel::simulator {
namespace {

using model::FieldReader;

constexpr model::NumberRange kSeconds{0, kMaxScenarioSeconds};
constexpr model::NumberRange kSecondsAboveNone{0, kMaxScenarioSeconds, true};
constexpr model::NumberRange kSpeedRange{0, 1e6, true};
constexpr model::NumberRange kFactors{0, 1000};
constexpr model::NumberRange kBytes{0, 1e12};
constexpr std::size_t kMaxItems = 10'000;

Uniform ReadUniform(FieldReader& shape, model::NumberRange allowed) {
  const auto ends = shape.Numbers("uniform", 2, allowed);
  if (ends.size() == 2 && ends[0] <= ends[1]) return {ends[0], ends[1]};
  shape.Fail("uniform", "must be two numbers [low, high], the lower one first");
  return {};
}

constexpr const char* kShapes[] = {"constant", "uniform", "exponential", "logNormal", "pareto"};

bool HasOneShape(const FieldReader& shape) {
  return std::count_if(std::begin(kShapes), std::end(kShapes),
                       [&](const char* name) { return shape.Has(name); }) == 1;
}

Distribution ReadShape(FieldReader& shape, model::NumberRange allowed) {
  const model::NumberRange above{allowed.min, allowed.max, true};
  if (shape.Has("uniform")) return ReadUniform(shape, allowed);
  if (shape.Has("exponential")) return Exponential{shape.RequiredNumber("exponential", above)};
  if (shape.Has("pareto")) {
    FieldReader fields = shape.RequiredObject("pareto");
    const double mean = fields.RequiredNumber("mean", above);
    return Pareto{mean, fields.RequiredNumber("shape", {1, 100, true})};
  }
  if (!shape.Has("logNormal")) return Constant{shape.RequiredNumber("constant", allowed)};
  FieldReader fields = shape.RequiredObject("logNormal");
  const double mean = fields.RequiredNumber("mean", above);
  return LogNormal{mean, fields.RequiredNumber("sigma", {0, 10})};
}

SpeedChange ReadChange(FieldReader& fields) {
  SpeedChange change;
  change.at = ReadMoment(fields, "at");
  change.factor = fields.RequiredNumber("speedFactor", kFactors);
  return change;
}

NodeFault ReadFault(FieldReader& fields) {
  NodeFault fault;
  const std::string kind =
      fields.RequiredChoice("kind", {"Dies", "StandsStill", "LosesLink", "Drains"});
  if (kind == "StandsStill") fault.kind = Fault::Kind::kStallWorker;
  if (kind == "LosesLink") fault.kind = Fault::Kind::kCutLink;
  if (kind == "Drains") fault.kind = Fault::Kind::kDrainWorker;
  fault.at = ReadMoment(fields, "at");
  if (fields.Has("for")) fault.lasts = ReadMoment(fields, "for");
  fields.Any("for");
  return fault;
}

void ReadChanges(FieldReader& fields, NodeGroup& group) {
  for (FieldReader& change : fields.Objects("changes", kMaxItems)) {
    group.changes.push_back(ReadChange(change));
  }
  const auto later = [](const SpeedChange& one, const SpeedChange& other) {
    return one.at.seconds > other.at.seconds || one.at.of_bound > other.at.of_bound;
  };
  if (std::adjacent_find(group.changes.begin(), group.changes.end(), later) !=
      group.changes.end()) {
    fields.Fail("changes", "must be in order of time");
  }
  if (fields.Has("changesRepeatSeconds")) {
    group.changes_repeat_seconds = fields.RequiredNumber("changesRepeatSeconds", kSecondsAboveNone);
    for (const SpeedChange& change : group.changes) {
      if (change.at.of_bound <= 0 && change.at.seconds < *group.changes_repeat_seconds) continue;
      fields.Fail("changesRepeatSeconds", "must be longer than all changes take, without ofBound");
    }
  }
  fields.Any("changesRepeatSeconds");
  if (fields.Has("otherLoad")) {
    FieldReader load = fields.RequiredObject("otherLoad");
    OtherLoad& other = group.other_load.emplace();
    other.every_seconds = load.RequiredNumber("everySeconds", kSecondsAboveNone);
    other.lasts_seconds = load.RequiredNumber("lastsSeconds", kSecondsAboveNone);
    other.factor = load.RequiredNumber("speedFactor", kFactors);
    if (!group.changes.empty()) fields.Fail("otherLoad", "is not allowed beside changes");
  }
  fields.Any("otherLoad");
}

void ReadPower(FieldReader& fields, NodeGroup& group) {
  if (fields.Has("watts")) {
    const double full = fields.RequiredNumber("watts", {0, 1e5, true});
    const double idle =
        fields.OptionalNumber("idleWatts", {0, full}, scheduling::kUsualIdleShare * full);
    group.power = model::NodePower{full, idle};
  } else if (fields.Has("idleWatts")) {
    fields.Fail("idleWatts", "is allowed only beside watts");
  }
  fields.Any("watts");
  fields.Any("idleWatts");
}

}  // namespace

Moment ReadMoment(FieldReader& parent, const std::string& field) {
  Moment moment;
  if (!parent.Any(field).is_object()) {
    moment.seconds = parent.RequiredNumber(field, kSeconds);
    return moment;
  }
  FieldReader fields = parent.RequiredObject(field);
  moment.seconds = fields.OptionalNumber("seconds", kSeconds, 0);
  moment.of_bound = fields.OptionalNumber("ofBound", {0, 1000}, 0);
  return moment;
}

Distribution ReadDistribution(FieldReader& parent, const std::string& field,
                              model::NumberRange allowed) {
  if (!parent.Any(field).is_object()) return Constant{parent.RequiredNumber(field, allowed)};
  FieldReader shape = parent.RequiredObject(field);
  if (HasOneShape(shape)) return ReadShape(shape, allowed);
  parent.Fail(field,
              "must be a number or an object with one of constant, uniform, exponential, "
              "logNormal, pareto");
  shape.AllowUnknownFields();
  return Constant{allowed.max};
}

NodeGroup ReadNodeGroup(FieldReader& fields) {
  NodeGroup group;
  group.name = fields.RequiredString("name", 63);
  if (!model::IsDnsSubdomain(group.name)) {
    fields.Fail("name", "must be " + model::kAllowedDnsSubdomain + ", is " + group.name);
  }
  group.count = fields.OptionalInt("count", {1, 20'000}, group.count);
  group.speed = ReadDistribution(fields, "speed", kSpeedRange);
  group.alike = fields.OptionalBool("alike", group.alike);
  group.cores = static_cast<std::uint32_t>(fields.OptionalInt("cores", {1, 4096}, group.cores));
  if (fields.Has("weight")) group.weight = fields.RequiredNumber("weight", {0, 1e6});
  fields.Any("weight");
  ReadPower(fields, group);
  FieldReader link = fields.OptionalObject("link");
  group.megabits_per_second = link.OptionalNumber("megabitsPerSecond", {0, 1e7}, 0);
  group.latency_seconds = link.OptionalNumber("latencySeconds", {0, 3600}, 0);
  group.load = fields.OptionalInt("load", {0, 50'000'000}, group.load);
  if (fields.Has("joins")) group.joins = ReadMoment(fields, "joins");
  fields.Any("joins");
  group.expected = fields.OptionalBool("expected", group.expected);
  if (!group.expected && !group.joins) {
    fields.Fail("expected", "may be false only for nodes that join later, see joins");
  }
  ReadChanges(fields, group);
  for (FieldReader& fault : fields.Objects("faults", kMaxItems)) {
    group.faults.push_back(ReadFault(fault));
  }
  return group;
}

BlockModel ReadBlocks(FieldReader fields) {
  BlockModel blocks;
  blocks.columns = fields.RequiredInt("columns", {1, 50'000'000});
  blocks.row_bytes = fields.RequiredNumber("rowBytes", kBytes);
  blocks.column_bytes = fields.RequiredNumber("columnBytes", kBytes);
  blocks.between_workers = fields.OptionalBool("betweenWorkers", blocks.between_workers);
  return blocks;
}

CoordinatorModel ReadCoordinatorMachine(FieldReader& coordinator) {
  constexpr double kMegabyte = 1e6;
  CoordinatorModel machine;
  FieldReader cpu = coordinator.OptionalObject("cpu");
  machine.seconds_a_message = cpu.OptionalNumber("secondsPerMessage", {0, 60}, 0);
  machine.seconds_a_task = cpu.OptionalNumber("secondsPerTask", {0, 60}, 0);
  machine.seconds_a_byte_sent =
      cpu.OptionalNumber("secondsPerMegabyteSent", {0, 3600}, 0) / kMegabyte;
  machine.seconds_a_byte_received =
      cpu.OptionalNumber("secondsPerMegabyteReceived", {0, 3600}, 0) / kMegabyte;
  machine.exponential =
      cpu.OptionalChoice("times", {"Fixed", "Exponential"}, "Fixed") == "Exponential";
  FieldReader link = coordinator.OptionalObject("link");
  machine.link_bytes_per_second =
      link.OptionalNumber("megabitsPerSecond", {0, 1e7}, 0) * kBytesPerMegabit;
  return machine;
}

NetworkModel ReadNetwork(FieldReader fields) {
  NetworkModel network;
  const double latency =
      fields.OptionalNumber("latencySeconds", {0, 3600}, ToSeconds(network.latency));
  const bool exponential =
      fields.OptionalChoice("delay", {"Fixed", "Exponential"}, "Fixed") == "Exponential";
  const double jitter = fields.OptionalNumber("jitterSeconds", {0, 3600}, 0);
  network.latency = exponential ? Duration::zero() : FromSeconds(latency);
  network.jitter = FromSeconds(exponential ? latency + jitter : jitter);
  network.ordered = fields.OptionalBool("ordered", network.ordered);
  network.shared_medium = fields.OptionalBool("sharedMedium", network.shared_medium);
  network.loss = fields.OptionalNumber("lossRatio", {0, 0.9}, network.loss);
  network.retransmit_after = FromSeconds(fields.OptionalNumber(
      "retransmitSeconds", {0.001, 3600}, ToSeconds(network.retransmit_after)));
  return network;
}

}  // namespace evenkeel::simulator
