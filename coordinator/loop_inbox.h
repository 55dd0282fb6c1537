#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "coordinator/job_version.h"
#include "core/base/clock.h"
#include "core/engine/effects.h"
#include "core/engine/lost_runners.h"
#include "core/model/range_set.h"

namespace evenkeel::coordinator {

using engine::StreamId;

struct MessageReceived {
  StreamId stream;
  engine::ToCoordinator message;
};
struct StreamClosed {
  StreamId stream;
};
/// A message of the stream is held back, so its worker was alive just now.
struct StreamHeard {
  StreamId stream;
};
/// All batches up to this one are durable.
struct BatchCommitted {
  engine::BatchId batch;
};
/// The journal cannot be written any more.
struct JournalFailed {
  Error error;
};
/// The manifest has a new version, which passed all checks that read inputs.
struct VersionRead {
  SharedJobVersion version;
  JobIdentity identity;
};
/// The journal has stored the new version, or `error` says why not.
struct VersionCommitted {
  SharedJobVersion version;
  JobIdentity identity;
  std::optional<Error> error;
};
/// The operator reports ends of command containers.
struct ContainerEndsReported {
  engine::ContainerEnds ends;
};
/// The cache of a node has the data of these tasks.
struct DataHeldReported {
  std::string node;
  model::RangeSet tasks;
};
struct InterruptRequested {
  std::string reason;
};

/// Events for the coordinator's loop.
using LoopEvent = std::variant<MessageReceived, StreamClosed, StreamHeard, BatchCommitted,
                               JournalFailed, VersionRead, VersionCommitted, ContainerEndsReported,
                               DataHeldReported, InterruptRequested>;

/// The events of one CoordinatorLoop, from many threads to one. Nobody ever waits to post. Memory
/// is bounded by flow control: a stream that fills the inbox is not read until there is room again.
///
/// While results are held back, heartbeats and everything else from streams without held results
/// still gets through; what a stream sent after a held report stays behind it. In place of each
/// message that is held back, Take returns StreamHeard. Thread-safe.
class LoopInbox {
 public:
  struct Limits {
    std::size_t events = 4096;     ///< that wait and are not held back
    std::size_t bytes = 64 << 20;  ///< of results, held back or not
  };

  LoopInbox() : LoopInbox(Limits{}) {}
  explicit LoopInbox(Limits limits) : limits_(limits) {}

  /// Events after Close are dropped.
  void Post(LoopEvent event);
  /// Whether the transport may continue to read the stream. If not, TakeReadable will return the
  /// stream later. Call it after posting the messages of one read.
  [[nodiscard]] bool MayReadOn(StreamId stream);
  void Close();

  // For the loop:
  /// Whether reports with results are held back from now on.
  void HoldResults(bool hold);
  /// The next event, if there is one to be handled now.
  [[nodiscard]] std::optional<LoopEvent> Take();
  /// The number of events that Take can look at.
  [[nodiscard]] std::size_t Size() const;
  /// Whether some stream is not being read.
  [[nodiscard]] bool HasUnreadStreams() const;
  /// Streams that may be read again; each is returned once.
  [[nodiscard]] std::vector<StreamId> TakeReadable();
  /// Waits until Take may have an event, at most until `deadline`.
  void WaitUntil(Instant deadline, const Clock& clock);

 private:
  [[nodiscard]] bool IsFullFor(StreamId stream) const;
  [[nodiscard]] LoopEvent PopFront(std::deque<LoopEvent>& lane);
  void HoldBack(StreamId stream, LoopEvent event);

  const Limits limits_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable filled_;
  std::deque<LoopEvent> waiting_;
  std::deque<LoopEvent> held_;                                 // older than everything that waits
  std::unordered_map<StreamId, std::size_t> held_of_;          // number of held events by stream
  std::unordered_map<StreamId, std::size_t> result_bytes_of_;  // in both, by stream
  std::size_t result_bytes_ = 0;
  std::set<StreamId> unread_;
  bool hold_ = false;
  bool closed_ = false;
};

/// Whether the message carries results or failures, which have to be made durable.
[[nodiscard]] bool CarriesResults(const engine::ToCoordinator& message);

}  // namespace evenkeel::coordinator
