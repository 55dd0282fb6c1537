#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/age_list.h"
#include "core/engine/effects.h"
#include "core/engine/messages.h"
#include "core/engine/round_trip_estimator.h"
#include "core/engine/stream_table.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::engine {

/// The worker of a node, as far as its connection goes. A node keeps its entry for the whole job.
struct Member {
  std::string name;
  double ratio = 1.0;
  std::string incarnation;             ///< of its latest process; empty before the first one
  std::string boot_id;                 ///< of the node, as that process said
  std::string peer{};                  ///< Hello::peer of its latest stream
  std::int64_t task_memory_bytes = 0;  ///< Hello::task_memory_bytes of its latest process
  std::optional<StreamId> stream;
  bool lost = false;      ///< its lease expired, or it said goodbye
  bool draining = false;  ///< its process is about to exit
  bool absent = false;    ///< lost, or disconnected for longer than the reconnect timeout
  std::uint64_t reports_received = 0;  ///< on this stream
  RoundTripEstimator round_trip{};     ///< of this stream
  /// Incarnations that were replaced by a newer process, the latest few.
  std::vector<std::string> replaced{};
};

/// The workers of a job: their streams, process incarnations and lease clocks. Decides whether a
/// worker is admitted and whether its lease is over; the coordinator moves its tasks.
/// Not thread-safe; times do not decrease.
class Membership {
 public:
  using WorkerId = scheduling::WorkerId;

  struct Rules {
    std::string token;  ///< every Hello must carry it; empty: any
    std::string workload;
    std::uint32_t workload_version = 1;
    bool admit_unexpected = true;  ///< nodes that are not listed may join
    std::int32_t max_workers = 1;
    Duration lease{};
    bool idempotent = true;
  };

  explicit Membership(Rules rules) : rules_(std::move(rules)) {}

  /// A node with the next number. Its worker has one lease's time to connect.
  WorkerId Add(const std::string& name, double ratio, Instant now);
  /// One line that says why the Hello is refused; empty if it is not.
  [[nodiscard]] std::string RefusalReason(const Hello& hello) const;
  [[nodiscard]] std::optional<WorkerId> Find(const std::string& name) const;
  /// True if a newer process of that node has connected: this one must not take its place back.
  [[nodiscard]] bool WasReplaced(WorkerId worker, const std::string& incarnation) const;
  /// True if the node is connected through another identity: only the same one may replace a
  /// stream. Also if another process of the node is connected and may run tasks that must not run
  /// twice: the one that says Hello may be older, its message late. Another boot has ended all
  /// processes before. The one that waits comes again until the stream of the other one closes or
  /// its lease ends.
  [[nodiscard]] bool MustWaitForOther(WorkerId worker, const Hello& hello) const;
  /// False if a process of the worker that is replaced at `now` cannot have received a task: its
  /// Hello and that of its successor waited together for a coordinator that stood still.
  [[nodiscard]] bool CanHaveRunTasks(WorkerId worker, Instant now) const;

  /// The worker's stream is this one of `peer` from now on, and its lease is renewed. Returns the
  /// stream that it had before, which is to be closed.
  std::optional<StreamId> Connect(WorkerId worker, StreamId stream, Instant now,
                                  const std::string& peer = {});
  /// The incarnation is the node's process from now on.
  void SetProcess(WorkerId worker, const std::string& incarnation, const std::string& boot_id);
  /// Tasks of the node may use so much memory together; 0: unknown.
  void SetTaskMemory(WorkerId worker, std::int64_t bytes) { At(worker).task_memory_bytes = bytes; }
  /// The node takes part no more: its Hellos are refused with this reason, one line.
  void Exclude(const std::string& node, const std::string& reason) {
    excluded_.emplace(node, reason);
  }
  [[nodiscard]] bool IsExcluded(const std::string& node) const { return excluded_.contains(node); }
  /// The worker takes part again.
  void Rejoin(WorkerId worker);
  /// The stream is closed; returns whose it was. The lease goes on; for idempotent jobs the
  /// reconnect timeout begins.
  std::optional<WorkerId> Disconnect(StreamId stream, Instant now);
  /// The worker does not take part any more. Returns the stream to be closed, if it has one.
  std::optional<StreamId> Remove(WorkerId worker);
  /// Others get the worker's tasks; it may still come back under its lease.
  void MarkAbsent(WorkerId worker);
  void RenewLease(WorkerId worker, Instant now) { last_heard_.Renew(worker, now); }
  /// When the lease was renewed last; nothing if the worker is lost.
  [[nodiscard]] std::optional<Instant> LastHeard(WorkerId worker) const {
    return last_heard_.Since(worker);
  }

  /// Takes the workers whose lease is over.
  [[nodiscard]] std::vector<WorkerId> TakeExpired(Instant now);
  /// Workers that have been disconnected for longer than the reconnect timeout; MarkAbsent each.
  [[nodiscard]] std::vector<WorkerId> OverdueToReconnect(Instant now) const;
  /// When the next lease or reconnect timeout ends.
  [[nodiscard]] Instant NextExpiry() const;
  /// No lease ends before `until`, for messages that have arrived and not been read.
  void HoldExpiry(Instant until) { held_until_ = until; }
  /// The coordinator itself stood still for that long: no lease runs in the meantime.
  void ExtendLeases(Duration stalled, Instant now);

  [[nodiscard]] const WorkerId* FindStream(StreamId stream) const { return streams_.Find(stream); }
  /// Open streams with their workers, in the order of their numbers.
  [[nodiscard]] const StreamTable& Streams() const { return streams_; }
  [[nodiscard]] std::size_t Size() const { return members_.size(); }
  [[nodiscard]] Member& At(WorkerId worker) { return members_[worker.value]; }
  [[nodiscard]] const Member& At(WorkerId worker) const { return members_[worker.value]; }
  [[nodiscard]] const std::vector<Member>& Members() const { return members_; }
  /// Members that are not lost.
  [[nodiscard]] std::size_t Present() const { return present_; }
  /// Mean ratio of all members: that of a node of which nothing is known. 1 if there are none.
  [[nodiscard]] double MeanRatio() const;

 private:
  [[nodiscard]] bool IsFull() const;
  [[nodiscard]] Duration ReconnectTimeout() const;

  Rules rules_;
  std::vector<Member> members_;
  std::size_t present_ = 0;
  std::map<std::string, WorkerId> by_name_;
  std::map<std::string, std::string> excluded_;  // nodes, and why
  StreamTable streams_;
  Instant held_until_{};        // no lease ends before
  AgeList last_heard_;          // of each worker that is not lost; its lease runs from then
  AgeList disconnected_since_;  // of idempotent jobs
};

}  // namespace evenkeel::engine
