#include "kubernetes/line_stream.h"

#include <utility>

namespace evenkeel::kube {
namespace {

bool HandOver(std::string_view line, LineSink& sink) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line.empty() || sink.OnLine(line);
}

}  // namespace

LineSplitter::Outcome LineSplitter::Feed(std::string_view bytes, LineSink& sink) {
  for (;;) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (piece.size() > max_line_bytes_ - begun_.size()) return Outcome::kTooLong;
    if (end == std::string_view::npos) {
      begun_.append(piece);
      return Outcome::kMore;
    }
    bytes.remove_prefix(end + 1);
    if (begun_.empty()) {
      if (!HandOver(piece, sink)) return Outcome::kStopped;
      continue;
    }
    begun_.append(piece);
    const bool more = HandOver(begun_, sink);
    begun_.clear();
    if (!more) return Outcome::kStopped;
  }
}

void BodyPipe::SetHead(int status, std::optional<Duration> retry_after) {
  {
    const std::lock_guard lock(mutex_);
    head_ = Response{status, "", retry_after};
  }
  changed_.notify_one();
}

void BodyPipe::Write(std::string_view bytes, Resume resume) {
  bool go_on = true;
  {
    const std::lock_guard lock(mutex_);
    go_on = !abandoned_;
    if (go_on) waiting_.append(bytes);
    if (go_on && waiting_.size() >= kMaxWaitingBytes) {
      held_up_ = std::exchange(resume, nullptr);
    }
  }
  changed_.notify_one();
  if (resume) resume(go_on);
}

void BodyPipe::Finish(std::optional<std::string> failure) {
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    finished_ = true;
    failure_ = std::move(failure);
  }
  changed_.notify_one();
}

void BodyPipe::OnAbandon(std::function<void()> cancel) {
  const std::lock_guard lock(mutex_);
  cancel_ = std::move(cancel);
}

BodyPipe::Piece BodyPipe::Next(Deadline deadline, const std::stop_token& stop) {
  Piece piece;
  Resume resume;
  {
    std::unique_lock lock(mutex_);
    const bool ready = changed_.wait_until(
        lock, stop, deadline, [this] { return finished_ || (head_ && !waiting_.empty()); });
    if (stop.stop_requested()) return {Piece::Kind::kStopped, ""};
    if (!ready) return {Piece::Kind::kLate, ""};
    if (!waiting_.empty() && head_) {
      piece = {Piece::Kind::kBytes, std::exchange(waiting_, {})};
      resume = std::exchange(held_up_, nullptr);
    } else if (failure_) {
      piece = {Piece::Kind::kFailed, *failure_};
    }
  }
  if (resume) resume(true);
  return piece;
}

Response BodyPipe::Head() const {
  const std::lock_guard lock(mutex_);
  return head_.value_or(Response{});
}

void BodyPipe::Abandon() {
  Resume resume;
  std::function<void()> cancel;
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    waiting_ = {};
    resume = std::exchange(held_up_, nullptr);
    cancel = std::exchange(cancel_, nullptr);
  }
  if (cancel) cancel();
  if (resume) resume(false);
}

}  // namespace evenkeel::kube
