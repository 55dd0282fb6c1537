#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "operator/kube/object_meta.h"

namespace evenkeel::kube {

enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark, kError };

/// One line of a watch.
struct WatchEvent {
  WatchEventType type = WatchEventType::kError;
  ObjectMeta meta;                  ///< a bookmark has a version only, an error nothing
  bool initial_events_end = false;  ///< a bookmark: the list that opened the stream is complete
  bool expired = false;             ///< an error: the version is gone, only a new list helps
  std::string message;              ///< an error: what the server says, one line
  Json object;                      ///< added, modified, deleted: the whole object
};

/// Reads a line of a watch. Error: kInvalidInput for what is no event, e.g. a line cut short.
[[nodiscard]] Result<WatchEvent> ReadWatchEvent(std::string_view line);

}  // namespace evenkeel::kube
