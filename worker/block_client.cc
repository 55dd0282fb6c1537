#include "worker/block_client.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/protocol/limits.h"

namespace evenkeel::worker {

BlockClient::BlockClient(const Options& options, ChunkFetcher& chunks)
    : options_(options), chunks_(chunks) {
  for (std::int64_t n = 0; n < options_.window; ++n) {
    threads_.emplace_back([this](const std::stop_token& stop) { Run(stop); });
  }
}

BlockClient::~BlockClient() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
  for (const Piece& piece : queue_) {
    End(*piece.transfer, Fail(ErrorCode::kUnavailable, "the worker ends"));
  }
}

void BlockClient::Fetch(workloads::BlockId id, std::span<char> into, Done done) {
  constexpr auto kPiece = static_cast<std::size_t>(protocol::kPieceBytes);
  const std::size_t pieces = (into.size() + kPiece - 1) / kPiece;
  const auto transfer = std::make_shared<Transfer>(
      Transfer{id, into, std::move(done), static_cast<std::int64_t>(pieces), {}});
  const std::lock_guard lock(mutex_);
  for (std::size_t offset = 0; offset < into.size(); offset += kPiece) {
    queue_.push_back({transfer, offset, std::min(kPiece, into.size() - offset)});
  }
  changed_.notify_all();
}

void BlockClient::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return refilling_ && !queue_.empty(); })) {
    if (stop.stop_requested()) return;
    const Piece piece = std::move(queue_.front());
    queue_.pop_front();
    if (++under_way_ >= options_.window) refilling_ = false;
    lock.unlock();
    const Result<void> fetched = FetchPiece(piece, stop);
    lock.lock();
    if (--under_way_ <= options_.refresh_at && !refilling_) {
      refilling_ = true;
      changed_.notify_all();
    }
    lock.unlock();
    End(*piece.transfer, fetched);
    lock.lock();
  }
}

Result<void> BlockClient::FetchPiece(const Piece& piece, const std::stop_token& stop) {
  const auto size = static_cast<std::int64_t>(piece.size);
  const protocol::BlockPlace place{piece.transfer->id, static_cast<std::int64_t>(piece.offset),
                                   size};
  const auto bytes = chunks_.Fetch({place, size, std::nullopt}, stop);
  if (!bytes) return tl::unexpected(bytes.error());
  char* out = piece.transfer->into.data() + piece.offset;
  for (const std::string_view part : bytes->Parts()) {
    std::memcpy(out, part.data(), part.size());
    out += part.size();
  }
  return {};
}

void BlockClient::End(Transfer& transfer, const Result<void>& fetched) {
  {
    const std::lock_guard lock(mutex_);
    if (!fetched && !transfer.error) transfer.error = fetched.error();
    if (--transfer.left > 0) return;
  }
  transfer.done(transfer.error ? Result<void>(tl::unexpected(*transfer.error)) : Result<void>());
}

}  // namespace evenkeel::worker
