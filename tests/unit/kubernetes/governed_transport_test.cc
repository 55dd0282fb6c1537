#include <gtest/gtest.h>

#include "kubernetes/rate_limited_transport.h"
#include "tests/unit/kubernetes/scripted_transport.h"
#include "tests/unit/kubernetes/virtual_time.h"

namespace evenkeel::kube {
namespace {

class NoLines final : public LineSink {
 public:
  bool OnLine(std::string_view) override { return true; }
};

TEST(RateLimitedTransport, WaitsForItsTurnAfterTheBurst) {
  ScriptedTransport inner;
  VirtualTime time;
  RateLimitedTransport governed(inner, time, time, {"host:1", 10, 2, {}});
  for (int i = 0; i < 5; ++i) {
    inner.Answer(200);
    EXPECT_TRUE(governed.Send({"GET", "/", "", ""}));
  }
  EXPECT_EQ(time.pauses, std::vector<Duration>(3, std::chrono::milliseconds(100)));
}

TEST(RateLimitedTransport, CountsEachRequestByItsAnswer) {
  ScriptedTransport inner;
  VirtualTime time;
  std::vector<std::string> seen;
  RateLimitedTransport governed(inner, time, time,
                                {"host:1", 20, 30, [&](const RequestOutcome& o) {
                                   seen.push_back(o.method + " " + o.host + " " + o.code);
                                 }});
  inner.Answer(200).Answer(404).Break("no route").Answer(410);
  NoLines sink;
  EXPECT_EQ(governed.Send({"GET", "/", "", ""})->status, 200);
  EXPECT_EQ(governed.Send({"POST", "/", "", ""})->status, 404);
  EXPECT_FALSE(governed.Send({"PUT", "/", "", ""}));
  EXPECT_EQ(governed.Stream({"GET", "/", "", ""}, sink, {})->status, 410);
  EXPECT_EQ(seen, (std::vector<std::string>{"GET host:1 200", "POST host:1 404",
                                            "PUT host:1 <error>", "GET host:1 410"}));
}

TEST(RateLimitedTransport, AStopEndsTheWaitOfAWatch) {
  ScriptedTransport inner;
  VirtualTime time;
  RateLimitedTransport governed(inner, time, time, {"host:1", 1, 1, {}});
  std::stop_source stop;
  NoLines sink;
  inner.Answer(200);
  ASSERT_TRUE(governed.Stream({"GET", "/", "", ""}, sink, stop.get_token()));
  stop.request_stop();
  const auto stopped = governed.Stream({"GET", "/", "", ""}, sink, stop.get_token());
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->status, 0);
  EXPECT_EQ(inner.requests.size(), 1u);
}

}  // namespace
}  // namespace evenkeel::kube
