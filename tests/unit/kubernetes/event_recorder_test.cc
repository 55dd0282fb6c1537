#include <gtest/gtest.h>

#include "kubernetes/events.h"
#include "tests/unit/kubernetes/against_server.h"

namespace evenkeel::kube {
namespace {

using std::chrono::milliseconds;

constexpr const char* kEvents = "/apis/events.k8s.io/v1/events";

class EventRecorderTest : public AgainstServer {
 protected:
  static EventRecorderOptions Quick() {
    EventRecorderOptions options;
    options.reporter = {"evenkeel.dev/operator", "operator-0"};
    options.book.shortest_refresh = milliseconds(5);
    return options;
  }

  void Make(const EventRecorderOptions& options) {
    recorder_ = std::make_unique<EventRecorder>(Access(), wall_, options);
  }

  void Record(const std::string& reason, const std::string& name = "primes") {
    recorder_->Record({{"batch.evenkeel.dev/v1alpha1", "WeightedJob", {"space", name}, "u1"},
                       EventType::kNormal,
                       reason,
                       "Planning",
                       "a note"});
  }

  SystemWallClock wall_;
  std::unique_ptr<EventRecorder> recorder_;
};

TEST_F(EventRecorderTest, WritesAnEventAndMakesItASeries) {
  Make(Quick());
  recorder_->Start();
  Record("Planned");
  ASSERT_TRUE(Eventually([&] { return server_.All(kEvents).size() == 1; }));
  EXPECT_EQ(server_.All(kEvents)[0]["regarding"]["name"], "primes");
  for (int i = 0; i < 4; ++i) Record("Planned");
  ASSERT_TRUE(Eventually([&] {
    const Json event = server_.All(kEvents)[0];
    return event.contains("series") && event["series"]["count"] == 5;
  }));
  EXPECT_EQ(server_.All(kEvents).size(), 1u);
  for (const auto& request : server_.Requests()) {
    EXPECT_TRUE(request.method == "POST" || request.method == "PATCH") << request.method;
  }
}

TEST_F(EventRecorderTest, ErrorsDelayEventsAndLoseNone) {
  support::Fault busy;
  busy.filter = {"POST", "", {}};
  busy.status = 429;
  server_.Inject(busy);
  Make(Quick());
  recorder_->Start();
  Record("Planned");
  EXPECT_TRUE(Eventually([&] { return server_.All(kEvents).size() == 1; }));
  EXPECT_EQ(recorder_->Counts().dropped, 0u);
}

TEST_F(EventRecorderTest, ARefusedEventIsCountedAsDropped) {
  support::Fault forbidden;
  forbidden.filter = {"POST", "", {}};
  forbidden.status = 403;
  server_.Inject(forbidden);
  Make(Quick());
  recorder_->Start();
  Record("Planned");
  EXPECT_TRUE(Eventually([&] { return recorder_->Counts().dropped == 1; }));
  Record("Planned");
  EXPECT_TRUE(Eventually([&] { return recorder_->Counts().written == 1; }));
}

TEST_F(EventRecorderTest, AFullQueueDropsAndDoesNotBlock) {
  EventRecorderOptions options = Quick();
  options.most_queued = 3;
  Make(options);
  for (int i = 0; i < 10; ++i) Record("Reason" + std::to_string(i));
  EXPECT_EQ(recorder_->Counts().recorded, 10u);
  EXPECT_EQ(recorder_->Counts().dropped, 7u);
}

TEST_F(EventRecorderTest, AServerThatDoesNotAnswerDoesNotBlockTheCaller) {
  support::Fault slow;
  slow.filter = {"POST", "", {}};
  slow.delay = std::chrono::seconds(2);
  server_.Inject(slow);
  Make(Quick());
  recorder_->Start();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) Record("Reason" + std::to_string(i));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  recorder_->Stop();
}

TEST_F(EventRecorderTest, TheLastEventsAreWrittenAtTheEnd) {
  Make(Quick());
  recorder_->Start();
  for (int i = 0; i < 10; ++i) Record("Reason" + std::to_string(i));
  recorder_->Stop();
  EXPECT_EQ(server_.All(kEvents).size(), 10u);
}

TEST_F(EventRecorderTest, AServerThatIsAwayDoesNotHoldUpTheEnd) {
  server_.GoDown();
  Make(Quick());
  recorder_->Start();
  for (int i = 0; i < 10; ++i) Record("Reason" + std::to_string(i));
  const auto start = std::chrono::steady_clock::now();
  recorder_->Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
}

}  // namespace
}  // namespace evenkeel::kube
