#include "coordinator/loop_inbox.h"

#include <algorithm>
#include <utility>

namespace evenkeel::coordinator {
namespace {

std::size_t ResultBytes(const LoopEvent& event) {
  const auto* received = std::get_if<MessageReceived>(&event);
  const auto* report =
      received == nullptr ? nullptr : std::get_if<engine::Report>(&received->message);
  if (report == nullptr) return 0;
  std::size_t bytes = 0;
  for (const auto& done : report->completed) bytes += sizeof done + done.results.Bytes().size();
  for (const auto& failed : report->failed) bytes += sizeof failed + failed.record.size();
  return bytes;
}

std::optional<StreamId> StreamOf(const LoopEvent& event) {
  if (const auto* received = std::get_if<MessageReceived>(&event)) return received->stream;
  if (const auto* closed = std::get_if<StreamClosed>(&event)) return closed->stream;
  return std::nullopt;
}

bool IsHeartbeat(const LoopEvent& event) {
  const auto* received = std::get_if<MessageReceived>(&event);
  return received != nullptr && std::holds_alternative<engine::Report>(received->message) &&
         !CarriesResults(received->message);
}

void Subtract(std::unordered_map<StreamId, std::size_t>& counts, StreamId stream,
              std::size_t count) {
  const auto found = counts.find(stream);
  if (found == counts.end()) return;
  found->second -= count;
  if (found->second == 0) counts.erase(found);
}

}  // namespace

bool CarriesResults(const engine::ToCoordinator& message) {
  const auto* report = std::get_if<engine::Report>(&message);
  return report != nullptr && !(report->completed.empty() && report->failed.empty());
}

void LoopInbox::Post(LoopEvent event) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  if (const std::size_t bytes = ResultBytes(event); bytes > 0) {
    result_bytes_ += bytes;
    result_bytes_of_[*StreamOf(event)] += bytes;
  }
  waiting_.push_back(std::move(event));
  filled_.notify_one();
}

bool LoopInbox::MayReadOn(StreamId stream) {
  const std::lock_guard lock(mutex_);
  if (closed_ || !IsFullFor(stream)) return true;
  unread_.insert(stream);
  return false;
}

// Streams that only send heartbeats are read however many bytes of results wait.
bool LoopInbox::IsFullFor(StreamId stream) const {
  return waiting_.size() >= limits_.events ||
         (result_bytes_ >= limits_.bytes && result_bytes_of_.contains(stream));
}

void LoopInbox::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

void LoopInbox::HoldResults(bool hold) {
  const std::lock_guard lock(mutex_);
  hold_ = hold;
}

LoopEvent LoopInbox::PopFront(std::deque<LoopEvent>& lane) {
  LoopEvent event = std::move(lane.front());
  lane.pop_front();
  return event;
}

void LoopInbox::HoldBack(StreamId stream, LoopEvent event) {
  ++held_of_[stream];
  held_.push_back(std::move(event));
}

std::optional<LoopEvent> LoopInbox::Take() {
  const std::lock_guard lock(mutex_);
  if (!hold_ && !held_.empty()) {
    LoopEvent event = PopFront(held_);
    const StreamId stream = *StreamOf(event);
    Subtract(held_of_, stream, 1);
    if (const std::size_t bytes = ResultBytes(event); bytes > 0) {
      result_bytes_ -= bytes;
      Subtract(result_bytes_of_, stream, bytes);
    }
    return event;
  }
  while (!waiting_.empty()) {
    LoopEvent event = PopFront(waiting_);
    const std::size_t bytes = ResultBytes(event);
    const auto stream = StreamOf(event);
    const bool behind_held = stream && held_of_.contains(*stream) && !IsHeartbeat(event);
    if (hold_ && (bytes > 0 || behind_held)) {
      const bool heard = std::holds_alternative<MessageReceived>(event);
      HoldBack(*stream, std::move(event));
      if (heard) return StreamHeard{*stream};
      continue;
    }
    if (bytes > 0) {
      result_bytes_ -= bytes;
      Subtract(result_bytes_of_, *stream, bytes);
    }
    return event;
  }
  return std::nullopt;
}

std::size_t LoopInbox::Size() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size() + (hold_ ? 0 : held_.size());
}

bool LoopInbox::HasUnreadStreams() const {
  const std::lock_guard lock(mutex_);
  return !unread_.empty();
}

std::vector<StreamId> LoopInbox::TakeReadable() {
  const std::lock_guard lock(mutex_);
  std::vector<StreamId> readable;
  if (unread_.empty() || waiting_.size() > limits_.events / 2) return readable;
  const bool room = result_bytes_ <= limits_.bytes / 2;
  for (auto stream = unread_.begin(); stream != unread_.end();) {
    if (!room && result_bytes_of_.contains(*stream)) {
      ++stream;
      continue;
    }
    readable.push_back(*stream);
    stream = unread_.erase(stream);
  }
  return readable;
}

void LoopInbox::WaitUntil(Instant deadline, const Clock& clock) {
  std::unique_lock lock(mutex_);
  while (waiting_.empty() && (hold_ || held_.empty())) {
    const Instant now = clock.Now();
    if (now >= deadline) return;
    if (deadline == kNever) {
      filled_.wait(lock);
    } else {
      filled_.wait_for(lock, deadline - now);
    }
  }
}

}  // namespace evenkeel::coordinator
