#include "simulator/trace_recorder.h"

#include <cstdio>
#include <utility>
#include <vector>

namespace evenkeel::simulator {
namespace {

using engine::Grant;
using model::IndexRange;

std::string Text(IndexRange range) {
  return " [" + std::to_string(range.begin) + "," + std::to_string(range.end) + ")";
}

std::string Text(const std::vector<Grant>& grants) {
  std::string text;
  for (const Grant& grant : grants) {
    text += Text(grant.range) + "#" + std::to_string(grant.id.value) + (grant.copy ? "c" : "");
  }
  return text;
}

std::string Text(const std::vector<IndexRange>& ranges) {
  std::string text;
  for (const IndexRange range : ranges) text += Text(range);
  return text;
}

struct Describer {
  std::string operator()(const engine::Hello& hello) const {
    return "hello " + hello.incarnation + " epoch " + std::to_string(hello.epoch) + " holds" +
           Text(hello.held);
  }
  std::string operator()(const engine::Report& report) const {
    std::string text = "report";
    for (const auto& done : report.completed) {
      text += Text(done.range) + (done.copy ? "c" : "") + "/" + std::to_string(done.busy.count());
    }
    for (const auto& failed : report.failed) text += " failed " + std::to_string(failed.index);
    return text;
  }
  std::string operator()(const engine::GiveBack& given) const {
    return "give-back " + std::to_string(given.recall.value) + Text(given.parts);
  }
  std::string operator()(const engine::Goodbye&) const { return "goodbye"; }
  std::string operator()(const engine::Welcome& welcome) const {
    return "welcome epoch " + std::to_string(welcome.epoch);
  }
  std::string operator()(const engine::Refusal& refusal) const {
    return "refusal: " + refusal.reason;
  }
  std::string operator()(const engine::Assign& assign) const {
    return "assign" + Text(assign.grants);
  }
  std::string operator()(const engine::Recall& recall) const {
    return "recall " + std::to_string(recall.id.value) + " of " + std::to_string(recall.max_tasks);
  }
  std::string operator()(const engine::Acknowledge& acknowledged) const {
    return "acknowledge" + Text(acknowledged.ranges) + " heard " +
           std::to_string(acknowledged.heard);
  }
  std::string operator()(const engine::Cancel& cancel) const {
    return "cancel" + Text(cancel.ranges) + " up to #" + std::to_string(cancel.last.value);
  }
  std::string operator()(const engine::Finish& finish) const { return "finish " + finish.reason; }
};

}  // namespace

std::string Describe(const engine::ToCoordinator& message) {
  return std::visit(Describer{}, message);
}

std::string Describe(const engine::ToWorker& message) { return std::visit(Describer{}, message); }

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
