#include <gtest/gtest.h>

#include <vector>

#include "kubernetes/reflector.h"

namespace evenkeel::kube {
namespace {

TEST(WatchEvent, ReadsAnObjectWithItsPlaceAndVersion) {
  const auto event =
      ReadWatchEvent(R"({"type":"MODIFIED","object":{"metadata":{"namespace":"a","name":"b",)"
                     R"("resourceVersion":"7"},"spec":{"x":1}}})");
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->type, WatchEventType::kModified);
  EXPECT_EQ(ToString(event->meta.key), "a/b");
  EXPECT_EQ(event->meta.resource_version, "7");
  EXPECT_EQ(event->object["spec"]["x"], 1);
}

TEST(WatchEvent, ABookmarkMayEndTheList) {
  const auto plain = ReadWatchEvent(
      R"({"type":"BOOKMARK","object":{"kind":"Node","metadata":{"resourceVersion":"7"}}})");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->initial_events_end);
  const auto end =
      ReadWatchEvent(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7",)"
                     R"("annotations":{"k8s.io/initial-events-end":"true"}}}})");
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->initial_events_end);
}

TEST(WatchEvent, AnErrorSaysWhetherTheVersionIsGone) {
  const auto gone =
      ReadWatchEvent(R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired",)"
                     R"("message":"too old resource version: 1"}})");
  ASSERT_TRUE(gone);
  EXPECT_TRUE(gone->expired);
  EXPECT_NE(gone->message.find("too old resource version"), std::string::npos);
  const auto other = ReadWatchEvent(R"({"type":"ERROR","object":{"code":500}})");
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->expired);
  EXPECT_TRUE(ReadWatchEvent(R"({"type":"ERROR"})")) << "even without a Status";
}

TEST(WatchEvent, RejectsOtherDocuments) {
  for (const char* line :
       {"", "{", "[]", "null", R"({"type":"ADDED"})", R"({"type":"ADDED","object":[]})",
        R"({"type":"ADDED","object":{"metadata":{"name":"b"}}})",
        R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"7"}}})",
        R"({"type":"ADDED","object":{"metadata":{"name":7,"resourceVersion":"7"}}})",
        R"({"type":"BOOKMARK","object":{"metadata":{}}})", R"({"type":"NEWS","object":{}})",
        R"({"type":"ADDED","object":{"metadata":{"name":"b","resourceVer)", "\xff\xfe"}) {
    EXPECT_FALSE(ReadWatchEvent(line)) << line;
  }
}

Result<PageSummary> Read(const std::string& body, std::vector<std::string>* names) {
  return ReadPage(body, [names](const ObjectMeta& meta, const Json& object) {
    names->push_back(ToString(meta.key) + "@" + meta.resource_version + object.value("spec", "-"));
  });
}

TEST(PageReader, HandsItemsOverOneByOne) {
  std::vector<std::string> names;
  const auto page = Read(
      R"({"kind":"NodeList","items":[{"metadata":{"name":"a","resourceVersion":"1"},"spec":"x"},)"
      R"({"spec":"y","metadata":{"name":"b","namespace":"n","resourceVersion":"2"}}],)"
      R"("metadata":{"resourceVersion":"9","continue":"next"}})",
      &names);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(names, (std::vector<std::string>{"a@1x", "n/b@2y"}));
  EXPECT_EQ(page->resource_version, "9");
  EXPECT_EQ(page->continue_token, "next");
  EXPECT_EQ(page->items, 2);
}

TEST(PageReader, ItemsWithinItemsAreNotItems) {
  std::vector<std::string> names;
  const auto page =
      Read(R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a",)"
           R"("resourceVersion":"1"},"items":[{"metadata":{"name":"no"}}]}],"more":[{"x":{}}]})",
           &names);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(names, std::vector<std::string>{"a@1-"});
}

TEST(PageReader, AnEmptyListMayHaveNullItems) {
  std::vector<std::string> names;
  for (const char* body : {R"({"metadata":{"resourceVersion":"9"},"items":null})",
                           R"({"metadata":{"resourceVersion":"9"},"items":[]})",
                           R"({"metadata":{"resourceVersion":"9"}})"}) {
    const auto page = Read(body, &names);
    ASSERT_TRUE(page) << body;
    EXPECT_EQ(page->items, 0);
  }
  EXPECT_TRUE(names.empty());
}

TEST(PageReader, RejectsOtherDocumentsThanLists) {
  std::vector<std::string> names;
  for (const char* body :
       {"", "[]", R"({"items":[]})", R"({"metadata":{"resourceVersion":9},"items":[]})",
        R"({"metadata":{"resourceVersion":"9"},"items":[{}]})",
        R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a"}}]})",
        R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a",)"}) {
    EXPECT_FALSE(Read(body, &names)) << body;
  }
}

}  // namespace
}  // namespace evenkeel::kube
