#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/rng.h"
#include "core/base/time.h"
#include "core/engine/effects.h"
#include "core/engine/messages.h"
#include "core/scheduling/data_holders.h"
#include "core/scheduling/node_links.h"
#include "simulator/coordinator_processor.h"
#include "simulator/simulation_config.h"
#include "simulator/simulation_context.h"

namespace evenkeel::simulator {

/// Moves tasks from the node where they are to the node that runs them. Each direction of a link
/// carries one transfer after the other; a node forwards a transfer when all of it has arrived. Not
/// thread-safe.
class TransferNetwork {
 public:
  explicit TransferNetwork(const TransferModel& model);

  /// Tasks of one grant after the other that come from the same node.
  struct Transfer {
    std::size_t from = 0;
    std::vector<engine::Grant> grants;
  };
  /// Takes out of the grants to `node` what is elsewhere, in the order of the nodes that have it.
  [[nodiscard]] std::vector<Transfer> TakeRemote(std::size_t node,
                                                 std::vector<engine::Grant>& grants) const;
  /// The parts that arrive together: the whole transfer, or with streams each task by itself.
  [[nodiscard]] std::vector<std::vector<engine::Grant>> Pieces(const Transfer& transfer) const;
  /// When these tasks, sent now, arrive; kNever if there is no way.
  [[nodiscard]] Instant Send(std::size_t from, std::size_t to, std::int64_t tasks, Instant now,
                             Rng& rng);

 private:
  [[nodiscard]] static scheduling::WorkerId IdOf(std::size_t node) {
    return {static_cast<std::uint32_t>(node)};
  }

  // The numbers of nodes stand for workers.
  scheduling::DataHolders holders_;
  scheduling::NodeLinks links_;
  bool exponential_;
  bool streams_;
  std::map<std::pair<scheduling::WorkerId, scheduling::WorkerId>, Instant> busy_until_;
};

/// Receives what arrives at the two ends of the streams.
class StreamEndpoints {
 public:
  virtual ~StreamEndpoints() = default;
  /// The coordinator has read the message.
  virtual void OnMessage(engine::StreamId stream, engine::ToCoordinator message) = 0;
  /// The coordinator notices that the worker's end is closed.
  virtual void OnClosedByWorker(engine::StreamId stream) = 0;
  virtual void OnMessage(std::size_t node, engine::ToWorker message) = 0;
  /// The worker notices that the coordinator's end is closed. The worker's end is still open.
  virtual void OnClosedByCoordinator(std::size_t node) = 0;
};

/// Streams between workers and the coordinator: latency, loss, the rate of links, and the time that
/// the coordinator's processor takes. Not thread-safe.
class Network final : public EventTarget {
 public:
  /// All of them must outlive it.
  Network(SimulationContext& context, CoordinatorProcessor& processor, StreamEndpoints& endpoints);

  /// Workers can connect while the coordinator listens. When it stops, all streams are closed.
  void Listen() { listening_ = true; }
  void StopListening();
  [[nodiscard]] bool listening() const { return listening_; }

  void Open(std::size_t node);
  /// The worker's end of its stream, if that is open.
  [[nodiscard]] std::optional<engine::StreamId> StreamOf(std::size_t node) const {
    return streams_of_nodes_[node];
  }
  /// The node at the other end, if the coordinator's end is open.
  [[nodiscard]] std::optional<std::size_t> NodeOf(engine::StreamId stream) const;

  /// When the last message from the node arrived on its stream, read or not; nothing if none has,
  /// or one of the stream's ends is closed.
  [[nodiscard]] std::optional<Instant> LastReceived(std::size_t node) const;

  /// Messages to an end that is closed are dropped. The message from a node needs an open stream.
  void Send(std::size_t node, engine::ToCoordinator message);
  void Send(engine::StreamId stream, engine::ToWorker message);

  /// Closes the worker's end; the coordinator notices `noticed_after` later.
  void CloseWorkerEnd(std::size_t node, Duration noticed_after);
  /// The same when the last message has arrived, as the kernel does when a process dies.
  void CloseWorkerEndAfterSending(std::size_t node);
  /// Loses the messages from this node that have not arrived.
  void LoseMessagesFrom(std::size_t node);
  void CloseCoordinatorEnd(engine::StreamId stream);

  /// Times of blocks of data, which use the links but need no message of the engine.
  /// When the last data sent so far have left the node; kNever if it is not connected.
  [[nodiscard]] Instant UplinkFreeAt(std::size_t node);
  /// When a block that the node asks the coordinator for now has arrived.
  [[nodiscard]] Instant BlockFromCoordinator(std::size_t node, double bytes);
  /// When a block that the connected node `holder` has from `available` on has arrived. The
  /// coordinator says who has it, then the node asks the holder.
  [[nodiscard]] Instant BlockFromWorker(std::size_t holder, std::size_t node, double bytes,
                                        Instant available);

  void OnEvent(const Event& event) override;

  /// Both directions, since the start of the simulation.
  [[nodiscard]] std::int64_t messages_sent() const { return messages_sent_; }

 private:
  enum Kind : std::uint8_t { kToCoordinator, kToWorker };
  struct Direction {  // of a stream
    Duration latency{};
    Instant first_arrival{};  // of the message that opens the stream; no other one overtakes it
    Instant last_arrival{};
    Instant sent_until{};  // all data given to it have left by then
    bool used = false;
  };
  struct Stream {
    std::size_t node = 0;
    bool open = true;  // until the coordinator notices that the worker's end is closed
    bool closed_by_coordinator = false;
    bool carries_up = true;  // false: messages under way to the coordinator are lost
    std::optional<Instant> last_received{};  // by the coordinator's machine
    Direction up;
    Direction down;
  };
  struct UpMessage {
    engine::StreamId stream;
    engine::ToCoordinator message;
  };
  struct DownMessage {
    engine::StreamId stream;
    engine::ToWorker message;
  };
  struct Hop {
    Instant& busy_until;  // of the link
    Duration lasts;       // 0: the data pass at once, whatever the link carries
  };

  /// Null if there is no such stream, or its coordinator's end is closed.
  [[nodiscard]] Stream* Find(engine::StreamId stream);
  [[nodiscard]] Stream* FindOf(std::size_t node);
  /// Arrival of a message whose last byte leaves at `sent`.
  [[nodiscard]] Instant Arrival(Direction& direction, Instant sent);
  /// Draws jitter and the pauses before lost messages are sent again.
  [[nodiscard]] Duration DrawDelay();
  [[nodiscard]] Hop NodeLink(std::size_t node, Direction& direction, double bytes);
  [[nodiscard]] Hop CoordinatorLink(Instant& busy_until, double bytes) const;
  /// When data that are ready at `from` have passed both links.
  [[nodiscard]] static Instant SendOverLinks(const Hop& first, const Hop& second, Instant from);
  [[nodiscard]] Payload PayloadOf(const engine::ToCoordinator& message) const;
  [[nodiscard]] Payload PayloadOf(std::size_t node, const engine::ToWorker& message) const;
  /// Takes the tasks that are at other nodes out of `assign`; they arrive from those nodes.
  void SendFromOtherNodes(std::size_t node, engine::StreamId stream, engine::Assign& assign);
  void OnArrival(UpMessage up);
  void Read(UpMessage up);
  void OnArrival(std::size_t node, DownMessage down);
  void NoticeClosed(engine::StreamId stream);

  SimulationContext& context_;
  CoordinatorProcessor& processor_;
  StreamEndpoints& endpoints_;
  bool listening_ = false;
  std::vector<Stream> streams_;  // every stream ever opened: number n is at n - 1
  std::size_t open_from_ = 0;    // all streams before this place are closed
  std::vector<std::optional<engine::StreamId>> streams_of_nodes_;
  Instant medium_busy_until_{};
  Instant coordinator_sent_until_{};
  Instant coordinator_received_until_{};
  TransferNetwork transfers_;
  Shelf<UpMessage> up_messages_;
  Shelf<DownMessage> down_messages_;
  std::int64_t messages_sent_ = 0;
};

}  // namespace evenkeel::simulator
