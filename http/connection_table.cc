#include "http/connection_table.h"

#include <utility>

namespace evenkeel::http {

ConnectionTable::Connections::iterator ConnectionTable::LongestIdle(const std::string* address) {
  auto longest = connections_.end();
  for (auto it = connections_.begin(); it != connections_.end(); ++it) {
    if (it->second.busy || (address != nullptr && it->second.address != *address)) continue;
    if (longest == connections_.end() || it->second.idle_since < longest->second.idle_since) {
      longest = it;
    }
  }
  return longest;
}

std::optional<ConnectionTable::Id> ConnectionTable::Admit(const std::string& address,
                                                          std::function<void()> close) {
  std::function<void()> close_removed;
  Id id = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto known = per_address_.find(address);
    const bool address_full = known != per_address_.end() && known->second >= max_per_address_;
    if (address_full || connections_.size() >= max_connections_) {
      const auto removed = LongestIdle(address_full ? &address : nullptr);
      if (removed == connections_.end()) return std::nullopt;
      close_removed = std::move(removed->second.close);
      const auto count = per_address_.find(removed->second.address);
      if (--count->second == 0) per_address_.erase(count);
      connections_.erase(removed);
    }
    id = next_id_++;
    connections_.emplace(id, Connection{address, std::move(close), false, next_idle_++});
    ++per_address_[address];
  }
  if (close_removed) close_removed();
  return id;
}

bool ConnectionTable::BeginRequest(Id id) {
  const std::lock_guard lock(mutex_);
  const auto it = connections_.find(id);
  if (it == connections_.end()) return false;
  it->second.busy = true;
  return true;
}

void ConnectionTable::EndRequest(Id id) {
  const std::lock_guard lock(mutex_);
  const auto it = connections_.find(id);
  if (it == connections_.end()) return;
  it->second.busy = false;
  it->second.idle_since = next_idle_++;
}

void ConnectionTable::Remove(Id id) {
  const std::lock_guard lock(mutex_);
  const auto it = connections_.find(id);
  if (it == connections_.end()) return;
  const auto count = per_address_.find(it->second.address);
  if (--count->second == 0) per_address_.erase(count);
  connections_.erase(it);
}

}  // namespace evenkeel::http
