#include "http/local_only.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace evenkeel::http {
namespace {

class Counting final : public HttpHandler {
 public:
  HttpResponse Handle(const HttpRequest&) override {
    ++asked;
    return PlainAnswer(200, "secret");
  }
  int asked = 0;
};

TEST(LocalOnly, KnowsItsOwnNames) {
  for (const char* host :
       {"localhost", "LocalHost:8080", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:65535", ""}) {
    EXPECT_TRUE(NamesThisHost(host)) << host;
  }
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80",
                           "127.0.0.1:", "127.0.0.1:80x", "127.0.0.2", "[::1", "::1",
                           "localhost:80:80", "localhost@evil:80", " ", "0.0.0.0", "localhost\t",
                           "localhost:1234567890123456789012345678901234567890"}) {
    EXPECT_FALSE(NamesThisHost(host)) << host;
  }
}

TEST(LocalOnly, OthersGetNothing) {
  Counting inner;
  LocalOnly local(inner);
  const auto refused = local.Handle({"GET", "/", "", "evil.example"});
  EXPECT_EQ(refused.status, 421);
  EXPECT_EQ(refused.body.find("secret"), std::string::npos);
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE"}) {
    EXPECT_EQ(local.Handle({method, "/", "", "localhost"}).status, 405) << method;
  }
  EXPECT_EQ(inner.asked, 0);
  EXPECT_EQ(local.Handle({"GET", "/", "", "localhost:7403"}).body, "secret\n");
  EXPECT_EQ(local.Handle({"HEAD", "/", "", "[::1]:7403"}).status, 200);
  EXPECT_EQ(inner.asked, 2);
}

TEST(LocalOnly, PagesMayLoadNothingFromElsewhere) {
  Counting inner;
  const auto answer = LocalOnly(inner).Handle({"GET", "/", "", "localhost"});
  const auto policy = std::find_if(answer.headers.begin(), answer.headers.end(), [](const auto& h) {
    return h.first == "Content-Security-Policy";
  });
  ASSERT_NE(policy, answer.headers.end());
  EXPECT_TRUE(policy->second.starts_with("default-src 'none'; "));
  EXPECT_NE(policy->second.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_EQ(policy->second.find("http"), std::string::npos);
  EXPECT_EQ(policy->second.find('*'), std::string::npos);
}

}  // namespace
}  // namespace evenkeel::http
