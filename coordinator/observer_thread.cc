#include "coordinator/observer_thread.h"

#include <utility>
#include <variant>

namespace evenkeel::coordinator {

void NoticeQueue::Put(RunNotice notice) {
  if (notices_.size() >= limit_) DropOldest();
  notices_.push_back(std::move(notice));
}

void NoticeQueue::DropOldest() {
  RunNotice oldest = std::move(notices_.front());
  notices_.pop_front();
  if (const auto* record = std::get_if<model::ResultRecord>(&oldest)) {
    unseen_tasks_ += record->range.Size();
    unseen_busy_ += record->busy;
  } else if (auto* version = std::get_if<SharedJobVersion>(&oldest)) {
    versions_.push_back(std::move(*version));
  }
}

void NoticeQueue::DeliverTo(RunObserver& observer) {
  for (const auto& version : versions_) observer.OnNewVersion(version);
  versions_.clear();
  if (unseen_tasks_ > 0) {
    observer.OnCountedUnseen(std::exchange(unseen_tasks_, 0), std::exchange(unseen_busy_, {}));
  }
  for (const RunNotice& notice : notices_) {
    if (const auto* record = std::get_if<model::ResultRecord>(&notice)) {
      observer.OnCounted(*record);
    } else if (const auto* event = std::get_if<model::TimelineEvent>(&notice)) {
      observer.OnEvent(*event);
    } else {
      observer.OnNewVersion(std::get<SharedJobVersion>(notice));
    }
  }
  notices_.clear();
  if (progress_) observer.OnProgress(*std::exchange(progress_, {}));
}

ObserverThread::ObserverThread(RunObserver& observer, const Clock& clock)
    : observer_(observer),
      clock_(clock),
      interval_(observer.ProgressInterval()),
      next_progress_(clock.Now()),
      thread_([this] { Run(); }) {}

ObserverThread::~ObserverThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

Instant ObserverThread::NextProgress() const { return next_progress_; }

void ObserverThread::PutProgress(engine::Progress progress) {
  next_progress_ = clock_.Now() + interval_.load();
  const std::lock_guard lock(mutex_);
  queue_.PutProgress(std::move(progress));
  changed_.notify_one();
}

void ObserverThread::Put(RunNotice notice) {
  const std::lock_guard lock(mutex_);
  queue_.Put(std::move(notice));
  if (queue_.Due()) changed_.notify_one();
}

void ObserverThread::Run() {
  for (bool last = false; !last;) {
    NoticeQueue news;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return queue_.Due() || ending_; });
      last = ending_;
      std::swap(news, queue_);
    }
    news.DeliverTo(observer_);
    interval_ = observer_.ProgressInterval();
  }
}

}  // namespace evenkeel::coordinator
