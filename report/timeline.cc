#include "report/timeline.h"

#include <array>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <utility>

#include "report/json_reader.h"

namespace evenkeel::report {
namespace {

using model::ResultRecord;
using model::RunKind;
using model::TimelineEvent;

constexpr std::array kRunKinds = {RunKind::kPlanned, RunKind::kStolen, RunKind::kCopy};

/// The fields of each kind of event, for writer and reader.
struct EventShape {
  TimelineEvent::Kind kind;
  const char* name;
  bool worker;
  bool end;
  bool sigma;
  bool move;  ///< from, tasks
  bool detail;
};

constexpr std::array kEventShapes = {
    EventShape{TimelineEvent::Kind::kStage, "stage", false, true, false, false, true},
    EventShape{TimelineEvent::Kind::kMaster, "master", true, true, false, false, false},
    EventShape{TimelineEvent::Kind::kMove, "move", true, false, false, true, true},
    EventShape{TimelineEvent::Kind::kEta, "eta", false, true, true, false, false},
    EventShape{TimelineEvent::Kind::kLost, "lost", true, false, false, false, false},
    EventShape{TimelineEvent::Kind::kJoined, "joined", true, false, false, false, false},
    EventShape{TimelineEvent::Kind::kExcluded, "excluded", true, false, false, false, true},
};

const EventShape& ShapeOf(TimelineEvent::Kind kind) {
  for (const EventShape& shape : kEventShapes) {
    if (shape.kind == kind) return shape;
  }
  return kEventShapes.front();
}

/// Seconds, rounded to microseconds in integers, so that all architectures print the same digits.
std::string SecondsText(Duration duration) {
  const std::int64_t nanoseconds = duration.count();
  const bool negative = nanoseconds < 0;
  const std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(nanoseconds)
                                           : static_cast<std::uint64_t>(nanoseconds);
  const std::uint64_t microseconds = magnitude / 1000 + (magnitude % 1000 >= 500 ? 1 : 0);
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%s%" PRIu64 ".%06" PRIu64, negative ? "-" : "",
                microseconds / 1000000, microseconds % 1000000);
  return text.data();
}

std::string Quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void ReadSeconds(JsonReader& reader, const char* field, Duration& out) {
  double seconds = 0;
  reader.Read(field, seconds);
  if (!std::isfinite(seconds)) return reader.Complain(field, "number expected");
  out = FromSeconds(seconds);
}

void ReadRange(JsonReader& reader, model::IndexRange& out) {
  const Json* range = reader.Child("range", Json::value_t::array);
  if (range == nullptr) return;
  if (range->size() != 2 || !(*range)[0].is_number_integer() || !(*range)[1].is_number_integer()) {
    return reader.Complain("range", "[begin, end] expected");
  }
  out = {(*range)[0].get<std::int64_t>(), (*range)[1].get<std::int64_t>()};
  if (out.begin < 0 || out.Empty()) reader.Complain("range", "0 <= begin < end expected");
}

ResultRecord ReadRecord(JsonReader& reader, RunKind kind) {
  ResultRecord record;
  record.kind = kind;
  reader.Read("worker", record.node);
  ReadSeconds(reader, "start", record.started);
  ReadSeconds(reader, "end", record.ended);
  ReadSeconds(reader, "busy", record.busy);
  ReadRange(reader, record.range);
  if (record.ended < record.started) reader.Complain("end", "is before start");
  return record;
}

TimelineEvent ReadEvent(JsonReader& reader, const EventShape& shape) {
  TimelineEvent event;
  event.kind = shape.kind;
  if (shape.worker) reader.Read("worker", event.node);
  ReadSeconds(reader, "start", event.start);
  if (shape.end) ReadSeconds(reader, "end", event.end);
  if (shape.sigma) ReadSeconds(reader, "sigma", event.sigma);
  if (shape.move) reader.Read("from", event.from_node);
  if (shape.move) reader.Read("tasks", event.tasks);
  if (shape.detail) reader.Read("detail", event.detail);
  return event;
}

TimelineEntry ReadEntry(JsonReader& reader) {
  std::string name;
  reader.Read("kind", name);
  for (const RunKind kind : kRunKinds) {
    if (KindName(kind) == name) return ReadRecord(reader, kind);
  }
  for (const EventShape& shape : kEventShapes) {
    if (shape.name == name) return ReadEvent(reader, shape);
  }
  reader.Complain("kind",
                  "one of planned, stolen, copy, stage, master, move, eta, lost, joined expected");
  return TimelineEvent{};
}

}  // namespace

std::string_view KindName(RunKind kind) {
  switch (kind) {
    case RunKind::kPlanned:
      return "planned";
    case RunKind::kStolen:
      return "stolen";
    case RunKind::kCopy:
      return "copy";
  }
  return "planned";
}

std::string TimelineLine(const ResultRecord& record) {
  std::string line = "{\"worker\":" + Quoted(record.node);
  line += ",\"start\":" + SecondsText(record.started) + ",\"end\":" + SecondsText(record.ended);
  line += ",\"range\":[" + std::to_string(record.range.begin) + "," +
          std::to_string(record.range.end) + "]";
  line += ",\"kind\":\"";
  line += KindName(record.kind);
  line += "\",\"busy\":" + SecondsText(record.busy) + "}\n";
  return line;
}

std::string TimelineLine(const TimelineEvent& event) {
  const EventShape& shape = ShapeOf(event.kind);
  std::string line = "{\"kind\":\"" + std::string(shape.name) + "\"";
  if (shape.worker) line += ",\"worker\":" + Quoted(event.node);
  line += ",\"start\":" + SecondsText(event.start);
  if (shape.end) line += ",\"end\":" + SecondsText(event.end);
  if (shape.sigma) line += ",\"sigma\":" + SecondsText(event.sigma);
  if (shape.move) line += ",\"from\":" + Quoted(event.from_node);
  if (shape.move) line += ",\"tasks\":" + std::to_string(event.tasks);
  if (shape.detail) line += ",\"detail\":" + Quoted(event.detail);
  return line + "}\n";
}

TimelineWriter::TimelineWriter(platform::AtomicFile file) : file_(std::move(file)) {}

Result<TimelineWriter> TimelineWriter::Create(std::filesystem::path path) {
  auto file = platform::AtomicFile::Create(std::move(path));
  if (!file) return tl::unexpected(file.error());
  return TimelineWriter(std::move(*file));
}

Result<void> TimelineWriter::Write(const ResultRecord& record) {
  return file_.Append(TimelineLine(record));
}

Result<void> TimelineWriter::Write(const TimelineEvent& event) {
  return file_.Append(TimelineLine(event));
}

Result<void> TimelineWriter::Commit() { return file_.Commit(); }

Result<TimelineEntry> ParseTimelineLine(std::string_view line) {
  const Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return InvalidInput("is not a JSON object");
  std::string problem;
  JsonReader reader(object, "", problem);
  TimelineEntry entry = ReadEntry(reader);
  if (!problem.empty()) return InvalidInput(problem);
  return entry;
}

Result<void> ReadTimeline(const std::filesystem::path& path,
                          const std::function<void(const TimelineEntry&)>& visit) {
  std::ifstream file(path);
  if (!file) return Fail(ErrorCode::kUnavailable, path.string() + ": cannot be read");
  std::string line;
  for (std::int64_t number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    const auto entry = ParseTimelineLine(line);
    if (!entry) {
      return InvalidInput(path.string() + ":" + std::to_string(number) + ": " +
                          entry.error().message);
    }
    visit(*entry);
  }
  if (file.bad()) return Fail(ErrorCode::kUnavailable, path.string() + ": cannot be read");
  return {};
}

}  // namespace evenkeel::report
