#include "cli/kubectl/job_events.h"

#include <algorithm>

#include "cli/human_text.h"
#include "cli/kubectl/job_object.h"
#include "cli/kubectl/object_places.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;

std::string EventText(const json& event, const char* place) {
  return Printable(TextAt(event, place), 300);
}

/// Events of both groups are listed; each has its own fields for the time and the number.
JobEvent ReadEvent(const json& event) {
  JobEvent read;
  for (const char* place : {"/series/lastObservedTime", "/lastTimestamp", "/eventTime",
                            "/metadata/creationTimestamp"}) {
    if (!read.last) read.last = ReadTime(ValueAt(event, place));
  }
  for (const char* place : {"/count", "/series/count"}) {
    if (ValueAt(event, place).is_number_integer()) {
      read.count = std::max(read.count, ValueAt(event, place).get<std::int64_t>());
    }
  }
  read.type = EventText(event, "/type");
  read.reason = EventText(event, "/reason");
  read.message = EventText(event, "/message");
  return read;
}

}  // namespace

std::vector<JobEvent> ReadEvents(const json& list, std::size_t most) {
  std::vector<JobEvent> events;
  for (const json& item : ListAt(list, "/items")) events.push_back(ReadEvent(item));
  std::stable_sort(events.begin(), events.end(), [](const JobEvent& a, const JobEvent& b) {
    return a.last.value_or(0) < b.last.value_or(0);
  });
  if (events.size() > most) {
    events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(most));
  }
  return events;
}

}  // namespace evenkeel::cli
