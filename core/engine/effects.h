#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/strong_id.h"
#include "core/engine/messages.h"
#include "core/model/run_record.h"

namespace evenkeel::engine {

/// One connection of a worker; a reconnect is a new stream.
using StreamId = StrongId<struct StreamIdTag, std::uint64_t>;
/// One group of records to be made durable; rising.
using BatchId = StrongId<struct BatchIdTag, std::uint64_t>;

struct SendToWorker {
  StreamId stream;
  ToWorker message;
};
struct CloseStream {
  StreamId stream;
};
/// Make these durable, in the order of their numbers, then call OnDurable.
struct Persist {
  BatchId batch;
  std::vector<model::ResultRecord> results;
  std::vector<model::FailureRecord> failures;
  std::vector<model::ConfirmationRecord> confirmations{};
  /// The results of these nodes that came before do not count any more, and none come later.
  std::vector<model::ExclusionRecord> exclusions{};
};
/// The job is over (all its results are durable if it is complete). Comes once.
struct EndJob {
  model::JobState state;
  std::string reason;       ///< one line, empty if complete
  bool superseded = false;  ///< a later start of this coordinator has the job now
  model::EndCause cause = model::EndCause::kOther;
};

/// Actions that the coordinator's state machine requests, to be done in this order.
using Effect = std::variant<SendToWorker, CloseStream, Persist, EndJob>;
using Effects = std::vector<Effect>;

}  // namespace evenkeel::engine
