#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/fake_api/http_request.h"
#include "tests/support/fake_api/object_store.h"
#include "tests/support/fake_api_server.h"

namespace evenkeel::support {

/// A watch that is open.
struct OpenWatch {
  std::string target;
  std::optional<WatchEnd> end;  ///< how it has to end, once it has to
  bool bookmark_due = false;
};

/// All that the connections of a fake server share. Everything but `changed` is guarded by `mutex`.
struct FakeApiWorld {
  mutable std::mutex mutex;
  mutable std::condition_variable changed;  ///< anything below may be another

  ObjectStore store;
  std::list<Fault> faults;
  int streaming_lists_status = 0;
  std::set<std::string> accepted_tokens;
  std::size_t chunk_bytes = 0;
  bool events_held = false;
  bool down = false;

  std::deque<SeenRequest> requests;  ///< grows at its end only: references stay good
  std::list<OpenWatch> watches;
};

/// Whether a request of this method and target is meant.
[[nodiscard]] bool Fits(const RequestFilter& filter, const std::string& method,
                        const std::string& target, bool is_watch);
[[nodiscard]] bool Fits(const RequestFilter& filter, const SeenRequest& request);
[[nodiscard]] bool Fits(const RequestFilter& filter, const OpenWatch& watch);

/// The fault that this request meets, which is used up by it; lock held.
[[nodiscard]] std::optional<Fault> TakeFault(FakeApiWorld& world, const HttpRequest& request);

}  // namespace evenkeel::support
