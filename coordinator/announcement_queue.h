#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace evenkeel::coordinator {

/// The announcements of nodes about the files in their caches (files::VersionKey of each). A thread
/// of the queue handles one after the other, in the order of the nodes, because the handler may
/// block on the disk while other threads serve files. Announcements are hints, so this may lose
/// some. Thread-safe.
class AnnouncementQueue {
 public:
  /// Keys of all announcements that wait: 16 MiB.
  static constexpr std::size_t kMaxKeys = std::size_t{2} << 20;
  static constexpr std::size_t kMaxNodes = 10'000;
  /// Called by the thread of the queue. Should return soon when `stop` is requested.
  using Handler =
      std::function<void(const std::string& node, const std::vector<std::uint64_t>& keys,
                         const std::stop_token& stop)>;

  explicit AnnouncementQueue(Handler handler);
  /// Drops what waits, and waits for a call of the handler that is in progress.
  ~AnnouncementQueue() = default;
  AnnouncementQueue(const AnnouncementQueue&) = delete;
  AnnouncementQueue& operator=(const AnnouncementQueue&) = delete;

  /// Does not wait for the handler. Replaces an announcement of the same node that waits, in its
  /// place. Ignored if more than kMaxKeys or kMaxNodes would wait.
  void Put(const std::string& node, std::vector<std::uint64_t> keys);

 private:
  void Run(const std::stop_token& stop);

  const Handler handler_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any filled_;
  std::map<std::string, std::vector<std::uint64_t>> waiting_;  // keys of each node
  std::deque<std::string> order_;                              // the nodes in waiting_
  std::size_t keys_ = 0;                                       // in waiting_
  std::jthread thread_;                                        // last: it uses the rest
};

}  // namespace evenkeel::coordinator
