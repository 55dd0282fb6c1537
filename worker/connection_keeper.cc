#include "worker/connection_keeper.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace evenkeel::worker {
namespace {

// For an attempt to connect; later ones may take as long as the coordinator has been away.
constexpr Duration kShortestAttempt = std::chrono::seconds(3);
// A worker may well start before its coordinator; after that, its log must not be flooded.
constexpr Duration kQuietAttempts = std::chrono::seconds(3);
constexpr Duration kComplaintInterval = std::chrono::minutes(1);

// With this factor and jitter a pause is about a third of the time waited so far, so a coordinator
// that comes back is found soon.
constexpr platform::BackoffOptions kReconnect{.shortest = std::chrono::milliseconds(50),
                                              .longest = std::chrono::seconds(5),
                                              .factor = 1.25,
                                              .jitter = {.least = 0.5, .most = 1}};

std::string Format(Duration time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", ToSeconds(time));
  return text;
}

}  // namespace

ConnectionKeeper::ConnectionKeeper(Options options)
    : options_(std::move(options)), rng_(options_.seed), backoff_(kReconnect) {}

ConnectionKeeper::Attempt ConnectionKeeper::StartAttempt(Instant now) {
  open_ = true;
  heard_ = false;
  // The first packets to an address that is not served yet may be lost without an answer.
  if (!lost_at_) lost_at_ = now;
  const Duration away = now - *lost_at_;
  return {++stream_, std::min(std::max(away, kShortestAttempt), options_.connect_timeout)};
}

bool ConnectionKeeper::OnHeard(std::uint64_t stream) {
  if (!IsCurrent(stream)) return false;
  heard_ = true;
  lost_at_.reset();
  backoff_.Reset();
  return true;
}

std::optional<std::string> ConnectionKeeper::OnClosed(const std::string& reason, Instant now) {
  open_ = false;
  connect_at_ = now + backoff_.Next(rng_.Unit());
  if (heard_) {
    lost_at_ = now;
    return "lost the coordinator: " + reason;
  }
  // A coordinator that is about to start is no news; one that does not answer is, now and then.
  if (!next_complaint_) {
    next_complaint_ = now + kQuietAttempts;
    return std::nullopt;
  }
  if (now < *next_complaint_) return std::nullopt;
  next_complaint_ = now + kComplaintInterval;
  return "no coordinator at " + options_.address + ": " + reason;
}

Instant ConnectionKeeper::GiveUpAt() const {
  return lost_at_ && options_.give_up_after ? *lost_at_ + *options_.give_up_after : kNever;
}

std::string ConnectionKeeper::GiveUpReason() const {
  return "no coordinator at " + options_.address + " for " + Format(*options_.give_up_after);
}

Instant ConnectionKeeper::NextTimer() const {
  return open_ ? GiveUpAt() : std::min(connect_at_, GiveUpAt());
}

}  // namespace evenkeel::worker
