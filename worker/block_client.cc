#include "worker/block_client.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/protocol/block_service.h"
#include "core/protocol/evenkeel.pb.h"
#include "core/protocol/limits.h"

namespace evenkeel::worker {
namespace {

constexpr const char* kMethod = "/evenkeel.v1.Blocks/Fetch";
// Time limit of a request to another worker; then the coordinator gets the request.
constexpr auto kPeerPatience = std::chrono::seconds(20);
// Connections that break one after the other before the transfer fails.
constexpr int kMaxAttempts = 20;

/// Copies the answer; false if its size differs from that of `into`.
bool CopyTo(std::span<char> into, const grpc::ByteBuffer& from) {
  std::vector<grpc::Slice> slices;
  if (from.Length() != into.size() || !from.Dump(&slices).ok()) return false;
  char* out = into.data();
  for (const grpc::Slice& slice : slices) {
    std::memcpy(out, slice.begin(), slice.size());
    out += slice.size();
  }
  return true;
}

}  // namespace

BlockClient::BlockClient(Options options)
    : options_(std::move(options)), connections_(options_.home, options_.peer_name) {}

BlockClient::~BlockClient() {
  Lock lock(mutex_);
  ending_ = true;
  for (Call* call : calls_) call->context.TryCancel();
  idle_.wait(lock, [this] { return calls_.empty() && pumping_ == 0; });
  const std::deque<Piece> left = std::move(queue_);
  lock.unlock();
  for (const Piece& piece : left) {
    if (--piece.transfer->left == 0) {
      piece.transfer->done(Fail(ErrorCode::kUnavailable, "the worker ends"));
    }
  }
}

void BlockClient::Fetch(workloads::BlockId id, std::span<char> into, Done done) {
  constexpr auto kPiece = static_cast<std::size_t>(protocol::kPieceBytes);
  const std::size_t pieces = (into.size() + kPiece - 1) / kPiece;
  const auto transfer = std::make_shared<Transfer>(
      Transfer{id, into, std::move(done), static_cast<std::int64_t>(pieces), {}});
  Lock lock(mutex_);
  for (std::size_t offset = 0; offset < into.size(); offset += kPiece) {
    Piece piece;
    piece.transfer = transfer;
    piece.offset = offset;
    piece.size = std::min(kPiece, into.size() - offset);
    queue_.push_back(std::move(piece));
  }
  Pump(lock);
}

void BlockClient::Pump(Lock& lock) {
  ++pumping_;
  const auto under_way = [this] { return static_cast<std::int64_t>(calls_.size()); };
  if (under_way() <= options_.refresh_at) refilling_ = true;
  while (refilling_ && !ending_ && !queue_.empty()) {
    Piece piece = std::move(queue_.front());
    queue_.pop_front();
    Start(lock, std::move(piece));
    if (under_way() >= options_.window) refilling_ = false;
  }
  --pumping_;
}

void BlockClient::Start(Lock& lock, Piece piece) {
  v1::PieceRequest request;
  request.set_token(options_.token);
  request.set_block(piece.transfer->id);
  request.set_offset(piece.offset);
  request.set_size(piece.size);
  request.set_port(options_.port);
  request.set_only_here(piece.only_here || !piece.peer.empty());
  const auto stub = connections_.StubFor(piece.peer);
  auto* const call = new Call{std::move(piece), {}, {}, {}};
  const grpc::Slice encoded(request.SerializeAsString());
  call->request = grpc::ByteBuffer(&encoded, 1);
  if (call->piece.peer.empty()) {
    call->context.set_wait_for_ready(true);
  } else {
    call->context.set_deadline(std::chrono::system_clock::now() + kPeerPatience);
  }
  calls_.insert(call);
  lock.unlock();
  meter_.Begin();
  stub->UnaryCall(&call->context, kMethod, {}, &call->request, &call->response,
                  [this, call](const grpc::Status& status) { OnAnswer(call, status); });
  lock.lock();
}

bool BlockClient::Settle(Call& call, const grpc::Status& status, std::optional<Error>& error) {
  Piece& piece = call.piece;
  if (status.ok() && Accept(call)) return true;
  const std::string why = status.ok() ? "an answer of the wrong size" : status.error_message();
  const std::lock_guard lock(mutex_);
  if (!ending_) {
    const bool sent_on = status.error_code() == grpc::StatusCode::NOT_FOUND && !why.empty();
    if (!piece.peer.empty()) {
      piece.peer.clear();
      piece.only_here = true;
    } else if (sent_on && !piece.only_here) {
      FollowRedirection(piece, call.context, why);
    } else if (status.error_code() != grpc::StatusCode::UNAVAILABLE ||
               ++piece.attempts == kMaxAttempts) {
      error =
          Error{ErrorCode::kUnavailable, why.empty() ? "the coordinator has no such block" : why};
      return true;
    }
    queue_.push_front(std::move(piece));
    return false;
  }
  error = Error{ErrorCode::kUnavailable, "the worker ends"};
  return true;
}

bool BlockClient::Accept(Call& call) {
  const Piece& piece = call.piece;
  const std::span<char> into = piece.transfer->into.subspan(piece.offset, piece.size);
  const bool fits = CopyTo(into, call.response);
  if (piece.peer.empty()) return fits;
  if (fits && protocol::Sha256Of({into.data(), into.size()}) == piece.digest) return true;
  connections_.Distrust(piece.peer, "block " + std::to_string(piece.transfer->id));
  return false;
}

void BlockClient::FollowRedirection(Piece& piece, const grpc::ClientContext& context,
                                    const std::string& holder) {
  const auto& metadata = context.GetServerTrailingMetadata();
  const auto digest = metadata.find(protocol::kPieceDigestKey);
  if (!connections_.Trusts(holder) || digest == metadata.end() ||
      digest->second.size() != piece.digest.size()) {
    piece.only_here = true;
    return;
  }
  std::copy(digest->second.begin(), digest->second.end(), piece.digest.begin());
  piece.peer = holder;
}

void BlockClient::OnAnswer(Call* call, const grpc::Status& status) {
  std::optional<Error> error;
  const std::shared_ptr<Transfer> transfer = call->piece.transfer;
  meter_.End(status.ok() ? static_cast<std::int64_t>(call->piece.size) : 0);
  const bool over = Settle(*call, status, error);
  bool last = false;
  {
    Lock lock(mutex_);
    if (error && !transfer->error) transfer->error = error;
    last = over && --transfer->left == 0;
  }
  if (last)
    transfer->done(transfer->error ? Result<void>(tl::unexpected(*transfer->error))
                                   : Result<void>());
  Lock lock(mutex_);
  calls_.erase(call);
  // Before the destructor can go on: the context may be the last owner of a channel, which must not
  // end on a thread of gRPC.
  delete call;
  Pump(lock);
  if (calls_.empty())
    idle_.notify_all();  // under the lock: this object may be destroyed right after
}

}  // namespace evenkeel::worker
