#include "simulator/trace_recorder.h"

#include <cstdio>
#include <utility>

namespace evenkeel::simulator {

TraceRecorder::TraceRecorder(Sink sink, bool keeps_digest)
    : sink_(std::move(sink)), keeps_digest_(keeps_digest) {}

void TraceRecorder::Delivered(Instant at, const std::string& message) {
  ++deliveries_;
  digest_.AddSize(static_cast<std::uint64_t>(at.time_since_epoch().count()));
  digest_.Add(message);
  Note(at, message);
}

void TraceRecorder::Note(Instant at, const std::string& text) const {
  if (!sink_) return;
  char time[32];
  std::snprintf(time, sizeof time, "%12.6f ", ToSeconds(at - Instant{}));
  sink_(time + text);
}

}  // namespace evenkeel::simulator
