#include "operator/kube/watch_event.h"

#include <optional>
#include <utility>

#include "operator/kube/api_error.h"

namespace evenkeel::kube {
namespace {

std::optional<WatchEventType> TypeNamed(const std::string& name) {
  if (name == "ADDED") return WatchEventType::kAdded;
  if (name == "MODIFIED") return WatchEventType::kModified;
  if (name == "DELETED") return WatchEventType::kDeleted;
  if (name == "BOOKMARK") return WatchEventType::kBookmark;
  if (name == "ERROR") return WatchEventType::kError;
  return std::nullopt;
}

void ReadError(const Json& status, WatchEvent& event) {
  const ApiError error = ErrorFromStatus(status, "an error in the watch");
  event.expired = error.kind == ApiErrorKind::kGone || error.reason == "Expired";
  event.message = error.message;
}

Result<void> ReadBookmark(const Json& object, WatchEvent& event) {
  const Json& metadata = MemberOf(object, "metadata");
  event.meta.resource_version = TextAt(metadata, "resourceVersion");
  if (event.meta.resource_version.empty()) return InvalidInput("a bookmark without a version");
  event.initial_events_end =
      TextAt(MemberOf(metadata, "annotations"), "k8s.io/initial-events-end") == "true";
  return {};
}

}  // namespace

Result<WatchEvent> ReadWatchEvent(std::string_view line) {
  Json parsed = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return InvalidInput("a line of a watch that is no JSON object");
  const std::optional<WatchEventType> type = TypeNamed(TextAt(parsed, "type"));
  if (!type) return InvalidInput("an event of an unknown type");

  WatchEvent event;
  event.type = *type;
  const Json& object = MemberOf(parsed, "object");
  if (*type == WatchEventType::kError) {
    ReadError(object, event);
    return event;
  }
  if (*type == WatchEventType::kBookmark) {
    const Result<void> read = ReadBookmark(object, event);
    if (!read) return tl::unexpected(read.error());
    return event;
  }
  Result<ObjectMeta> meta = ReadMeta(object);
  if (!meta) return tl::unexpected(meta.error());
  event.meta = std::move(*meta);
  event.object = std::move(parsed["object"]);
  return event;
}

}  // namespace evenkeel::kube
