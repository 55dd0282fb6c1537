#pragma once

#include <functional>
#include <optional>
#include <string>

#include "coordinator/live/live_feed.h"
#include "http/http_message.h"

namespace evenkeel::coordinator {

/// / is the live page, /live.json?since=AT what it asks for. Thread-safe.
class LiveHandler {
 public:
  /// `feed` and `snapshots` must outlive this; `state` is called on several threads.
  LiveHandler(LiveFeed& feed, const SnapshotSource& snapshots, std::function<LiveState()> state)
      : feed_(feed), snapshots_(snapshots), state_(std::move(state)) {}

  /// Nothing if it is neither of the two.
  [[nodiscard]] std::optional<http::HttpResponse> Handle(const http::HttpRequest& request);

 private:
  [[nodiscard]] http::HttpResponse Page() const;
  [[nodiscard]] http::HttpResponse Data(const std::string& target);

  LiveFeed& feed_;
  const SnapshotSource& snapshots_;
  const std::function<LiveState()> state_;
};

}  // namespace evenkeel::coordinator
