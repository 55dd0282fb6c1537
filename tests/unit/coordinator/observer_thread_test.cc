#include "coordinator/observer_thread.h"

#include <gtest/gtest.h>

#include <future>

#include "tests/unit/coordinator/job_fakes.h"

namespace evenkeel::coordinator {
namespace {

using std::chrono::seconds;

/// Sums up the notices; can be blocked.
class SummingObserver final : public RunObserver {
 public:
  void OnProgress(const engine::Progress& progress) override {
    latest = progress;
    ++drawings;
    if (drawings == 1) begun.set_value();
    held_up.wait();
  }
  [[nodiscard]] Duration ProgressInterval() const override { return seconds(1); }
  void OnCounted(const model::ResultRecord& record) override {
    tasks += record.range.Size();
    busy += record.busy;
    ++records;
  }
  void OnCountedUnseen(std::int64_t count, Duration time) override {
    tasks += count;
    busy += time;
  }
  void OnEvent(const model::TimelineEvent& event) override { events.push_back(event.detail); }
  void OnNewVersion(const SharedJobVersion& version) override { versions.push_back(version); }

  std::shared_future<void> held_up = [] {
    std::promise<void> ready;
    ready.set_value();
    return ready.get_future().share();
  }();
  std::promise<void> begun;
  engine::Progress latest;
  int drawings = 0;
  int records = 0;
  std::int64_t tasks = 0;
  Duration busy{};
  std::vector<std::string> events;
  std::vector<SharedJobVersion> versions;
};

model::ResultRecord RecordOf(std::int64_t begin, std::int64_t tasks) {
  model::ResultRecord record;
  record.range = {begin, begin + tasks};
  record.busy = seconds(tasks);
  return record;
}

model::TimelineEvent EventOf(std::string detail) {
  model::TimelineEvent event;
  event.detail = std::move(detail);
  return event;
}

TEST(NoticeQueue, LosesNoTasksAndNoVersionHoweverSlowTheObserverIs) {
  const auto version = std::make_shared<const JobVersion>(FakeSpec(),  //
                                                          std::make_shared<FakeWorkload>(5));
  NoticeQueue queue(10);
  queue.Put(version);
  queue.Put(EventOf("first"));
  for (int i = 0; i < 1000; ++i) queue.Put(RecordOf(2 * i, 2));
  queue.Put(EventOf("last"));
  SummingObserver observer;
  queue.DeliverTo(observer);
  EXPECT_EQ(observer.tasks, 2000);
  EXPECT_EQ(observer.busy, seconds(2000));
  EXPECT_EQ(observer.records, 9) << "memory is bounded";
  EXPECT_EQ(observer.events, std::vector<std::string>{"last"});
  EXPECT_EQ(observer.versions, std::vector<SharedJobVersion>{version});
  queue.DeliverTo(observer);
  EXPECT_EQ(observer.tasks, 2000) << "each is delivered once";
}

TEST(NoticeQueue, DeliversTheLatestProgressOnly) {
  NoticeQueue queue;
  EXPECT_FALSE(queue.Due());
  for (int i = 1; i <= 3; ++i) {
    engine::Progress progress;
    progress.tasks_completed = i;
    queue.PutProgress(progress);
  }
  EXPECT_TRUE(queue.Due());
  SummingObserver observer;
  queue.DeliverTo(observer);
  EXPECT_EQ(observer.latest.tasks_completed, 3);
  EXPECT_EQ(observer.drawings, 1);
}

TEST(ObserverThread, ABlockedObserverDoesNotBlockTheLoop) {
  const SteadyClock clock;
  SummingObserver observer;
  std::promise<void> let_go;
  observer.held_up = let_go.get_future().share();
  {
    ObserverThread thread(observer, clock);
    thread.PutProgress({});
    observer.begun.get_future().wait();
    for (int i = 0; i < 200'000; ++i) thread.Put(RecordOf(i, 1));
    engine::Progress last;
    last.tasks_completed = 200'000;
    thread.PutProgress(last);
    let_go.set_value();
  }
  EXPECT_EQ(observer.tasks, 200'000);
  EXPECT_EQ(observer.latest.tasks_completed, 200'000);
}

TEST(ObserverThread, WantsProgressAtTheObserversInterval) {
  const SteadyClock clock;
  SummingObserver observer;
  ObserverThread thread(observer, clock);
  EXPECT_LE(thread.NextProgress(), clock.Now());
  const Instant before = clock.Now();
  thread.PutProgress({});
  EXPECT_GE(thread.NextProgress(), before + seconds(1));
}

}  // namespace
}  // namespace evenkeel::coordinator
