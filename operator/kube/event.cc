#include "operator/kube/event.h"

#include <algorithm>

namespace evenkeel::kube {
namespace {

// What the API server's validation of events allows.
constexpr std::size_t kMostNote = 1024;
constexpr std::size_t kMostWord = 128;

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

Json SeriesOf(const EventState& state) {
  return {{"count", state.count}, {"lastObservedTime", MicroTime(state.last)}};
}

Json Reference(const ObjectReference& regarding) {
  Json reference{{"apiVersion", regarding.api_version},
                 {"kind", regarding.kind},
                 {"name", regarding.key.name}};
  if (!regarding.key.space.empty()) reference["namespace"] = regarding.key.space;
  if (!regarding.uid.empty()) reference["uid"] = regarding.uid;
  return reference;
}

}  // namespace

std::string CutText(std::string_view text, std::size_t limit) {
  const std::string_view begin = text.substr(0, std::min(text.size(), limit));
  // Writing and reading it as JSON replaces what is not UTF-8, which may make it longer again.
  const std::string escaped = Json(begin).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string valid = Json::parse(escaped).get<std::string>();
  if (valid.size() <= limit) return valid;
  std::size_t end = limit;
  while (end > 0 && IsContinuation(valid[end])) --end;
  valid.resize(end);
  return valid;
}

Json EventObject(const EventState& state, const EventReporter& reporter) {
  Json object{{"apiVersion", "events.k8s.io/v1"},
              {"kind", "Event"},
              {"metadata", {{"namespace", state.key.space}, {"name", state.key.name}}},
              {"eventTime", MicroTime(state.first)},
              {"reportingController", reporter.controller},
              {"reportingInstance", CutText(reporter.instance, kMostWord)},
              {"type", state.event.type == EventType::kNormal ? "Normal" : "Warning"},
              {"reason", CutText(state.event.reason, kMostWord)},
              {"action", CutText(state.event.action, kMostWord)},
              {"note", CutText(state.event.note, kMostNote)},
              {"regarding", Reference(state.event.regarding)}};
  if (state.count > 1) object["series"] = SeriesOf(state);
  return object;
}

Json SeriesPatch(const EventState& state) { return {{"series", SeriesOf(state)}}; }

}  // namespace evenkeel::kube
