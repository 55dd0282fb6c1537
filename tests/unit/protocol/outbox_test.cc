#include "core/protocol/outbox.h"

#include <gtest/gtest.h>

#include "core/protocol/translation.h"

namespace evenkeel::protocol {
namespace {

std::vector<v1::CoordinatorItem> Recall(std::uint64_t number) {
  return ToProto(engine::ToWorker{engine::Recall{engine::RecallId{number}, 1}});
}

TEST(Outbox, ABurstBecomesOneMessageInOrder) {
  Outbox<v1::CoordinatorMessage> outbox;
  for (std::uint64_t n = 0; n < 100; ++n) outbox.Add(Recall(n));
  const v1::CoordinatorMessage message = outbox.Take();
  EXPECT_TRUE(outbox.Empty());
  EXPECT_EQ(outbox.QueuedBytes(), 0);
  ASSERT_EQ(message.items_size(), 100);
  for (int n = 0; n < 100; ++n) {
    EXPECT_EQ(message.items(n).recall().id(), static_cast<std::uint64_t>(n));
  }
}

TEST(Outbox, NoMessageHoldsMoreItemsThanAreAccepted) {
  Outbox<v1::CoordinatorMessage> outbox;
  for (std::uint64_t n = 0; n < static_cast<std::uint64_t>(kMaxItems) + 1; ++n)
    outbox.Add(Recall(n));
  EXPECT_TRUE(FromProto(outbox.Take()));
  EXPECT_EQ(outbox.Take().items_size(), 1);
}

TEST(Outbox, LargeItemsTravelInMessagesOfTheirOwn) {
  Outbox<v1::CoordinatorMessage> outbox;
  engine::Welcome large;
  large.workload_parameters.assign(static_cast<std::size_t>(kBatchBytes), 'p');
  outbox.Add(Recall(1));
  outbox.Add(ToProto(engine::ToWorker{large}));
  outbox.Add(Recall(2));
  EXPECT_GT(outbox.QueuedBytes(), kBatchBytes);
  EXPECT_EQ(outbox.Take().items(0).recall().id(), 1u);
  EXPECT_TRUE(outbox.Take().items(0).has_welcome());
  EXPECT_EQ(outbox.Take().items(0).recall().id(), 2u);
  EXPECT_TRUE(outbox.Empty());
}

}  // namespace
}  // namespace evenkeel::protocol
