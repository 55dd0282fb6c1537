#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "kubernetes/line_stream.h"

namespace evenkeel::kube {
namespace {

using Kind = BodyPipe::Piece::Kind;

BodyPipe::Deadline InTenSeconds() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(10);
}
BodyPipe::Deadline Now() { return std::chrono::steady_clock::now(); }
const BodyPipe::Resume kIgnore = [](bool) {};

TEST(BodyPipe, BytesWaitForTheHead) {
  BodyPipe pipe;
  pipe.Write("abc", kIgnore);
  EXPECT_EQ(pipe.Next(Now(), {}).kind, Kind::kLate);
  EXPECT_EQ(pipe.Head().status, 0);
  pipe.SetHead(200, std::nullopt);
  const auto piece = pipe.Next(Now(), {});
  EXPECT_EQ(piece.kind, Kind::kBytes);
  EXPECT_EQ(piece.text, "abc");
  EXPECT_EQ(pipe.Head().status, 200);
}

TEST(BodyPipe, TheEndComesAfterTheBytes) {
  BodyPipe pipe;
  pipe.SetHead(200, std::nullopt);
  pipe.Write("abc", kIgnore);
  pipe.Finish("broken");
  pipe.Finish(std::nullopt);
  EXPECT_EQ(pipe.Next(InTenSeconds(), {}).kind, Kind::kBytes);
  const auto end = pipe.Next(InTenSeconds(), {});
  EXPECT_EQ(end.kind, Kind::kFailed);
  EXPECT_EQ(end.text, "broken");
}

TEST(BodyPipe, AFailureNeedsNoHead) {
  BodyPipe pipe;
  pipe.Finish("no route");
  EXPECT_EQ(pipe.Next(InTenSeconds(), {}).kind, Kind::kFailed);
}

TEST(BodyPipe, AFastWriterIsHeldUpUntilTheReaderComes) {
  BodyPipe pipe;
  pipe.SetHead(200, std::nullopt);
  std::atomic<int> resumed{0};
  const auto count = [&resumed](bool go_on) { resumed += go_on ? 1 : 100; };
  pipe.Write("abc", count);
  EXPECT_EQ(resumed, 1);
  pipe.Write(std::string(1u << 20, 'x'), count);
  EXPECT_EQ(resumed, 1);
  EXPECT_EQ(pipe.Next(InTenSeconds(), {}).text.size(), (1u << 20) + 3);
  EXPECT_EQ(resumed, 2);
}

TEST(BodyPipe, AbandonLetsTheWriterGoAndCancelsOnce) {
  BodyPipe pipe;
  pipe.SetHead(200, std::nullopt);
  int cancelled = 0;
  pipe.OnAbandon([&cancelled] { ++cancelled; });
  std::atomic<int> refused{0};
  const auto count = [&refused](bool go_on) { refused += go_on ? 100 : 1; };
  pipe.Write(std::string(1u << 20, 'x'), count);
  pipe.Abandon();
  EXPECT_EQ(refused, 1);
  pipe.Write("more", count);
  EXPECT_EQ(refused, 2);
  pipe.Abandon();
  EXPECT_EQ(cancelled, 1);
}

TEST(BodyPipe, AStopWakesTheReader) {
  BodyPipe pipe;
  std::stop_source stop;
  const std::jthread stopper([&stop] { stop.request_stop(); });
  EXPECT_EQ(pipe.Next(InTenSeconds(), stop.get_token()).kind, Kind::kStopped);
}

TEST(BodyPipe, CarriesEverythingBetweenTwoThreads) {
  BodyPipe pipe;
  constexpr int kPieces = 20;
  const std::jthread writer([&pipe] {
    pipe.SetHead(200, std::nullopt);
    for (int i = 0; i < kPieces; ++i) {
      std::mutex mutex;
      std::condition_variable welcome;
      bool go_on = false;
      pipe.Write(std::string(300'000, static_cast<char>('a' + i)), [&](bool) {
        const std::lock_guard lock(mutex);
        go_on = true;
        welcome.notify_one();
      });
      std::unique_lock lock(mutex);
      welcome.wait(lock, [&go_on] { return go_on; });
    }
    pipe.Finish(std::nullopt);
  });
  std::string all;
  for (;;) {
    const auto piece = pipe.Next(InTenSeconds(), {});
    if (piece.kind != Kind::kBytes) {
      EXPECT_EQ(piece.kind, Kind::kEnd);
      break;
    }
    EXPECT_LE(piece.text.size(), 1'400'000u);
    all += piece.text;
  }
  EXPECT_EQ(all.size(), kPieces * 300'000u);
  EXPECT_EQ(all.back(), 'a' + kPieces - 1);
}

}  // namespace
}  // namespace evenkeel::kube
