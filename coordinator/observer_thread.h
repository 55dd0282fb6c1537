#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "coordinator/coordinator_loop.h"

namespace evenkeel::coordinator {

/// Sees how a run goes. Called on a thread of its own, which may be held up without harm to the
/// run.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// Called every `ProgressInterval`, approximately, and at the end with the last snapshot.
  virtual void OnProgress(const engine::Progress& progress) = 0;
  [[nodiscard]] virtual Duration ProgressInterval() const = 0;
  /// More tasks have results that count. The record comes without the results' bytes.
  virtual void OnCounted(const model::ResultRecord& record) { (void)record; }
  /// `tasks` tasks counted, which took `busy` together. Replaces OnCounted for records that the
  /// observer was too slow to receive; the journal has them.
  virtual void OnCountedUnseen(std::int64_t tasks, Duration busy) {
    (void)tasks;
    (void)busy;
  }
  /// Something happened that is no result, such as a move or a prediction. An observer that is too
  /// slow misses the oldest.
  virtual void OnEvent(const model::TimelineEvent& event) { (void)event; }
  /// Tasks were appended: this is the job from now on.
  virtual void OnNewVersion(const SharedJobVersion& version) { (void)version; }
};

/// Queue of notices for an observer. Bounded: it keeps only the latest progress, merges results
/// beyond the limit into a sum, and drops the oldest events beyond the limit. Not thread-safe.
class NoticeQueue {
 public:
  static constexpr std::size_t kMaxNotices = 65'536;

  explicit NoticeQueue(std::size_t limit = kMaxNotices) : limit_(limit) {}

  void Put(RunNotice notice);
  void PutProgress(engine::Progress progress) { progress_ = std::move(progress); }
  /// Whether it is time to deliver. Notices alone can wait for the next progress, so that an
  /// observer is not woken for each of them.
  [[nodiscard]] bool Due() const { return progress_ || notices_.size() >= limit_ / 2; }
  /// Tells the observer all of it: notices in their order, then the latest progress.
  void DeliverTo(RunObserver& observer);

 private:
  void DropOldest();

  std::size_t limit_;
  std::deque<RunNotice> notices_;
  std::deque<SharedJobVersion> versions_;  // pushed out of notices_: never lost
  std::int64_t unseen_tasks_ = 0;
  Duration unseen_busy_{};
  std::optional<engine::Progress> progress_;
};

/// Tells an observer what the loop shows, on a thread of its own.
class ObserverThread final : public ProgressSink {
 public:
  /// Both must outlive this.
  ObserverThread(RunObserver& observer, const Clock& clock);
  /// Delivers the remaining notices.
  ~ObserverThread() override;
  ObserverThread(const ObserverThread&) = delete;
  ObserverThread& operator=(const ObserverThread&) = delete;

  [[nodiscard]] Instant NextProgress() const override;
  void PutProgress(engine::Progress progress) override;
  void Put(RunNotice notice) override;

 private:
  void Run();

  RunObserver& observer_;
  const Clock& clock_;
  std::atomic<Duration> interval_;
  Instant next_progress_;  // used by the loop only
  std::mutex mutex_;       // guards what follows
  std::condition_variable changed_;
  NoticeQueue queue_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace evenkeel::coordinator
