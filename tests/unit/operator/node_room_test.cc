#include <gtest/gtest.h>

#include "operator/cluster_cache.h"

namespace evenkeel::controller {
namespace {

TEST(NodeRoomTest, FollowsAddedAndRemovedPods) {
  NodeRoom room;
  const PodRoom small{"pi3", {100, 1024, 1}};
  const PodRoom large{"pi3", {500, 4096, 1}};
  room.Add(small);
  room.Add(large);
  room.Add({"", {100, 100, 1}});  // nowhere yet
  EXPECT_EQ(*room.Requested(), (plan::Requests{{"pi3", {600, 5120, 2}}}));
  room.Remove(large);
  EXPECT_EQ(room.Requested()->at("pi3"), (cluster::Resources{100, 1024, 1}));
  room.Remove(small);
  EXPECT_TRUE(room.Requested()->empty());
}

}  // namespace
}  // namespace evenkeel::controller
