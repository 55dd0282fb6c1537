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

TEST(Documents, AreReadInOrderWithoutTheEmptyOnes) {
  const auto documents = ParseDocuments("---\na: &x 1\nb: *x\n---\n---\n[2]\n...\n", "jobs.yaml");
  ASSERT_TRUE(documents.has_value()) << documents.error().message;
  EXPECT_EQ(*documents, (std::vector<nlohmann::json>{{{"a", 1}, {"b", 1}}, {2}}));
  EXPECT_TRUE(ParseDocuments("", "jobs.yaml").value().empty());
  const auto wrong = ParseDocuments("a: 1\n---\na: [\n", "jobs.yaml");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_TRUE(wrong.error().message.starts_with("jobs.yaml: line 4: ")) << wrong.error().message;
  EXPECT_FALSE(ParseDocuments("a: &x 1\n---\nb: *x\n", "jobs.yaml").has_value());
}

TEST(FormatDocument, KeepsTheOrderAndTheTypesOfAllValues) {
  const auto tree = nlohmann::ordered_json::parse(R"json({
    "z": 1, "a": -0.5, "yes": true, "none": null, "empty": {}, "nothing": [],
    "words": ["true", "No", "~", "null", "1", "1e3", "0x1f", "1_000", "12:30", "", " a", "a ",
              "a: b", "a #b", "- a", "{}", "*x", "&x", "!x", "%x", "@x", "`x", "=", "<<", "'", "\"",
              "2026-01-01", ".5", "é", "a\tb", "\u0001", "\u2028", "a:", "a,b", "$(X)"],
    "plain": ["64Mi", "250m", "/bin/sh", "example.com/a_b:1.2", "a-b"],
    "script": "for i in 1 2; do\n  echo \"$i\"\ndone\n",
    "unfinished": "one\ntwo", "padded": "\n one \n\n",
    "nested": [{"name": "a", "list": ["sh", "-c", "echo a\n"]}, [[1], [{"b": {"c": []}}]]]})json");
  const std::string text = FormatDocument(tree);
  EXPECT_EQ(Parsed(text), nlohmann::json::parse(tree.dump())) << text;
  EXPECT_TRUE(text.starts_with("z: 1\na: -0.5\n\"yes\": true\n")) << text;
  for (const char* lines :
       {"empty: {}\n", "plain: [64Mi, 250m, /bin/sh, example.com/a_b:1.2, a-b]\n",
        "script: |\n  for i in 1 2; do\n    echo \"$i\"\n  done\n"}) {
    EXPECT_NE(text.find(lines), std::string::npos) << text;
  }
}

TEST(FormatDocument, LongListsHaveALineForEachItem) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (int i = 0; i < 100; ++i) list.push_back(std::to_string(i));
  const std::string text = FormatDocument({{"items", list}});
  EXPECT_TRUE(text.starts_with("items:\n  - \"0\"\n  - \"1\"\n")) << text;
}

}  // namespace
}  // namespace evenkeel::model
