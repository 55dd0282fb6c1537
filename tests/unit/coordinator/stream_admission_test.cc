#include "coordinator/stream_admission.h"

#include <gtest/gtest.h>

namespace evenkeel::coordinator {
namespace {

class StreamAdmissionTest : public testing::Test {
 protected:
  StreamAdmission::Verdict Admit(const std::string& peer, std::uint64_t stream) {
    return admission_.Admit(peer, engine::StreamId{stream}, now_);
  }

  StreamAdmission admission_;
  Instant now_{std::chrono::seconds(100)};
};

TEST_F(StreamAdmissionTest, AThirdStreamDisplacesTheOldestOfTheSameWorker) {
  EXPECT_TRUE(Admit("other", 1).admitted);
  EXPECT_FALSE(Admit("pod", 2).displaced);
  EXPECT_FALSE(Admit("pod", 3).displaced);
  EXPECT_EQ(Admit("pod", 4).displaced, engine::StreamId{2});
  EXPECT_EQ(Admit("pod", 5).displaced, engine::StreamId{3});
}

TEST_F(StreamAdmissionTest, AStreamThatIsGoneIsNotDisplaced) {
  static_cast<void>(Admit("pod", 1));
  static_cast<void>(Admit("pod", 2));
  admission_.Remove("pod", engine::StreamId{1});
  EXPECT_FALSE(Admit("pod", 3).displaced);
  EXPECT_EQ(Admit("pod", 4).displaced, engine::StreamId{2});
  admission_.Remove("pod", engine::StreamId{2});  // displaced before
  EXPECT_EQ(Admit("pod", 5).displaced, engine::StreamId{3});
}

TEST_F(StreamAdmissionTest, TheRateOfEachWorkerIsBounded) {
  std::uint64_t stream = 0;
  for (int n = 0; n < StreamAdmission::kBurst; ++n) EXPECT_TRUE(Admit("pod", ++stream).admitted);
  EXPECT_FALSE(Admit("pod", ++stream).admitted);
  EXPECT_TRUE(Admit("other", ++stream).admitted);
  now_ += StreamAdmission::kRefill;
  EXPECT_TRUE(Admit("pod", ++stream).admitted);
  EXPECT_FALSE(Admit("pod", ++stream).admitted);
  now_ += std::chrono::hours(1);
  for (int n = 0; n < StreamAdmission::kBurst; ++n) EXPECT_TRUE(Admit("pod", ++stream).admitted);
  EXPECT_FALSE(Admit("pod", ++stream).admitted) << "tokens do not add up beyond the burst";
}

TEST_F(StreamAdmissionTest, ARefusedStreamDisplacesNothing) {
  for (std::uint64_t n = 1; n <= StreamAdmission::kBurst; ++n) static_cast<void>(Admit("pod", n));
  const auto refused = Admit("pod", 100);
  EXPECT_FALSE(refused.admitted);
  EXPECT_FALSE(refused.displaced);
}

TEST_F(StreamAdmissionTest, WorkersThatAreGoneAreForgottenAndOpenStreamsAreNot) {
  static_cast<void>(Admit("pod", 1));
  static_cast<void>(Admit("pod", 2));
  std::uint64_t stream = 2;
  for (std::size_t n = 0; n <= StreamAdmission::kMaxIdle; ++n) {
    const std::string gone = "gone-" + std::to_string(n);
    EXPECT_TRUE(Admit(gone, ++stream).admitted);
    admission_.Remove(gone, engine::StreamId{stream});
  }
  EXPECT_EQ(Admit("pod", ++stream).displaced, engine::StreamId{1});
}

}  // namespace
}  // namespace evenkeel::coordinator
