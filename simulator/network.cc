#include "simulator/network.h"

#include <algorithm>
#include <utility>

namespace evenkeel::simulator {

using engine::Grant;

TransferNetwork::TransferNetwork(const TransferModel& model)
    : exponential_(model.exponential), streams_(model.streams) {
  for (const auto& placed : model.placed) holders_.Add(IdOf(placed.node), placed.range);
  for (const auto& link : model.links) {
    links_.Add(IdOf(link.one), IdOf(link.other), link.tasks_per_second);
  }
}

std::vector<TransferNetwork::Transfer> TransferNetwork::TakeRemote(
    std::size_t node, std::vector<Grant>& grants) const {
  if (holders_.Empty()) return {};
  std::vector<Grant> here;
  std::map<std::size_t, Transfer> remote;
  for (const Grant& grant : grants) {
    for (const auto& part : holders_.Split(grant.range)) {
      Grant cut = grant;
      cut.range = part.range;
      // No task is placed twice.
      const std::size_t at = part.holders.empty() ? node : part.holders.front().value;
      if (at != node) remote[at].from = at;
      (at != node ? remote[at].grants : here).push_back(std::move(cut));
    }
  }
  grants = std::move(here);
  std::vector<Transfer> transfers;
  for (auto& [from, transfer] : remote) transfers.push_back(std::move(transfer));
  return transfers;
}

std::vector<std::vector<Grant>> TransferNetwork::Pieces(const Transfer& transfer) const {
  if (!streams_) return {transfer.grants};
  std::vector<std::vector<Grant>> pieces;
  for (const Grant& grant : transfer.grants) {
    for (model::TaskIndex i = grant.range.begin; i < grant.range.end; ++i) {
      Grant one = grant;
      one.range = {i, i + 1};
      pieces.push_back({std::move(one)});
    }
  }
  return pieces;
}

Instant TransferNetwork::Send(std::size_t from, std::size_t to, std::int64_t tasks, Instant now,
                              Rng& rng) {
  scheduling::WorkerId at = IdOf(from);
  const auto route = links_.Route(at, IdOf(to));
  if (route.empty()) return kNever;
  for (const scheduling::WorkerId next : route) {
    if (const auto rate = links_.RateOf(at, next)) {
      const double mean = static_cast<double>(tasks) / *rate;
      Instant& busy_until = busy_until_[{at, next}];
      busy_until = now =
          std::max(now, busy_until) + FromSeconds(exponential_ ? rng.Exponential(mean) : mean);
    }
    at = next;
  }
  return now;
}

using engine::StreamId;

namespace {

// A stream that has to wait for longer before it sends a lost message again counts as cut.
constexpr Duration kLongestPause = std::chrono::seconds(60);

Duration TimeOnLink(double bytes, double bytes_per_second) {
  if (bytes_per_second <= 0) return Duration::zero();
  return FromSeconds(bytes / bytes_per_second);
}

}  // namespace

Network::Network(SimulationContext& context, CoordinatorProcessor& processor,
                 StreamEndpoints& endpoints)
    : context_(context),
      processor_(processor),
      endpoints_(endpoints),
      streams_of_nodes_(context.config.nodes.size()),
      transfers_(context.config.transfers) {}

void Network::StopListening() {
  listening_ = false;
  for (; open_from_ < streams_.size(); ++open_from_) streams_[open_from_].open = false;
  processor_.Reset();
  coordinator_sent_until_ = coordinator_received_until_ = {};
  for (std::size_t node = 0; node < streams_of_nodes_.size(); ++node) {
    if (streams_of_nodes_[node]) endpoints_.OnClosedByCoordinator(node);
  }
}

void Network::Open(std::size_t node) {
  Stream stream;
  stream.node = node;
  stream.up.latency = stream.down.latency =
      context_.config.network.latency + context_.config.nodes[node].link_latency;
  streams_.push_back(stream);
  streams_of_nodes_[node] = StreamId{streams_.size()};
}

std::optional<std::size_t> Network::NodeOf(StreamId stream) const {
  const bool known = stream.value >= 1 && stream.value <= streams_.size();
  if (!known) return std::nullopt;
  const Stream& found = streams_[static_cast<std::size_t>(stream.value - 1)];
  return found.open ? std::optional(found.node) : std::nullopt;
}

std::optional<Instant> Network::LastReceived(std::size_t node) const {
  const auto stream = streams_of_nodes_[node];
  if (!stream || !NodeOf(*stream)) return std::nullopt;
  const Stream& found = streams_[static_cast<std::size_t>(stream->value - 1)];
  return found.closed_by_coordinator ? std::nullopt : found.last_received;
}

Network::Stream* Network::Find(StreamId stream) {
  return NodeOf(stream) ? &streams_[static_cast<std::size_t>(stream.value - 1)] : nullptr;
}

Network::Stream* Network::FindOf(std::size_t node) {
  return Find(streams_of_nodes_[node].value_or(StreamId{}));
}

void Network::Send(std::size_t node, engine::ToCoordinator message) {
  const StreamId stream = *streams_of_nodes_[node];
  Stream* const known = Find(stream);
  if (!known) return;
  ++messages_sent_;
  Direction& up = known->up;
  const double bytes = PayloadOf(message).bytes;
  const Instant sent =
      SendOverLinks(NodeLink(node, up, bytes), CoordinatorLink(coordinator_received_until_, bytes),
                    context_.time.Now());
  Event event;
  event.target = this;
  event.kind = kToCoordinator;
  event.detail = up_messages_.Put({stream, std::move(message)});
  context_.time.At(Arrival(up, sent), event, EventQueue::Lane::kMessages);
}

void Network::Send(StreamId stream, engine::ToWorker message) {
  Stream* const known = Find(stream);
  if (!known) return;
  const std::size_t node = known->node;
  if (auto* assign = std::get_if<engine::Assign>(&message)) {
    SendFromOtherNodes(node, stream, *assign);
    if (assign->grants.empty()) return;
  }
  ++messages_sent_;
  const Payload payload = PayloadOf(node, message);
  const Instant ready = processor_.Send(payload, context_.time.Now());
  const Instant sent = SendOverLinks(CoordinatorLink(coordinator_sent_until_, payload.bytes),
                                     NodeLink(node, known->down, payload.bytes), ready);
  const Instant arrival = Arrival(known->down, sent);
  Event event;
  event.target = this;
  event.kind = kToWorker;
  event.number = static_cast<std::uint32_t>(node);
  event.detail = down_messages_.Put({stream, std::move(message)});
  context_.time.At(arrival, event, EventQueue::Lane::kMessages);
}

void Network::SendFromOtherNodes(std::size_t node, StreamId stream, engine::Assign& assign) {
  for (const auto& transfer : transfers_.TakeRemote(node, assign.grants)) {
    ++messages_sent_;
    for (auto& grants : transfers_.Pieces(transfer)) {
      std::int64_t tasks = 0;
      for (const auto& grant : grants) tasks += grant.range.Size();
      const Instant sent = context_.time.Now() + context_.config.network.latency;
      context_.time.At(transfers_.Send(transfer.from, node, tasks, sent, context_.rng),
                       [this, node, stream, piece = engine::Assign{std::move(grants)}]() mutable {
                         OnArrival(node, {stream, std::move(piece)});
                       });
    }
  }
}

void Network::OnEvent(const Event& event) {
  if (event.kind == kToCoordinator) return OnArrival(up_messages_.Take(event.detail));
  OnArrival(event.number, down_messages_.Take(event.detail));
}

void Network::OnArrival(UpMessage up) {
  Stream* const open = Find(up.stream);
  if (!open || !open->carries_up) return;  // lost with the connection
  open->last_received = context_.time.Now();
  const Instant read = processor_.Receive(PayloadOf(up.message), context_.time.Now());
  if (read <= context_.time.Now()) return Read(std::move(up));
  context_.time.At(read, [this, up = std::move(up)]() mutable { Read(std::move(up)); });
}

void Network::Read(UpMessage up) {
  if (Find(up.stream)) endpoints_.OnMessage(up.stream, std::move(up.message));
}

void Network::OnArrival(std::size_t node, DownMessage down) {
  if (streams_of_nodes_[node] == down.stream) endpoints_.OnMessage(node, std::move(down.message));
}

void Network::CloseWorkerEnd(std::size_t node, Duration noticed_after) {
  if (!streams_of_nodes_[node]) return;
  const StreamId stream = *streams_of_nodes_[node];
  streams_of_nodes_[node].reset();
  context_.time.At(context_.time.After(noticed_after), [this, stream] {
    if (processor_.busy_until() <= context_.time.Now()) return NoticeClosed(stream);
    // Messages that arrived before are read first.
    context_.time.At(processor_.busy_until(), [this, stream] { NoticeClosed(stream); });
  });
}

void Network::CloseWorkerEndAfterSending(std::size_t node) {
  if (!streams_of_nodes_[node]) return;
  const Instant now = context_.time.Now();
  Stream* const stream = FindOf(node);
  CloseWorkerEnd(node, stream ? Arrival(stream->up, now) - now : Duration::zero());
}

void Network::NoticeClosed(StreamId stream) {
  Stream* const known = Find(stream);
  if (!known) return;
  known->open = false;
  endpoints_.OnClosedByWorker(stream);
}

void Network::LoseMessagesFrom(std::size_t node) {
  if (Stream* const stream = FindOf(node)) stream->carries_up = false;
}

void Network::CloseCoordinatorEnd(StreamId stream) {
  Stream* const known = Find(stream);
  if (!known) return;
  known->closed_by_coordinator = true;
  context_.time.At(Arrival(known->down, context_.time.Now()), [this, node = known->node, stream] {
    if (streams_of_nodes_[node] == stream) endpoints_.OnClosedByCoordinator(node);
  });
}

Instant Network::UplinkFreeAt(std::size_t node) {
  const Stream* const open = FindOf(node);
  return open ? open->up.sent_until : kNever;
}

Instant Network::BlockFromCoordinator(std::size_t node, double bytes) {
  Stream* const open = FindOf(node);
  if (!open) return context_.time.Now();
  Direction& down = open->down;
  const Instant asked = context_.time.Now() + down.latency;
  const Instant ready = processor_.Send({bytes, 0}, asked);
  return SendOverLinks(CoordinatorLink(coordinator_sent_until_, bytes), NodeLink(node, down, bytes),
                       ready) +
         down.latency;
}

Instant Network::BlockFromWorker(std::size_t holder, std::size_t node, double bytes,
                                 Instant available) {
  Stream* const to = FindOf(node);
  if (!to) return context_.time.Now();
  Direction& up = FindOf(holder)->up;
  Direction& down = to->down;
  const Instant answered = processor_.Send({}, context_.time.Now() + down.latency) + down.latency;
  const Duration one_way = up.latency + down.latency;
  const Instant ready = std::max(answered + one_way, available);
  return SendOverLinks(NodeLink(holder, up, bytes), NodeLink(node, down, bytes), ready) + one_way;
}

Instant Network::Arrival(Direction& direction, Instant sent) {
  Instant at = sent + direction.latency + DrawDelay();
  if (!direction.used) direction.first_arrival = at;
  at = std::max(at,
                context_.config.network.ordered ? direction.last_arrival : direction.first_arrival);
  direction.used = true;
  direction.last_arrival = std::max(direction.last_arrival, at);
  return at;
}

Duration Network::DrawDelay() {
  const NetworkModel& model = context_.config.network;
  Duration delay{};
  if (model.jitter > Duration::zero()) {
    delay += FromSeconds(context_.rng.Exponential(ToSeconds(model.jitter)));
  }
  if (model.loss <= 0) return delay;
  for (Duration pause = model.retransmit_after; context_.rng.Chance(model.loss); pause *= 2) {
    if (pause > kLongestPause) break;
    delay += pause;
  }
  return delay;
}

Network::Hop Network::NodeLink(std::size_t node, Direction& direction, double bytes) {
  return {context_.config.network.shared_medium ? medium_busy_until_ : direction.sent_until,
          TimeOnLink(bytes, context_.config.nodes[node].link_bytes_per_second)};
}

Network::Hop Network::CoordinatorLink(Instant& busy_until, double bytes) const {
  return {busy_until, TimeOnLink(bytes, context_.config.coordinator.link_bytes_per_second)};
}

// Data begin to pass the second link as soon as they begin to pass the first.
Instant Network::SendOverLinks(const Hop& first, const Hop& second, Instant from) {
  Instant through = from;
  for (const Hop& hop : {first, second}) {
    if (hop.lasts <= Duration::zero()) continue;
    through = std::max(through, std::max(from, hop.busy_until) + hop.lasts);
    hop.busy_until = through;
  }
  return through;
}

Payload Network::PayloadOf(std::size_t node, const engine::ToWorker& message) const {
  Payload payload;
  const auto* const assign = std::get_if<engine::Assign>(&message);
  if (assign == nullptr) return payload;
  std::int64_t cached = 0;
  for (const auto& grant : assign->grants) {
    payload.tasks += grant.range.Size();
    for (const auto& data : context_.config.cached) {
      if (data.node != node) continue;
      data.tasks.ForEachWithin(grant.range,
                               [&cached](model::IndexRange part) { cached += part.Size(); });
    }
  }
  payload.bytes = static_cast<double>(payload.tasks - cached) * context_.config.input_bytes;
  return payload;
}

Payload Network::PayloadOf(const engine::ToCoordinator& message) const {
  std::int64_t tasks = 0;
  if (const auto* report = std::get_if<engine::Report>(&message)) {
    for (const auto& done : report->completed) tasks += done.range.Size();
  }
  return {static_cast<double>(tasks) * context_.config.result_bytes, 0};
}

}  // namespace evenkeel::simulator
