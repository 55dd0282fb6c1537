#pragma once

#include <cstdint>
#include <string>

#include "core/base/time.h"
#include "operator/kube/reconnect_backoff.h"
#include "operator/kube/resource.h"

namespace evenkeel::kube {

/// What a reflector watches, and how patiently.
struct ReflectorOptions {
  Resource resource;
  std::string name_space;  ///< empty: all, or a resource of the whole cluster
  std::string label_selector;
  std::string field_selector;

  bool streaming_lists = true;      ///< asks for the list as the beginning of the watch
  std::int32_t page_size = 200;     ///< objects a page, where lists are paged: few MB of text
  std::int64_t max_items = 200000;  ///< a list with more is refused: it would not fit anyway

  Duration list_timeout = std::chrono::seconds(30);
  /// How long the server may let a watch stand; drawn anew for each, so that not all end at once.
  Duration shortest_watch = std::chrono::minutes(5);
  Duration longest_watch = std::chrono::minutes(10);
  /// A stream without a word for so long is given up. Bookmarks come about once a minute.
  Duration idle_limit = std::chrono::seconds(90);
  ReconnectTimes reconnect;
};

}  // namespace evenkeel::kube
