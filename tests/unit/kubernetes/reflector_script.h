#pragma once

#include <string>

#include "kubernetes/reflector.h"

/// Short functions for responses of an API server, to drive a ReflectorMachine.
namespace evenkeel::kube {

inline ReflectorOptions NodesInPages() {
  ReflectorOptions options;
  options.resource = {"", "v1", "nodes", false};
  options.streaming_lists = false;
  return options;
}

inline ReflectorOptions NodesInAStream() {
  ReflectorOptions options = NodesInPages();
  options.streaming_lists = true;
  return options;
}

inline WatchEvent ObjectEvent(WatchEventType type, const std::string& version) {
  WatchEvent event;
  event.type = type;
  event.meta = {{"", "pi4a"}, version};
  return event;
}

inline WatchEvent Bookmark(const std::string& version, bool ends_list = false) {
  WatchEvent event;
  event.type = WatchEventType::kBookmark;
  event.meta.resource_version = version;
  event.initial_events_end = ends_list;
  return event;
}

inline WatchEvent ErrorEvent(bool expired) {
  WatchEvent event;
  event.type = WatchEventType::kError;
  event.expired = expired;
  return event;
}

inline bool Has(const ReflectorRequest& request, const std::string& part) {
  return request.target.find(part) != std::string::npos;
}

/// True for a stream that begins with the list.
inline bool IsStreamedList(const ReflectorRequest& request) {
  return request.kind == ReflectorRequestKind::kWatch && Has(request, "sendInitialEvents=true");
}

/// True for a watch that continues from this version.
inline bool IsWatchFrom(const ReflectorRequest& request, const std::string& version) {
  return request.kind == ReflectorRequestKind::kWatch && !request.begins_list &&
         Has(request, "resourceVersion=" + version + "&");
}

}  // namespace evenkeel::kube
