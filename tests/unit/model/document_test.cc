#include "core/model/document.h"

#include <gtest/gtest.h>

namespace evenkeel::model {
namespace {

nlohmann::json Parsed(const std::string& text) {
  const auto document = ParseDocument(text, "job.yaml");
  EXPECT_TRUE(document.has_value()) << document.error().message;
  return document.value_or(nullptr);
}

std::string ErrorOf(const std::string& text, const DocumentLimits& limits = {}) {
  const auto document = ParseDocument(text, "job.yaml", limits);
  EXPECT_FALSE(document.has_value()) << text;
  if (document) return {};
  EXPECT_EQ(document.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(document.error().message.find('\n'), std::string::npos);
  return document.error().message;
}

TEST(Document, TypesPlainScalarsByTheCoreSchema) {
  const auto tree = Parsed(R"(
integers: [0, -7, +12, 0o17, 0xff, 9223372036854775807]
numbers: [0.4, -1.5e3, .5, 1., 1e6]
booleans: [true, False, TRUE]
nulls: [null, ~, Null, ]
strings: [yes, no, on, 1.2.3, 2Gi, 0x1g, -, 1e, "12", 'true', !!str 5]
12: the key is text
)");
  EXPECT_EQ(tree["integers"], nlohmann::json({0, -7, 12, 15, 255, INT64_MAX}));
  EXPECT_EQ(tree["numbers"], nlohmann::json({0.4, -1500.0, 0.5, 1.0, 1e6}));
  EXPECT_TRUE(tree["numbers"][4].is_number_float());
  EXPECT_EQ(tree["booleans"], nlohmann::json({true, false, true}));
  EXPECT_EQ(tree["nulls"], nlohmann::json({nullptr, nullptr, nullptr}));
  EXPECT_EQ(tree["strings"], nlohmann::json({"yes", "no", "on", "1.2.3", "2Gi", "0x1g", "-", "1e",
                                             "12", "true", "5"}));
  EXPECT_EQ(tree["12"], "the key is text");
}

TEST(Document, ReadsJsonAndBlocksAndEmptyText) {
  EXPECT_EQ(Parsed(R"({"a": {"b": [1, "two", null]}})"),
            nlohmann::json::parse(R"({"a": {"b": [1, "two", null]}})"));
  EXPECT_EQ(Parsed("text: |\n  one\n  two\n")["text"], "one\ntwo\n");
  EXPECT_TRUE(Parsed("").is_null());
  EXPECT_EQ(Parsed("---\na: 1\n...\n")["a"], 1);
}

TEST(Document, AliasesStandForTheirAnchors) {
  EXPECT_EQ(Parsed("a: &x {b: 1}\nc: *x\n")["c"]["b"], 1);
}

TEST(Document, ErrorsNameFileAndLine) {
  EXPECT_EQ(ErrorOf("a: 1\nb: 2\na: 3\n"), "job.yaml: line 3: duplicate key a");
  EXPECT_EQ(ErrorOf("a: 1\n---\nb: 2\n"),
            "job.yaml: line 2: a second document begins here, only one is allowed");
  EXPECT_EQ(ErrorOf("a: 1\nb: .inf\n"), "job.yaml: line 2: must be a finite number, is .inf");
  EXPECT_TRUE(ErrorOf("a: 1\nb: [1, 2\n").starts_with("job.yaml: line 3: is not YAML: "));
  EXPECT_EQ(ErrorOf("a: \"\xff\"\n"), "job.yaml: must be text in UTF-8");
  EXPECT_EQ(ErrorOf("? [1]\n: 2\n"), "job.yaml: line 1: a key must be a plain word or text");
}

TEST(Document, TextsAreUtf8WithoutZeroBytes) {
  for (const char* escape : {"\\N", "\\_"}) {
    EXPECT_EQ(
        ErrorOf(std::string("a: 1\nb: \"x") + escape + "\"\n"),
        R"(job.yaml: line 2: the escapes "\N" and "\_" are not supported: write the characters)"
        " themselves");
  }
  EXPECT_EQ(ErrorOf("\"a\\0\": 1\n"),
            "job.yaml: line 1: a key must not have a character of value 0");
  EXPECT_EQ(ErrorOf(std::string("a: 1\n\0b: 2\n", 12)),
            "job.yaml: has a byte of value 0 at offset 5");
  EXPECT_EQ(Parsed("a: \"\\xa0\\u00e9\"\n")["a"], "\xc2\xa0\xc3\xa9");
}

TEST(Document, AnAliasBombIsRefused) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int level = 1; level < 12; ++level) {
    const std::string from = "*a" + std::to_string(level - 1);
    bomb += "a" + std::to_string(level) + ": &a" + std::to_string(level) + " [";
    for (int copy = 0; copy < 10; ++copy) bomb += (copy > 0 ? ", " : "") + from;
    bomb += "]\n";
  }
  EXPECT_NE(ErrorOf(bomb).find("more than 4000000 values"), std::string::npos);
}

TEST(Document, DepthAndSizeAreBounded) {
  EXPECT_EQ(ErrorOf(std::string(101, '[') + std::string(101, ']')),
            "job.yaml: line 1: nested deeper than 100 levels");
  EXPECT_EQ(Parsed(std::string(100, '[') + std::string(100, ']')).size(), 1u);
  EXPECT_TRUE(ErrorOf(std::string(50'000, '[')).starts_with("job.yaml: line "));
  EXPECT_EQ(ErrorOf("a: 12345", {.max_bytes = 7}), "job.yaml: has 8 bytes, at most 7 are allowed");
  EXPECT_NE(ErrorOf("[1, 2, 3]", {.max_values = 3}).find("more than 3 values"), std::string::npos);
}

}  // namespace
}  // namespace evenkeel::model
