#include <gtest/gtest.h>

#include "operator/controller.h"

namespace evenkeel::controller {
namespace {

using std::chrono::seconds;

TEST(RepeatedErrorFilter, PassesTheSameErrorOnceInTenSeconds) {
  RepeatedErrorFilter log;
  const kube::ObjectKey job{"space", "job"};
  Instant now{seconds(100)};
  EXPECT_TRUE(log.IsNew(job, "away", now));
  EXPECT_FALSE(log.IsNew(job, "away", now + seconds(9)));
  EXPECT_TRUE(log.IsNew({"space", "other"}, "away", now));
  EXPECT_TRUE(log.IsNew(job, "away", now + seconds(10)));
  EXPECT_TRUE(log.IsNew(job, "refused", now + seconds(11)));
}

}  // namespace
}  // namespace evenkeel::controller
