#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "core/engine/coordinator_config.h"
#include "core/engine/effects.h"
#include "core/engine/messages.h"
#include "core/engine/run_statistics.h"

namespace evenkeel::engine {

/// The effects that one event has so far, in order. Grants wait until SendGrants and then leave in
/// one Assign per stream, in the order in which streams got their first grant. Grant numbers rise
/// and are never used twice. Not thread-safe.
class EffectOutbox {
 public:
  /// Counts messages in `statistics`, which must outlive the outbox.
  EffectOutbox(RunStatistics& statistics, InputOf input_of)
      : statistics_(statistics), input_of_(std::move(input_of)) {}

  /// The inputs of tasks come from there from now on.
  void SetInputs(InputOf input_of) { input_of_ = std::move(input_of); }

  void Send(StreamId stream, ToWorker message);
  /// Cancels the ranges of all grants so far.
  void SendCancel(StreamId stream, std::vector<model::IndexRange> ranges) {
    Send(stream, Cancel{std::move(ranges), GrantId{next_grant_ - 1}});
  }
  /// Adds an effect that is no message to a worker.
  void Add(Effect effect) { effects_.push_back(std::move(effect)); }
  /// Grants the range on the stream; `attempt`: failed attempts of each of its tasks so far.
  GrantId AddGrant(StreamId stream, model::IndexRange range, bool copy, std::int32_t attempt);
  void SendGrants();
  /// The effects since the last call, all of them of `now`: messages that can be stamped are. No
  /// grant may wait. Assign is not stamped, because the time of its inputs on a slow link is no
  /// part of a round trip.
  [[nodiscard]] Effects Take(Instant now);

 private:
  RunStatistics& statistics_;
  InputOf input_of_;
  Effects effects_;
  std::vector<std::pair<StreamId, Assign>> assigns_;  // they wait for SendGrants
  std::map<StreamId, std::size_t> places_;            // of each stream in assigns_
  std::uint64_t next_grant_ = 1;
};

}  // namespace evenkeel::engine
