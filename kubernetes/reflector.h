#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/base/time.h"
#include "kubernetes/object.h"
#include "kubernetes/pacing.h"
#include "kubernetes/store.h"
#include "kubernetes/transport.h"

namespace evenkeel::kube {

/// The metadata of a list and of one page of it.
struct PageSummary {
  std::string resource_version;  ///< the state of the cluster that the list shows
  std::string continue_token;    ///< for the next page; empty on the last one
  std::int64_t items = 0;
  std::size_t bytes = 0;  ///< of the body
};

/// Takes an item of a page; the object is gone after the call.
using ItemVisitor = std::function<void(const ObjectMeta& meta, const Json& object)>;

/// Reads the body of a LIST and hands its items over one by one, so that only one of them is held
/// as JSON at a time. Error: kInvalidInput for a body that is no list or an item without a name;
/// some items may have been visited by then.
[[nodiscard]] Result<PageSummary> ReadPage(const std::string& body, const ItemVisitor& visit);

enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark, kError };

/// One line of a watch.
struct WatchEvent {
  WatchEventType type = WatchEventType::kError;
  ObjectMeta meta;                  ///< a bookmark has a version only, an error nothing
  bool initial_events_end = false;  ///< a bookmark: the list that opened the stream is complete
  bool expired = false;             ///< an error: the version is gone, only a new list helps
  std::string message;              ///< an error: what the server says, one line
  Json object;                      ///< added, modified, deleted: the whole object
};

/// Reads a line of a watch. Error: kInvalidInput for what is no event, e.g. a line cut short.
[[nodiscard]] Result<WatchEvent> ReadWatchEvent(std::string_view line);

/// The collection that a reflector follows, and its limits.
struct ReflectorOptions {
  Resource resource;
  std::string namespace_name;  ///< empty: all, or a resource of the whole cluster
  std::string label_selector;
  std::string field_selector;
  bool metadata_only = false;  ///< objects have nothing but their metadata (PartialObjectMetadata)

  bool streaming_lists = true;  ///< asks for the list as the beginning of the watch
  /// Objects in the first page of a paged list, and at most in any; at least 1. Pages shrink while
  /// one has more than `max_page_bytes`, takes more than half of `list_timeout`, or does not
  /// arrive, and grow again after that. A transport should allow several times `max_page_bytes`.
  std::int32_t page_size = 500;
  std::size_t max_page_bytes = 8u << 20;
  std::int64_t max_items = 200000;  ///< a list with more is refused: it would not fit anyway

  Duration list_timeout = std::chrono::seconds(30);
  /// How long the server may let a watch stand; drawn anew for each, so that not all end at once.
  Duration shortest_watch = std::chrono::minutes(5);
  Duration longest_watch = std::chrono::minutes(10);
  /// A stream without a word for so long is given up. Bookmarks come once a minute.
  Duration idle_limit = std::chrono::seconds(75);
  ReconnectTimes reconnect;
};

enum class ReflectorRequestKind {
  kPage,  ///< one page of a LIST
  kWatch  ///< a stream of events, perhaps with the list as its beginning
};

/// The next request to the API server.
struct ReflectorRequest {
  ReflectorRequestKind kind = ReflectorRequestKind::kPage;
  std::string target;                       ///< path and query
  std::string accept = "application/json";  ///< media type of the answer
  Duration timeout{};                       ///< of a page as a whole, of a stream's silences
  Instant not_before{};
  bool begins_list = false;  ///< what arrives from now on is the whole set, from its beginning
};

/// Why a request brought nothing.
struct RequestFailure {
  int status = 0;  ///< 0: no HTTP answer, or one that could not be read
  std::optional<Duration> retry_after;
};

/// The result of a page.
enum class PageVerdict { kMore, kListComplete, kTooMany };

/// How the caller handles an event of a watch.
enum class WatchVerdict {
  kApply,         ///< put or remove the object, read on
  kIgnore,        ///< nothing to keep, read on
  kListComplete,  ///< the whole set has arrived, read on
  kStop           ///< end the stream
};

/// Decides what a reflector asks for and when, so that its store follows the API server: a list
/// (streamed where offered, else in pages), then watches, each from where the last one ended, and a
/// new list when that version has expired (410). The caller passes all answers and the time, so the
/// machine runs under a virtual clock. Not thread-safe.
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
  void AdaptPageSize(const PageSummary& page, Instant now);
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
  std::int64_t page_size_;      ///< objects in the next page, at least 1
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

/// Counters and the state of a reflector.
struct ReflectorStats {
  std::uint64_t lists = 0;     ///< completed, streamed or paged
  std::uint64_t watches = 0;   ///< streams asked for
  std::uint64_t failures = 0;  ///< requests without success and streams that broke
  std::string last_failure;    ///< one line; empty while all goes well
  Instant last_heard{};        ///< the last page, event or bookmark
};

/// Keeps a sink up to date with a collection of the API server, from a thread of its own that runs
/// a ReflectorMachine. The targets of `access` and the sink must outlive it. Stats() is
/// thread-safe; Start() and Stop() are for one owner.
class Reflector {
 public:
  /// `seed` spreads the times of many clients.
  Reflector(const ServerAccess& access, const ReflectorOptions& options, ObjectSink& sink,
            std::uint64_t seed);
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;
  ~Reflector();

  /// Once.
  void Start();
  /// Ends the watch and waits for the thread: at most as long as a page may take.
  void Stop();

  [[nodiscard]] ReflectorStats Stats() const;

 private:
  class Lines;

  void Run(const std::stop_token& stop);
  void FetchPage(const ReflectorRequest& request);
  void FinishPage(const Response& response);
  void Watch(const ReflectorRequest& request, const std::stop_token& stop);
  [[nodiscard]] bool TakeLine(std::string_view line);
  [[nodiscard]] bool TakeEvent(const WatchEvent& event);
  void CompleteList();
  void Heard();
  void NoteFailure(const std::string& what);
  void Refused(const Response& response);
  void Fail(const RequestFailure& failure, const std::string& what);

  const ServerAccess access_;
  const std::string path_;
  ObjectSink& sink_;
  ReflectorMachine machine_;

  mutable std::mutex mutex_;
  ReflectorStats stats_;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace evenkeel::kube
