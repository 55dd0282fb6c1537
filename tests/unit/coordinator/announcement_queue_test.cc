#include "coordinator/announcement_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <utility>

namespace evenkeel::coordinator {
namespace {

using Keys = std::vector<std::uint64_t>;
using Handled = std::vector<std::pair<std::string, std::size_t>>;  // node, number of keys

constexpr auto kHandlerPatience = std::chrono::seconds(30);

/// A queue whose handler is held back until Release, or until the queue ends.
class AnnouncementQueueTest : public testing::Test {
 protected:
  AnnouncementQueueTest() {
    queue_.emplace([this](const std::string& node, const Keys& keys, const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      handled_.emplace_back(node, keys.size());
      changed_.notify_all();
      changed_.wait_for(lock, stop, kHandlerPatience, [this] { return released_; });
    });
  }

  void Release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  /// The announcements that were handled, once there are so many.
  Handled Await(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(
        changed_.wait_for(lock, kHandlerPatience, [&] { return handled_.size() >= count; }));
    return handled_;
  }
  /// The handler is held back with an announcement of this node.
  void HoldBackWith(const std::string& node) {
    queue_->Put(node, {});
    EXPECT_EQ(Await(1), (Handled{{node, 0}}));
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  bool released_ = false;
  Handled handled_;

 protected:
  std::optional<AnnouncementQueue> queue_;  // last: its handler uses the rest
};

TEST_F(AnnouncementQueueTest, ReturnsAtOnceAndHandlesInOrder) {
  HoldBackWith("first");
  queue_->Put("z", {1, 2});
  queue_->Put("a", {1});
  queue_->Put("m", {1, 2, 3});
  EXPECT_EQ(Await(1).size(), 1U) << "the others wait";
  Release();
  EXPECT_EQ(Await(4), (Handled{{"first", 0}, {"z", 2}, {"a", 1}, {"m", 3}}));
}

TEST_F(AnnouncementQueueTest, ALaterOneReplacesTheOneThatWaits) {
  HoldBackWith("first");
  queue_->Put("a", {1});
  queue_->Put("b", {1});
  queue_->Put("a", {1, 2, 3});
  queue_->Put("first", {1});
  Release();
  EXPECT_EQ(Await(4), (Handled{{"first", 0}, {"a", 3}, {"b", 1}, {"first", 1}}));
}

TEST_F(AnnouncementQueueTest, IgnoresWhatIsBeyondTheBoundOfKeys) {
  HoldBackWith("first");
  queue_->Put("a", Keys(AnnouncementQueue::kMaxKeys - 1));
  queue_->Put("b", Keys(2));
  queue_->Put("c", Keys(1));
  queue_->Put("a", Keys(AnnouncementQueue::kMaxKeys));  // does not fit any more
  queue_->Put("a", Keys(1));
  queue_->Put("d", Keys(2));
  Release();
  EXPECT_EQ(Await(4), (Handled{{"first", 0}, {"a", 1}, {"c", 1}, {"d", 2}}));
  queue_->Put("e", Keys(AnnouncementQueue::kMaxKeys));
  EXPECT_EQ(Await(5).back(),
            (std::pair<std::string, std::size_t>("e", AnnouncementQueue::kMaxKeys)));
}

TEST_F(AnnouncementQueueTest, IgnoresNodesBeyondTheBound) {
  HoldBackWith("first");
  for (std::size_t n = 0; n < AnnouncementQueue::kMaxNodes; ++n) {
    queue_->Put(std::to_string(n), {});
  }
  queue_->Put("one more", {});
  queue_->Put("0", {1});
  Release();
  const Handled handled = Await(AnnouncementQueue::kMaxNodes + 1);
  EXPECT_EQ(handled[1], (std::pair<std::string, std::size_t>("0", 1)))
      << "a node that waits may announce again";
  queue_->Put("the last", {});
  EXPECT_EQ(Await(AnnouncementQueue::kMaxNodes + 2).back().first, "the last");
}

TEST_F(AnnouncementQueueTest, EndsWhileAnnouncementsWait) {
  HoldBackWith("first");
  queue_->Put("a", {1});
  queue_.reset();
  EXPECT_EQ(Await(1), (Handled{{"first", 0}})) << "what waited is dropped";
}

TEST_F(AnnouncementQueueTest, EndsWithoutAnyAnnouncement) {
  queue_.reset();
  EXPECT_TRUE(Await(0).empty());
}

}  // namespace
}  // namespace evenkeel::coordinator
