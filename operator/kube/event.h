#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "operator/kube/micro_time.h"
#include "operator/kube/object_meta.h"

namespace evenkeel::kube {

/// The object that an event is about.
struct ObjectReference {
  std::string api_version;
  std::string kind;
  ObjectKey key;
  std::string uid;
};

enum class EventType { kNormal, kWarning };

/// Something that happened to an object, for people: `kubectl describe` shows it.
struct Event {
  ObjectReference regarding;
  EventType type = EventType::kNormal;
  std::string reason;  ///< why, one CamelCase word: "NoEligibleNode"
  std::string action;  ///< what the operator did or tried, likewise: "Planning"
  std::string note;    ///< a sentence
};

/// Who reports.
struct EventReporter {
  std::string controller;  ///< qualified name: "evenkeel.dev/operator"
  std::string instance;    ///< the pod
};

/// An event as it stands in the cluster.
struct EventState {
  ObjectKey key;  ///< of the Event object itself
  Event event;
  WallTime first;
  WallTime last;
  std::int32_t count = 1;  ///< more than one: a series
};

/// The events.k8s.io/v1 object. Texts longer than the API takes are cut (note: 1 KiB, others: 128
/// bytes), bytes that are not UTF-8 replaced.
[[nodiscard]] Json EventObject(const EventState& state, const EventReporter& reporter);

/// The merge patch that makes the object in the cluster a series of this length.
[[nodiscard]] Json SeriesPatch(const EventState& state);

/// At most `limit` bytes of `text`, cut between characters, as valid UTF-8.
[[nodiscard]] std::string CutText(std::string_view text, std::size_t limit);

}  // namespace evenkeel::kube
