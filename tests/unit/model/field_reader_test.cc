#include "core/model/field_reader.h"

#include <gtest/gtest.h>

namespace evenkeel::model {
namespace {

using nlohmann::json;

std::string ErrorOf(const FieldReader& fields) {
  const auto read = fields.Finish();
  return read ? "" : read.error().message;
}

TEST(FieldReader, ReadsEveryType) {
  const json object = json::parse(
      R"({"end": 300000, "speed": 0.4, "count": 3, "on": false, "name": "x", "kind": "B",
          "gone": null,
          "inner": {"deep": 1}, "ints": [1, 2], "numbers": [0.5, 1], "texts": ["a", ""],
          "labels": {"k": "v"}, "weights": {"n": 2}, "items": [{"id": 7}]})");
  FieldReader fields(object, "spec");
  EXPECT_EQ(fields.RequiredInt("end", {1, 1'000'000}), 300'000);
  EXPECT_EQ(fields.OptionalInt("gone", {1, 9}, 5), 5);
  EXPECT_EQ(fields.RequiredNumber("speed", {0, 1, true}), 0.4);
  EXPECT_EQ(fields.OptionalNumber("count", {0, 9}, 1), 3.0);
  EXPECT_FALSE(fields.OptionalBool("on", true));
  EXPECT_EQ(fields.RequiredString("name", 10), "x");
  EXPECT_EQ(fields.OptionalString("absent", 10, "other"), "other");
  EXPECT_EQ(fields.RequiredChoice("kind", {"A", "B"}), "B");
  EXPECT_EQ(fields.RequiredObject("inner").RequiredInt("deep", {0, 1}), 1);
  EXPECT_EQ(fields.OptionalObject("no").OptionalInt("deep", {0, 1}, 0), 0);
  EXPECT_EQ(fields.Ints("ints", 2, {1, 2}), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(fields.Numbers("numbers", 2, {0, 1}), (std::vector<double>{0.5, 1}));
  EXPECT_EQ(fields.Strings("texts", 2, 1), (std::vector<std::string>{"a", ""}));
  EXPECT_EQ(fields.StringMap("labels", 1, 1), (std::map<std::string, std::string>{{"k", "v"}}));
  EXPECT_EQ(fields.NumberMap("weights", 1, {0, 2}), (std::map<std::string, double>{{"n", 2}}));
  EXPECT_EQ(fields.Objects("items", 1).at(0).RequiredInt("id", {0, 9}), 7);
  EXPECT_TRUE(fields.Finish().has_value()) << ErrorOf(fields);
}

TEST(FieldReader, TheFirstErrorWins) {
  const json object = {{"a", "text"}, {"b", -1}};
  FieldReader fields(object, "spec.x");
  fields.RequiredInt("a", {1, 10});
  fields.RequiredInt("b", {1, 10});
  EXPECT_EQ(ErrorOf(fields), "spec.x.a: must be a whole number from 1 to 10, is \"text\"");
}

struct ErrorCase {
  const char* name;
  json value;
  void (*read)(FieldReader&);
  const char* want;
};

class FieldReaderErrors : public testing::TestWithParam<ErrorCase> {};

TEST_P(FieldReaderErrors, SayWhatIsAllowed) {
  const json object = {{"f", GetParam().value}};
  FieldReader fields(object, "s");
  GetParam().read(fields);
  EXPECT_EQ(ErrorOf(fields), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    All, FieldReaderErrors,
    testing::Values(ErrorCase{"FractionForInt", 1.5,
                              [](FieldReader& r) {
                                r.RequiredInt("f", {0, 9});
                              },
                              "s.f: must be a whole number from 0 to 9, is 1.5"},
                    ErrorCase{"Beyond63Bits", UINT64_MAX,
                              [](FieldReader& r) {
                                r.RequiredInt("f", {0, 9});
                              },
                              "s.f: must be a whole number from 0 to 9, is 18446744073709551615"},
                    ErrorCase{"ZeroNotAllowed", 0,
                              [](FieldReader& r) {
                                r.RequiredNumber("f", {0, 2, true});
                              },
                              "s.f: must be a number above 0, at most 2, is 0"},
                    ErrorCase{"TextForBool", "yes",
                              [](FieldReader& r) { r.OptionalBool("f", true); },
                              "s.f: must be true or false, is \"yes\""},
                    ErrorCase{"EmptyText", "", [](FieldReader& r) { r.RequiredString("f", 5); },
                              "s.f: must be text of 1 to 5 bytes, is \"\""},
                    ErrorCase{"LineBreakInText", "a\nb",
                              [](FieldReader& r) { r.OptionalString("f", 2, ""); },
                              "s.f: must be text of 0 to 2 bytes, is \"a\\nb\""},
                    ErrorCase{"NoSuchChoice", "C",
                              [](FieldReader& r) {
                                r.OptionalChoice("f", {"A", "B"}, "A");
                              },
                              "s.f: must be one of A, B, is \"C\""},
                    ErrorCase{"NumberForObject", 3, [](FieldReader& r) { r.OptionalObject("f"); },
                              "s.f: must be an object, is 3"},
                    ErrorCase{"WrongItem", json::array({1, "x"}),
                              [](FieldReader& r) {
                                r.Ints("f", 5, {0, 9});
                              },
                              "s.f[1]: must be a whole number from 0 to 9, is \"x\""},
                    ErrorCase{"TooManyItems", json::array({1, 2, 3}),
                              [](FieldReader& r) {
                                r.Numbers("f", 2, {0, 9});
                              },
                              "s.f: must be a list of at most 2, has 3"},
                    ErrorCase{"WrongMapValue",
                              {{"k", 1}},
                              [](FieldReader& r) { r.StringMap("f", 5, 9); },
                              "s.f.k: must be text of 0 to 9 bytes in quotes, is 1"},
                    ErrorCase{"UnknownInsideAnItem", json::array({{{"z", 1}}}),
                              [](FieldReader& r) {
                                r.Objects("f", 5).at(0).OptionalInt("id", {0, 9}, 0);
                              },
                              "s.f[0].z: unknown field, known are id"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(FieldReader, NamesUnknownAndMissingFields) {
  const json object = {{"ends", 3}};
  FieldReader unknown(object, "");
  unknown.OptionalInt("end", {1, 9}, 1);
  unknown.OptionalBool("list", false);
  EXPECT_EQ(ErrorOf(unknown), "ends: unknown field, known are end, list");

  FieldReader misspelt(object, "");
  misspelt.RequiredInt("end", {1, 9});
  EXPECT_EQ(ErrorOf(misspelt), "ends: unknown field, known are end");

  const json empty = json::object();
  FieldReader missing(empty, "spec");
  missing.RequiredInt("end", {1, 9});
  EXPECT_EQ(ErrorOf(missing), "spec.end: is missing, must be a whole number from 1 to 9");
}

TEST(FieldReader, AcceptsUnknownFieldsWhereTold) {
  const json object = {{"anything", 3}};
  FieldReader fields(object, "");
  fields.AllowUnknownFields();
  EXPECT_EQ(ErrorOf(fields), "");
}

TEST(FieldReader, ReportsTheCallersOwnErrors) {
  const json object = {{"end", 3}};
  FieldReader fields(object, "spec");
  fields.OptionalInt("end", {1, 9}, 1);
  fields.Fail("end", "must be above start");
  EXPECT_EQ(ErrorOf(fields), "spec.end: must be above start");
}

}  // namespace
}  // namespace evenkeel::model
