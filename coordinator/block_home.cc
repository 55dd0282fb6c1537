#include "coordinator/block_home.h"

#include <algorithm>

namespace evenkeel::coordinator {
namespace {

// More would not make a block easier to get.
constexpr std::size_t kMaxHolders = 4;

}  // namespace

std::string BlockHome::Redirect(const protocol::PieceCall& call) {
  if (!between_workers_) return {};
  const std::lock_guard lock(mutex_);
  const auto found = holders_.find(call.block);
  if (found == holders_.end()) return {};
  Holders& holders = found->second;
  for (std::size_t n = 0; n < holders.size(); ++n) {
    const std::string holder = holders.front();
    std::rotate(holders.begin(), holders.begin() + 1, holders.end());
    if (holder != call.client) return holder;
  }
  return {};
}

Result<void> BlockHome::Read(const protocol::PieceCall& call, std::span<char> into) {
  if (auto read = blocks_.Read(call.block, call.offset, into); !read) return read;
  // With its last piece the client has the block, or nearly so.
  const bool last = call.offset + call.size == blocks_.SizeOf(call.block);
  if (!between_workers_ || !last || call.client.empty()) return {};
  const std::lock_guard lock(mutex_);
  Holders& holders = holders_[call.block];
  // The client was redirected to a holder that has dropped the block.
  if (call.only_here) holders.clear();
  if (std::find(holders.begin(), holders.end(), call.client) == holders.end()) {
    holders.push_front(call.client);
  }
  if (holders.size() > kMaxHolders) holders.pop_back();
  return {};
}

}  // namespace evenkeel::coordinator
