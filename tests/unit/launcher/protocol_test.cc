#include "launcher/protocol.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evenkeel::launcher {
namespace {

std::string FrameOf(const Message& message) {
  std::string bytes;
  AppendFrame(message, bytes);
  return bytes;
}

Ended SampleEnded() {
  Ended ended;
  ended.id = 0x0102030405060708;
  ended.ending = Ending::kSignalled;
  ended.value = 9;
  ended.wall_nanoseconds = 1'500'000'000;
  ended.cpu_nanoseconds = 7;
  ended.output_cut = true;
  ended.output = std::string("a\0b", 3);
  ended.error = std::string(kMaxOutputBytes, '\xff');
  return ended;
}

std::vector<Message> OneOfEach() {
  launcher::Run run{5, "/tasks/5", {{1, "x y"}, {2, ""}}, {{0, "INDEX=5"}}};
  return {Hello{},
          Job{"/data", {"/bin/sh", "-c", ""}, {"INDEX=", "HOME=/"}, 65'536, 1'000, true},
          run,
          Stop{9},
          SampleEnded(),
          Progress{5, 0},
          Progress{5, kMaxItem},
          Limit{5, 0},
          Limit{6, kMaxItem},
          OpenRequest{"/tasks/5", "out/a b.jpg"},
          OpenAnswer{FileStatus::kFifo, 0},
          FindRequest{"/tasks/5", "out/*", kMaxPaths},
          FoundFiles{FileStatus::kFound, 0, {"out/a", "out/b\nc"}},
          FoundFiles{FileStatus::kFailed, 13, {}},
          RemoveRequest{"/tasks/5"},
          RemoveAnswer{39}};
}

TEST(LauncherProtocol, MessagesRoundTrip) {
  std::string stream;
  for (const Message& message : OneOfEach()) stream += FrameOf(message);
  FrameReader whole;
  whole.Append(stream);
  for (const Message& want : OneOfEach()) EXPECT_EQ(whole.Next(), want);
  EXPECT_EQ(whole.Next(), std::nullopt);
  EXPECT_FALSE(whole.Broken());
}

TEST(LauncherProtocol, FramesMayComeInPieces) {
  std::string stream;
  for (const Message& message : OneOfEach()) stream += FrameOf(message);
  for (const std::size_t size : {1U, 7U, 4'096U}) {
    FrameReader pieces;
    std::vector<Message> got;
    for (std::size_t at = 0; at < stream.size(); at += size) {
      pieces.Append(std::string_view(stream).substr(at, size));
      while (auto message = pieces.Next()) got.push_back(std::move(*message));
    }
    EXPECT_TRUE(got == OneOfEach()) << size;
    EXPECT_FALSE(pieces.Broken());
  }
}

// The wire format may only change together with kVersion.
TEST(LauncherProtocol, GoldenBytes) {
  EXPECT_EQ(FrameOf(Hello{}), std::string("\x09\0\0\0\x01"
                                          "EVKL\x04\0\0\0",
                                          13));
  EXPECT_EQ(FrameOf(Stop{258}), std::string("\x09\0\0\0\x04\x02\x01\0\0\0\0\0\0", 13));
  EXPECT_EQ(FrameOf(Progress{2, 258}),
            std::string("\x11\0\0\0\x06\x02\0\0\0\0\0\0\0\x02\x01\0\0\0\0\0\0", 21));
  EXPECT_EQ(FrameOf(Limit{2, 258}),
            std::string("\x11\0\0\0\x07\x02\0\0\0\0\0\0\0\x02\x01\0\0\0\0\0\0", 21));
  EXPECT_EQ(
      FrameOf(launcher::Run{1, "/d", {{2, "ab"}}, {}}),
      std::string("\x21\0\0\0\x03\x01\0\0\0\0\0\0\0\x02\0\0\0/d\x01\0\0\0\x02\0\0\0\x02\0\0\0ab"
                  "\0\0\0\0",
                  37));
  EXPECT_EQ(FrameOf(OpenRequest{"/d", "a"}),
            std::string("\x0c\0\0\0\x08\x02\0\0\0/d\x01\0\0\0a", 16));
  EXPECT_EQ(FrameOf(OpenAnswer{FileStatus::kFailed, 2}),
            std::string("\x06\0\0\0\x09\x02\x02\0\0\0", 10));
  EXPECT_EQ(FrameOf(RemoveAnswer{39}), std::string("\x05\0\0\0\x0d\x27\0\0\0", 9));
}

/// More bytes than an answer may have.
std::vector<std::string> LongPaths() {
  constexpr std::size_t kPathBytes = 4'000;
  return std::vector<std::string>(kMaxPathsBytes / kPathBytes + 1, std::string(kPathBytes, 'x'));
}

TEST(LauncherProtocol, RefusesMessagesBeyondTheirBounds) {
  Job many;
  many.words.assign(kMaxWords + 1, "x");
  Job long_word;
  long_word.words = {std::string(kMaxTextBytes + 1, 'x')};
  Job zero_byte;
  zero_byte.words = {std::string("a\0b", 3)};
  Job greedy;
  greedy.words = {"x"};
  greedy.output_limit = kMaxOutputBytes + 1;
  Ended loud;
  loud.output.assign(kMaxOutputBytes + 1, 'x');
  const std::vector<Message> wrong{many,
                                   long_word,
                                   zero_byte,
                                   greedy,
                                   Job{},
                                   loud,
                                   Progress{1, -1},
                                   Progress{1, kMaxItem + 1},
                                   Limit{1, -1},
                                   Limit{1, kMaxItem + 1},
                                   launcher::Run{1, "", {{kMaxWords, "x"}}, {}},
                                   launcher::Run{1, "", {}, {{kMaxVariables, "x"}}},
                                   OpenRequest{"/d", ""},
                                   OpenRequest{"/d", "/etc/passwd"},
                                   OpenRequest{"/d", "a/../../b"},
                                   OpenRequest{"/d", "a//b"},
                                   OpenRequest{"/d", std::string("a\0b", 3)},
                                   OpenRequest{std::string(kMaxPathBytes + 1, 'x'), "a"},
                                   OpenAnswer{FileStatus{9}, 0},
                                   OpenAnswer{FileStatus{0}, 0},
                                   FindRequest{"/d", "../*", 1},
                                   FindRequest{"/d", "*", kMaxPaths + 1},
                                   FoundFiles{FileStatus::kFound, 0, {"a", "../b"}},
                                   FoundFiles{FileStatus::kFound, 0, LongPaths()}};
  for (const Message& message : wrong) {
    FrameReader frames;
    frames.Append(FrameOf(message));
    EXPECT_EQ(frames.Next(), std::nullopt);
    EXPECT_TRUE(frames.Broken());
  }
}

TEST(LauncherProtocol, NoByteMoreOrLessThanTheFieldsNeed) {
  for (const Message& message : {Message(Hello{}), OneOfEach()[1], OneOfEach()[2],
                                 Message(Progress{1, 2}), Message(Limit{1, 2})}) {
    const std::string good = FrameOf(message);
    for (std::size_t size = 1; size + 4 < good.size(); ++size) {
      std::string cut = good.substr(0, 4 + size);
      cut[0] = static_cast<char>(size);
      cut[1] = cut[2] = cut[3] = '\0';
      FrameReader frames;
      frames.Append(cut);
      EXPECT_EQ(frames.Next(), std::nullopt) << size;
      EXPECT_TRUE(frames.Broken()) << size;
    }
    std::string longer = good + 'x';
    longer[0] = static_cast<char>(good.size() + 1 - 4);
    FrameReader frames;
    frames.Append(longer);
    EXPECT_EQ(frames.Next(), std::nullopt);
    EXPECT_TRUE(frames.Broken());
  }
}

TEST(LauncherProtocol, AHugeLengthAsksForNoMemory) {
  for (const char* const bytes : {"\xff\xff\xff\xff\x01", "\x01\0\x40\0\x05"}) {
    FrameReader frames;
    frames.Append({bytes, 5});
    EXPECT_EQ(frames.Next(), std::nullopt);
    EXPECT_TRUE(frames.Broken());
  }
  FrameReader list;  // of 4,294,967,295 words in a frame of 9 bytes
  list.Append(std::string("\x09\0\0\0\x02\0\0\0\0\xff\xff\xff\xff", 13));
  EXPECT_EQ(list.Next(), std::nullopt);
  EXPECT_TRUE(list.Broken());
}

}  // namespace
}  // namespace evenkeel::launcher
