#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "tests/unit/kubernetes/server_fixture.h"

namespace evenkeel::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using support::WatchEnd;
using Events = std::vector<std::string>;

CpprestOptions ShortLines() {
  CpprestOptions options;
  options.max_line_bytes = 50'000;
  return options;
}

class TransportStream : public ServerTest {
 protected:
  TransportStream() : ServerTest(ShortLines()) {}

  /// A watch on a separate thread.
  std::future<Result<Response>> Watch(Lines& lines, Duration silence = seconds(20)) {
    return std::async(std::launch::async, [this, &lines, silence] {
      return transport_->Stream({"GET", kPodsPath + "?watch=1", "", "", silence}, lines,
                                stop_.get_token());
    });
  }
  static void ExpectBroken(std::future<Result<Response>>& watch, const std::string& part) {
    const auto end = watch.get();
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(end.error().message.find(part), std::string::npos) << end.error().message;
  }

  std::stop_source stop_;
};

TEST_F(TransportStream, HandsOverEachLineWhenItComes) {
  server_.Put(kPodsPath, Pod("a"));
  Lines lines(3);
  auto watch = Watch(lines);
  ASSERT_TRUE(server_.WaitForWatches(1));
  server_.Put(kPodsPath, Pod("b"));
  server_.Put(kPodsPath, Pod("a"));
  const auto end = watch.get();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->status, 200);
  EXPECT_EQ(lines.Events(), (Events{"ADDED a", "ADDED b", "MODIFIED a"}));
}

TEST_F(TransportStream, SplitAndJoinedLinesAreTheSameLines) {
  for (const std::size_t bytes : {1u, 7u, 100'000u}) {
    server_.SetChunkBytes(bytes);
    for (const char* name : {"a", "b", "c"}) server_.Put(kPodsPath, Pod(name));
    Lines lines(3);
    const auto end = Watch(lines).get();
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(lines.Events(), (Events{"ADDED a", "ADDED b", "ADDED c"})) << bytes;
  }
}

TEST_F(TransportStream, AProperEndIsNotAnError) {
  Lines lines;
  auto watch = Watch(lines);
  ASSERT_TRUE(server_.WaitForWatches(1));
  server_.Put(kPodsPath, Pod("a"));
  server_.EndWatches(WatchEnd::kClean);
  const auto end = watch.get();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->status, 200);
  EXPECT_EQ(lines.Events(), (Events{"ADDED a"}));
}

TEST_F(TransportStream, EveryOtherEndIsAnError) {
  for (const WatchEnd how : {WatchEnd::kEof, WatchEnd::kEofInMidLine, WatchEnd::kReset}) {
    Lines lines;
    auto watch = Watch(lines);
    ASSERT_TRUE(server_.WaitForWatches(1));
    EXPECT_EQ(server_.EndWatches(how), 1u);
    ExpectBroken(watch, kPodsPath + ": ");
    EXPECT_TRUE(lines.All().empty());
  }
  Lines lines;
  auto watch = Watch(lines);
  ASSERT_TRUE(server_.WaitForWatches(1));
  server_.EndWatches(WatchEnd::kCleanMidLine);
  ExpectBroken(watch, "ended in mid-line");
  EXPECT_TRUE(lines.All().empty());
}

TEST_F(TransportStream, SilenceEndsIt) {
  Lines lines;
  const auto begin = std::chrono::steady_clock::now();
  auto watch = Watch(lines, seconds(1));
  ExpectBroken(watch, "silent for 1 s");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(5));
}

TEST_F(TransportStream, AQuietStreamLivesAsLongAsItMay) {
  Lines lines(1);
  auto watch = Watch(lines, seconds(60));
  ASSERT_TRUE(server_.WaitForWatches(1));
  EXPECT_EQ(watch.wait_for(seconds(2)), std::future_status::timeout);
  server_.Put(kPodsPath, Pod("a"));
  EXPECT_TRUE(watch.get());
  EXPECT_EQ(lines.Events(), (Events{"ADDED a"}));
}

TEST_F(TransportStream, AStopEndsAQuietStreamAtOnce) {
  Lines lines;
  auto watch = Watch(lines, seconds(600));
  ASSERT_TRUE(server_.WaitForWatches(1));
  const auto begin = std::chrono::steady_clock::now();
  stop_.request_stop();
  const auto end = watch.get();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(1));
  ASSERT_TRUE(end) << end.error().message;
  // The server notices, too: nothing is left open.
  const auto limit = std::chrono::steady_clock::now() + seconds(10);
  while (server_.OpenWatches() > 0 && std::chrono::steady_clock::now() < limit) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_EQ(server_.OpenWatches(), 0u);
}

TEST_F(TransportStream, AStopBeforeTheAnswerEndsItToo) {
  support::Fault slow;
  slow.delay = seconds(30);
  server_.Inject(slow);
  Lines lines;
  auto watch = Watch(lines, seconds(600));
  ASSERT_TRUE(server_.WaitForRequests(1));
  stop_.request_stop();
  const auto end = watch.get();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->status, 0);
}

TEST_F(TransportStream, AnEndlessLineIsRefused) {
  auto pod = Pod("a");
  pod["spec"]["text"] = std::string(60'000, 'x');
  server_.Put(kPodsPath, pod);
  Lines lines;
  auto watch = Watch(lines);
  ExpectBroken(watch, "a line is longer than 50000 bytes");
  EXPECT_TRUE(lines.All().empty());
}

TEST_F(TransportStream, RefusalsComeBackWithTheirBody) {
  support::Fault gone;
  gone.status = 410;
  server_.Inject(gone);
  Lines lines;
  const auto end = Watch(lines).get();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->status, 410);
  EXPECT_NE(end->body.find("Expired"), std::string::npos);
  EXPECT_TRUE(lines.All().empty());
}

TEST_F(TransportStream, ASlowReaderGetsEverything) {
  // Several times more than waits between server and reader.
  auto pod = Pod("p");
  pod["spec"]["text"] = std::string(40'000, 'x');
  constexpr int kPods = 200;
  for (int i = 0; i < kPods; ++i) {
    pod["metadata"]["name"] = "p" + std::to_string(i);
    server_.Put(kPodsPath, pod);
  }
  class Slow final : public LineSink {
   public:
    bool OnLine(std::string_view) override {
      if (count % 20 == 0) std::this_thread::sleep_for(milliseconds(20));
      return ++count < kPods;
    }
    int count = 0;
  } slow;
  const auto end =
      transport_->Stream({"GET", kPodsPath + "?watch=1", "", "", seconds(20)}, slow, {});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(slow.count, kPods);
}

TEST_F(TransportStream, ManyWatchesAndRequestsAtOnce) {
  constexpr std::size_t kWatches = 12;
  std::vector<std::unique_ptr<Lines>> lines;
  std::vector<std::future<Result<Response>>> watches;
  for (std::size_t i = 0; i < kWatches; ++i) {
    watches.push_back(Watch(*lines.emplace_back(std::make_unique<Lines>(20))));
  }
  ASSERT_TRUE(server_.WaitForWatches(kWatches));
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(client_->Create(kPods, "demo", Pod("p" + std::to_string(i))));
  }
  for (auto& watch : watches) EXPECT_TRUE(watch.get());
  for (const auto& seen : lines) EXPECT_EQ(seen->All().size(), 20u);
}

}  // namespace
}  // namespace evenkeel::kube
