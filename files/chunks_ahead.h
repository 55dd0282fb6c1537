#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>

namespace evenkeel::files {

/// Obtains chunks of one file before their turn, on a thread of its own and on the caller's thread
/// while that waits. The caller takes all chunks in order and obtains those itself that could not
/// be obtained ahead. Take is for one thread.
class ChunksAhead {
 public:
  /// Maximum number of chunks that are obtained beyond the one that was taken last.
  static constexpr std::size_t kChunksAhead = 2;
  /// Obtains the chunk at a place; false if it cannot be had now. Called by two threads at a time,
  /// at most once for each place.
  using Obtain = std::function<bool(std::size_t place)>;

  /// `count`: chunks of the file. Nothing is obtained before the first Take.
  ChunksAhead(std::size_t count, Obtain obtain);
  /// Waits for a call of `obtain` that is in progress.
  ~ChunksAhead() = default;
  ChunksAhead(const ChunksAhead&) = delete;
  ChunksAhead& operator=(const ChunksAhead&) = delete;

  /// Whether the chunk at `place` was obtained ahead; `place` is 0 in the first call and then one
  /// more in each. Waits if it is being obtained, and obtains later ones meanwhile. False if it was
  /// not begun or could not be obtained, and if `stop` is requested: then the caller obtains it.
  [[nodiscard]] bool Take(std::size_t place, const std::stop_token& stop);

 private:
  using Lock = std::unique_lock<std::mutex>;

  void Run(const std::stop_token& stop);
  /// Whether there is a chunk to obtain ahead. The lock must be held.
  [[nodiscard]] bool HasNext() const;
  /// Obtains it. Releases the lock meanwhile.
  void ObtainNext(Lock& lock);

  const std::size_t count_;
  const Obtain obtain_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::size_t front_ = 0;  // place of the last Take
  std::size_t next_ = 0;   // the first place that neither a Take nor ObtainNext has begun with
  std::map<std::size_t, bool> obtained_;  // false: it could not be had
  std::jthread thread_;                   // last: it uses the rest
};

}  // namespace evenkeel::files
