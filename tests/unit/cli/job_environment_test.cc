#include "cli/job_environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace evenkeel::cli {
namespace {

using Variables = std::vector<model::EnvironmentVariable>;

TEST(JobEnvironment, ReferencesAreThoseOfAPod) {
  const auto expanded = ExpandEnvironment({{"A", "1", false},
                                           {"B", "$(A)-$(A)", false},
                                           {"C", "$$(A) $A $( $(NONE) $(A", false},
                                           {"D", "$(E)", false},
                                           {"E", "", false},
                                           {"F", "[$(E)]$", false}});
  ASSERT_TRUE(expanded);
  EXPECT_EQ(*expanded, (std::vector<std::string>{"A=1", "B=1-1", "C=$(A) $A $( $(NONE) $(A",
                                                 "D=$(E)", "E=", "F=[]$"}));
}

TEST(JobEnvironment, WhatTheClusterKnowsIsTakenFromHere) {
  ::setenv("EVENKEEL_TEST_KEY", "secret", 1);
  const auto taken = ExpandEnvironment(
      {{"EVENKEEL_TEST_KEY", "", true}, {"URL", "http://$(EVENKEEL_TEST_KEY)/", false}});
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->back(), "URL=http://secret/");
  ::unsetenv("EVENKEEL_TEST_KEY");
  const auto missing = ExpandEnvironment({{"EVENKEEL_TEST_KEY", "", true}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "spec.worker.template.env: EVENKEEL_TEST_KEY: its value comes from the cluster; to run "
            "the job here, set EVENKEEL_TEST_KEY in the environment of evenkeel run");
}

}  // namespace
}  // namespace evenkeel::cli
