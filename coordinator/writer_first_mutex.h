#pragma once

#include <condition_variable>
#include <mutex>

namespace evenkeel::coordinator {

/// A mutex for one resource that readers take and release again and again, for one row at a time. A
/// writer waits for one of these turns at most; with std::mutex it may wait until a reader is
/// through.
class WriterFirstMutex {
 public:
  void LockForWriting() {
    std::unique_lock lock(mutex_);
    ++waiting_writers_;
    changed_.wait(lock, [this] { return !taken_; });
    --waiting_writers_;
    taken_ = true;
  }
  void LockForReading() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !taken_ && waiting_writers_ == 0; });
    taken_ = true;
  }
  void Unlock() {
    {
      const std::lock_guard lock(mutex_);
      taken_ = false;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  int waiting_writers_ = 0;
  bool taken_ = false;
};

/// Holds a WriterFirstMutex as a writer.
class WriterLock {
 public:
  explicit WriterLock(WriterFirstMutex& mutex) : mutex_(mutex) { mutex_.LockForWriting(); }
  ~WriterLock() { mutex_.Unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  WriterFirstMutex& mutex_;
};

/// Holds a WriterFirstMutex as a reader, and lets go of it while the caller does something else.
class ReaderLock {
 public:
  explicit ReaderLock(WriterFirstMutex& mutex) : mutex_(mutex) { mutex_.LockForReading(); }
  ~ReaderLock() { mutex_.Unlock(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

  template <typename Call>
  auto Released(const Call& call) {
    mutex_.Unlock();
    auto result = call();
    mutex_.LockForReading();
    return result;
  }

 private:
  WriterFirstMutex& mutex_;
};

}  // namespace evenkeel::coordinator
