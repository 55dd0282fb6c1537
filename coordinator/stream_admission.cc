#include "coordinator/stream_admission.h"

namespace evenkeel::coordinator {

StreamAdmission::Verdict StreamAdmission::Admit(const std::string& name, StreamId stream,
                                                Instant now) {
  const auto [found, is_new] = peers_.try_emplace(name);
  Peer& peer = found->second;
  if (is_new) {
    peer.refilled = now;
    ++idle_;
  }
  Refill(peer, now);
  Verdict verdict;
  if (peer.tokens == 0) return verdict;
  --peer.tokens;
  if (peer.open.empty()) --idle_;
  if (peer.open.size() == kStreamsEach) {
    verdict.displaced = peer.open.front();
    peer.open.erase(peer.open.begin());
  }
  peer.open.push_back(stream);
  verdict.admitted = true;
  return verdict;
}

void StreamAdmission::Remove(const std::string& name, StreamId stream) {
  const auto found = peers_.find(name);
  if (found == peers_.end() || std::erase(found->second.open, stream) == 0) return;
  if (!found->second.open.empty()) return;
  if (++idle_ <= kMaxIdle) return;
  // Each of them needed a certificate of its own, so forgetting their rates costs little.
  std::erase_if(peers_, [](const auto& entry) { return entry.second.open.empty(); });
  idle_ = 0;
}

void StreamAdmission::Refill(Peer& peer, Instant now) {
  const auto earned = (now - peer.refilled) / kRefill;
  if (earned >= kBurst - peer.tokens) {
    peer.tokens = kBurst;
    peer.refilled = now;
  } else {
    peer.tokens += static_cast<int>(earned);
    peer.refilled += earned * kRefill;
  }
}

}  // namespace evenkeel::coordinator
