#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>

namespace evenkeel::coordinator {

/// The workers that have got one block or chunk, by their "HOST:PORT". Requests are sent to one
/// after the other. Not thread-safe.
class Holders {
 public:
  /// More would not make the data easier to get.
  static constexpr std::size_t kMost = 4;

  /// The worker that this client should ask, which is not itself; empty: there is none.
  [[nodiscard]] std::string Next(const std::string& client) {
    for (std::size_t n = 0; n < workers_.size(); ++n) {
      std::rotate(workers_.begin(), workers_.begin() + 1, workers_.end());
      if (workers_.back() != client) return workers_.back();
    }
    return {};
  }
  /// The client gets the data from the coordinator. `only_here`: it was redirected to a worker that
  /// has removed them, or has sent wrong bytes, so the others are forgotten.
  void Note(const std::string& client, bool only_here) {
    if (only_here) workers_.clear();
    if (std::find(workers_.begin(), workers_.end(), client) == workers_.end()) {
      workers_.push_front(client);
    }
    if (workers_.size() > kMost) workers_.pop_back();
  }

 private:
  std::deque<std::string> workers_;  // the next one to be named in front
};

}  // namespace evenkeel::coordinator
