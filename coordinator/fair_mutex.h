#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace evenkeel::coordinator {

/// A mutex that admits its waiters in the order of their arrival. With std::mutex, a thread that
/// releases and takes it in a loop can keep others out for as long as the loop runs.
class FairMutex {
 public:
  void lock() {
    std::unique_lock lock(mutex_);
    const std::uint64_t ticket = next_ticket_++;
    released_.wait(lock, [&] { return ticket == admitted_; });
  }

  void unlock() {
    {
      const std::lock_guard lock(mutex_);
      ++admitted_;
    }
    released_.notify_all();
  }

  /// Number of threads that hold it or wait for it.
  [[nodiscard]] std::uint64_t Users() const {
    const std::lock_guard lock(mutex_);
    return next_ticket_ - admitted_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable released_;
  std::uint64_t next_ticket_ = 0;
  std::uint64_t admitted_ = 0;  // the ticket of the owner, or of the next one
};

}  // namespace evenkeel::coordinator
