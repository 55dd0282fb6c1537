#include "core/model/task_description.h"

#include <gtest/gtest.h>

#include <string>

namespace evenkeel::model {
namespace {

using nlohmann::json;

TaskDescription Describe(const char* command, std::map<std::string, std::string> needs = {},
                         const std::string& profile = {}) {
  const json parsed = json::parse(command);
  return DescribeTasks({parsed, std::move(needs), profile});
}

std::string CostsOf(const char* command) {
  const TaskDescription description = Describe(command);
  return description.notes.empty() ? "" : description.notes.front().text;
}

TEST(TaskDescription, AJobThatSaysNothingSpecialHasNoNotes) {
  for (const char* command : {"null", "[]", R"({"command": ["true"], "tasks": 3})",
                              R"({"cost": {}})", R"({"cost": 3, "range": [], "reduce": "sh"})",
                              R"({"cost": {"constant": 1}})", R"({"cost": {"fileSize": false}})"}) {
    EXPECT_TRUE(Describe(command).notes.empty()) << command;
    EXPECT_EQ(Describe(command).cost_unit, "") << command;
  }
}

TEST(TaskDescription, NamesTheSourceOfCosts) {
  const std::string hint = "; they are hints, and dropped if measured times do not follow them";
  EXPECT_EQ(CostsOf(R"({"cost": {"column": 2}})"), "column 2 of the file of arguments" + hint);
  EXPECT_EQ(CostsOf(R"({"cost": {"list": [1, 2]}})"), "listed in the job" + hint);
  EXPECT_EQ(CostsOf(R"({"cost": {"learned": true}})"),
            "learned from earlier runs of the same profile" + hint);
  EXPECT_EQ(CostsOf(R"({"cost": {"fileSize": true}})"),
            "bytes of the files that the arguments name" + hint);
  EXPECT_EQ(Describe(R"({"cost": {"column": 2}})").cost_unit_size, 1000);
  const TaskDescription bytes = Describe(R"({"cost": {"fileSize": true}})");
  EXPECT_EQ(bytes.cost_unit, "1 MB");
  EXPECT_EQ(bytes.cost_unit_size, 1e6);
}

TEST(TaskDescription, HasOneNoteForEachThing) {
  const auto notes =
      Describe(R"({"cost": {"learned": true}, "range": {"tasks": 86400, "minTasks": 5,
                   "maxTasks": 500}, "reduce": ["sh", "-c", "cat\nx"]})",
               {{"cpu", "2"}, {"memory", "1500Mi"}}, "scenes")
          .notes;
  ASSERT_EQ(notes.size(), 4U);
  EXPECT_TRUE(notes[0].text.starts_with("learned from earlier runs of profile scenes;"));
  EXPECT_EQ(notes[1], (TaskNote{"ranges",
                                "one run of the command does many of the 86400 tasks, at least 5, "
                                "at most 500"}));
  EXPECT_EQ(notes[2], (TaskNote{"needs of each",
                                "cpu 2, memory 1500Mi; a node runs as many at a time as fit"}));
  EXPECT_EQ(notes[3], (TaskNote{"after the last one", "sh -c cat x"}));
}

TEST(TaskDescription, TextsAreBoundedAndPrintable) {
  const std::string word(10'000, 'x');
  const auto notes = Describe(("{\"reduce\": [\"\\u001b[2J" + word + "\"]}").c_str(),
                              {{std::string(10'000, 'y'), "\x1b" + word}})
                         .notes;
  ASSERT_EQ(notes.size(), 2U);
  for (const TaskNote& note : notes) {
    EXPECT_LT(note.text.size(), 500U);
    EXPECT_EQ(note.text.find('\x1b'), std::string::npos);
  }
}

TEST(TaskDescription, QuantitiesAreExact) {
  TaskResources needs;
  EXPECT_TRUE(Quantities(needs).empty());
  needs.cpu_millicores = 2000;
  needs.memory_bytes = 1500LL << 20U;
  needs.extended = {{"example.com/camera", 1}};
  EXPECT_EQ(Quantities(needs),
            (std::map<std::string, std::string>{
                {"cpu", "2"}, {"memory", "1500Mi"}, {"example.com/camera", "1"}}));
  needs.cpu_millicores = 1500;
  needs.memory_bytes = 1'000'000'000;
  EXPECT_EQ(Quantities(needs)["cpu"], "1500m");
  EXPECT_EQ(Quantities(needs)["memory"], "1000000000");
  needs.memory_bytes = 4LL << 30U;
  EXPECT_EQ(Quantities(needs)["memory"], "4Gi");
}

TEST(TaskResources, TheLimitIsTheResourceThatIsUsedUpFirst) {
  TaskResources needs;
  TaskRoom room{4000, 4LL << 30U, {{"example.com/camera", 1}}};
  EXPECT_EQ(SlotLimit(needs, room), "cpu");
  needs.memory_bytes = 1500LL << 20U;
  EXPECT_EQ(CountSlots(needs, room), 2);
  EXPECT_EQ(SlotLimit(needs, room), "memory");
  needs.cpu_millicores = 2000;
  EXPECT_EQ(SlotLimit(needs, room), "cpu") << "of several, the first";
  needs.extended = {{"example.com/camera", 1}};
  EXPECT_EQ(CountSlots(needs, room), 1);
  EXPECT_EQ(SlotLimit(needs, room), "example.com/camera");
  room.extended.clear();
  EXPECT_EQ(CountSlots(needs, room), 0);
}

}  // namespace
}  // namespace evenkeel::model
