#include <gtest/gtest.h>

#include "workloads/built_in.h"
#include "workloads/command/command_spec.h"

namespace evenkeel::workloads::command {
namespace {

TEST(CommandGrowth, TasksMayBeAppended) {
  EXPECT_TRUE(OnlyAppendsTasks(R"({"command":["x"],"tasks":3})", R"({"command":["x"],"tasks":3})"));
  EXPECT_TRUE(OnlyAppendsTasks(R"({"command":["x"],"tasks":3})", R"({"tasks":9,"command":["x"]})"));
  EXPECT_TRUE(OnlyAppendsTasks(R"({"arguments":["a"]})", R"({"arguments":["a","b"]})"));
  EXPECT_TRUE(OnlyAppendsTasks(R"({"argumentsFile":"x"})", R"({"argumentsFile":"x"})"));
  EXPECT_TRUE(OnlyAppendsTasks(R"({"range":{"tasks":3,"minTasks":2}})",
                               R"({"range":{"tasks":4,"minTasks":2}})"));
  EXPECT_TRUE(OnlyAppendsTasks(R"({"tasks":1,"cost":{"list":[1]}})",
                               R"({"tasks":2,"cost":{"list":[9,2]}})"));
  EXPECT_TRUE(OnlyAppendsTasks(R"({"tasks":1,"reduce":["plot"]})", R"({"tasks":2})"));
}

TEST(CommandGrowth, NothingElseMayChange) {
  const std::pair<const char*, const char*> kOthers[] = {
      {R"({"tasks":3})", R"({"tasks":2})"},
      {R"({"tasks":3})", R"({"arguments":["a","b","c","d"]})"},
      {R"({"arguments":["a","b"]})", R"({"arguments":["a"]})"},
      {R"({"arguments":["a","b"]})", R"({"arguments":["a","c","d"]})"},
      {R"({"arguments":["a","b"]})", R"({"arguments":["z","a","b"]})"},
      {R"({"argumentsFile":"x"})", R"({"argumentsFile":"y"})"},
      {R"({"command":["x"],"tasks":3})", R"({"command":["y"],"tasks":4})"},
      {R"({"tasks":3})", R"({"tasks":4,"outputLimitBytes":1})"},
      {R"({"tasks":3,"inputs":["a"]})", R"({"tasks":4,"inputs":["a","b"]})"},
      {R"({"tasks":3})", R"({"tasks":4,"outputs":["a"]})"},
      {R"({"tasks":"3"})", R"({"tasks":4})"},
      {R"({"tasks":3})", "no JSON"},
      {R"({"range":{"tasks":3}})", R"({"range":{"tasks":2}})"},
      {R"({"range":{"tasks":3}})", R"({"range":{"tasks":3,"minTasks":2}})"},
      {R"({"range":{"tasks":3}})", R"({"tasks":3})"},
      {R"({"tasks":1})", R"({"tasks":1,"cost":{"list":[1]}})"},
      {R"({"tasks":1,"cost":{"learned":true}})", R"({"tasks":1,"cost":{"list":[1]}})"},
  };
  for (const auto& [earlier, now] : kOthers) EXPECT_FALSE(OnlyAppendsTasks(earlier, now)) << now;
}

TEST(CommandGrowth, OtherWorkloadsDoNotGrow) {
  const std::string few = R"({"tasks":3,"cost":{"constant":1}})";
  const std::string more = R"({"tasks":4,"cost":{"constant":1}})";
  const auto made = BuiltInWorkloads().Make("synthetic", more, {});
  ASSERT_TRUE(made);
  EXPECT_FALSE((*made)->Continues(few, more));
}

}  // namespace
}  // namespace evenkeel::workloads::command
