#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/rng.h"
#include "core/base/time.h"
#include "operator/kube/page_reader.h"
#include "operator/kube/reflector_options.h"
#include "operator/kube/watch_event.h"

namespace evenkeel::kube {

enum class ReflectorRequestKind {
  kPage,  ///< one page of a LIST
  kWatch  ///< a stream of events, perhaps with the list as its beginning
};

/// What to ask the API server next.
struct ReflectorRequest {
  ReflectorRequestKind kind = ReflectorRequestKind::kPage;
  std::string target;  ///< path and query
  Duration timeout{};  ///< of a page as a whole, of a stream's silences
  Instant not_before{};
  bool begins_list = false;  ///< what arrives from now on is the whole set, from its beginning
};

/// Why a request brought nothing.
struct RequestFailure {
  int status = 0;  ///< 0: no HTTP answer, or one that could not be read
  std::optional<Duration> retry_after;
};

/// What a page brought.
enum class PageVerdict { kMore, kListComplete, kTooMany };

/// What to do with an event of a watch.
enum class WatchVerdict {
  kApply,         ///< put or remove the object, read on
  kIgnore,        ///< nothing to keep, read on
  kListComplete,  ///< the whole set has arrived, read on
  kStop           ///< end the stream
};

/// Decides what a reflector asks for and when, so that its store follows the API server: a list
/// (streamed where offered, else in pages), then watches, each from where the last one ended, and a
/// new list when that is no longer to be had (410). Told everything it knows, time included, so it
/// runs under a virtual clock. Not thread-safe.
class ReflectorMachine {
 public:
  ReflectorMachine(const ReflectorOptions& options, std::uint64_t seed);

  /// The next request. Call Started() when it goes out, then tell its outcome.
  [[nodiscard]] ReflectorRequest Next();
  void Started(Instant now) {
    started_ = now;
    started_as_ = phase_;
  }

  /// A page was read. After kTooMany the list begins anew, later.
  [[nodiscard]] PageVerdict PageRead(const PageSummary& page, Instant now);
  /// An event arrived.
  [[nodiscard]] WatchVerdict Saw(const WatchEvent& event);
  /// A stream that had been accepted is over, for whatever reason.
  void StreamEnded(Instant now);
  /// A page could not be had, or a stream was not accepted.
  void Failed(const RequestFailure& failure, Instant now);

 private:
  enum class Phase { kPagedList, kStreamedList, kWatch };

  [[nodiscard]] ReflectorRequest PageRequest() const;
  [[nodiscard]] ReflectorRequest WatchRequest();
  [[nodiscard]] WatchVerdict SawError(const WatchEvent& event);
  [[nodiscard]] WatchVerdict SawBookmark(const WatchEvent& event);
  [[nodiscard]] WatchVerdict SawObject(const WatchEvent& event);
  void PageFailed(const RequestFailure& failure);
  void StreamedListFailed(int status);
  void WatchFailed(int status);
  void NoteRefusal();
  void ListSoon(Instant now);
  void ListAnew();
  void WatchFrom(const std::string& version);
  [[nodiscard]] int WatchSeconds();

  ReflectorOptions options_;
  Rng rng_;
  ReconnectBackoff backoff_;
  Phase phase_;
  std::string version_;         ///< where the next watch begins
  std::string continue_token_;  ///< of the next page; empty on the first
  bool streaming_offered_;      ///< until the server says no
  bool unpaged_ = false;        ///< pages ran out of date: everything at once
  int streaming_failures_ = 0;  ///< streamed lists in a row that did not complete
  int refusals_ = 0;            ///< watches in a row that were refused or ended by an error event
  bool expired_ = false;        ///< the watch under way said that its version is gone
  std::optional<Instant> listed_soon_;  ///< when a list last did not wait for the pause
  std::int64_t listed_ = 0;             ///< items of this list so far
  Instant started_{};
  Phase started_as_ = Phase::kPagedList;  ///< what the request under way asked for
  Instant not_before_{};
};

}  // namespace evenkeel::kube
