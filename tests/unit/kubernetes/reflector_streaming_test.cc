#include <gtest/gtest.h>

#include "kubernetes/reflector.h"
#include "tests/unit/kubernetes/reflector_script.h"

namespace evenkeel::kube {
namespace {

using Verdict = WatchVerdict;

/// A reflector of a server that may offer lists as the beginning of a watch.
class ReflectorStreaming : public ::testing::Test {
 protected:
  ReflectorRequest Ask() {
    ReflectorRequest request = machine_.Next();
    now_ = std::max(now_, request.not_before);
    machine_.Started(now_);
    return request;
  }

  Instant now_{};
  ReflectorMachine machine_{NodesInAStream(), 1};
};

TEST_F(ReflectorStreaming, ListAndWatchAreOneStream) {
  const ReflectorRequest request = Ask();
  EXPECT_TRUE(IsStreamedList(request));
  EXPECT_TRUE(Has(request, "resourceVersionMatch=NotOlderThan"));
  EXPECT_TRUE(request.begins_list);
  EXPECT_EQ(machine_.Saw(ObjectEvent(WatchEventType::kAdded, "7")), Verdict::kApply);
  EXPECT_EQ(machine_.Saw(Bookmark("8")), Verdict::kIgnore) << "an ordinary bookmark ends no list";
  EXPECT_EQ(machine_.Saw(Bookmark("9", true)), Verdict::kListComplete);
  EXPECT_EQ(machine_.Saw(ObjectEvent(WatchEventType::kModified, "10")), Verdict::kApply);
  machine_.StreamEnded(now_);
  EXPECT_TRUE(IsWatchFrom(Ask(), "10"));
}

TEST_F(ReflectorStreaming, AListThatBreaksOffBeginsAnew) {
  Ask();
  EXPECT_EQ(machine_.Saw(ObjectEvent(WatchEventType::kAdded, "7")), Verdict::kApply);
  machine_.StreamEnded(now_);
  const ReflectorRequest again = Ask();
  EXPECT_TRUE(IsStreamedList(again));
  EXPECT_FALSE(Has(again, "resourceVersion=7"));
}

TEST_F(ReflectorStreaming, TwoListsThatBreakOffAreFollowedByPages) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(IsStreamedList(Ask()));
    machine_.StreamEnded(now_);
  }
  EXPECT_EQ(Ask().kind, ReflectorRequestKind::kPage);
  ASSERT_EQ(machine_.PageRead({"10", "", 1}, now_), PageVerdict::kListComplete);
  Ask();
  machine_.Failed({410, {}}, now_);
  EXPECT_TRUE(IsStreamedList(Ask())) << "a server error may pass, so streaming is tried again";
}

TEST_F(ReflectorStreaming, AWatchThatExpiresIsNoListThatBrokeOff) {
  Ask();
  ASSERT_EQ(machine_.Saw(Bookmark("9", true)), Verdict::kListComplete);
  machine_.StreamEnded(now_);
  EXPECT_TRUE(IsWatchFrom(Ask(), "9"));
  EXPECT_EQ(machine_.Saw(ErrorEvent(true)), Verdict::kStop);
  machine_.StreamEnded(now_);
  EXPECT_TRUE(IsStreamedList(Ask()));
  machine_.StreamEnded(now_);
  EXPECT_TRUE(IsStreamedList(Ask())) << "one list has broken off, not two";
  machine_.StreamEnded(now_);
  EXPECT_EQ(Ask().kind, ReflectorRequestKind::kPage);
}

TEST_F(ReflectorStreaming, AServerThatDoesNotOfferItIsNotAskedAgain) {
  for (const int status : {400, 405, 422}) {
    machine_ = ReflectorMachine(NodesInAStream(), 1);
    Ask();
    machine_.Failed({status, {}}, now_);
    EXPECT_EQ(Ask().kind, ReflectorRequestKind::kPage) << status;
    ASSERT_EQ(machine_.PageRead({"10", "", 1}, now_), PageVerdict::kListComplete);
    Ask();
    machine_.Failed({410, {}}, now_);
    EXPECT_EQ(Ask().kind, ReflectorRequestKind::kPage) << status;
  }
}

TEST_F(ReflectorStreaming, WhatMayPassIsNoSuchAnswer) {
  for (const int status : {401, 403, 404, 410, 429, 500, 0}) {
    machine_ = ReflectorMachine(NodesInAStream(), 1);
    Ask();
    machine_.Failed({status, {}}, now_);
    EXPECT_TRUE(IsStreamedList(Ask())) << status;
  }
}

TEST_F(ReflectorStreaming, AnErrorEventWithinTheListKeepsNothing) {
  Ask();
  EXPECT_EQ(machine_.Saw(ErrorEvent(true)), Verdict::kStop);
  machine_.StreamEnded(now_);
  EXPECT_TRUE(IsStreamedList(Ask()));
}

TEST_F(ReflectorStreaming, AListWithoutEndIsGivenUp) {
  ReflectorOptions options = NodesInAStream();
  options.max_items = 2;
  machine_ = ReflectorMachine(options, 1);
  Ask();
  EXPECT_EQ(machine_.Saw(ObjectEvent(WatchEventType::kAdded, "1")), Verdict::kApply);
  EXPECT_EQ(machine_.Saw(ObjectEvent(WatchEventType::kAdded, "2")), Verdict::kApply);
  EXPECT_EQ(machine_.Saw(ObjectEvent(WatchEventType::kAdded, "3")), Verdict::kStop);
}

}  // namespace
}  // namespace evenkeel::kube
