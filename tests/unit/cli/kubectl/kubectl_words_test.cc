#include <gtest/gtest.h>

#include <csignal>

#include "cli/kubectl/kubectl.h"
#include "cli/kubectl/port_forward.h"
#include "cli/kubectl/result_list.h"

namespace evenkeel::cli {
namespace {

TEST(PortForward, ReadsTheLocalPort) {
  EXPECT_EQ(ForwardedPort("Forwarding from 127.0.0.1:40123 -> 7403"), 40123);
  for (const char* line :
       {"", "Forwarding from 127.0.0.1:0 -> 7403", "Forwarding from 127.0.0.1:99999 -> 7403",
        "Forwarding from [::1]:40123 -> 7403", "Forwarding from 127.0.0.1:40123",
        "Forwarding from 127.0.0.1: -> 7403", "Handling connection for 40123"}) {
    EXPECT_EQ(ForwardedPort(line), std::nullopt) << line;
  }
}

TEST(KubectlError, ClassifiesKubectlsErrors) {
  const struct {
    const char* complaint;
    ErrorCode want;
    const char* want_part;
  } cases[] = {
      {"Error from server (NotFound): weightedjobs.batch.evenkeel.dev \"x\" not found\n",
       ErrorCode::kInvalidInput, "\"x\" not found"},
      {"Error from server (NotFound): the server could not find the requested resource",
       ErrorCode::kUnavailable, "requested resource"},
      {"Error from server (AlreadyExists): weightedjobs.batch.evenkeel.dev \"x\" already exists",
       ErrorCode::kConflict, "already exists"},
      {"Error from server (Forbidden): nodes is forbidden: User \"u\" cannot list",
       ErrorCode::kUnavailable, "forbidden"},
      {"error: the server doesn't have a resource type \"weightedjobs\"", ErrorCode::kUnavailable,
       "is Evenkeel installed"},
      {"W1121 a warning\nThe connection to the server localhost:8080 was refused\n \n",
       ErrorCode::kUnavailable, "The connection to the server"},
      {"", ErrorCode::kUnavailable, "exit code 7"},
      {"\x1b[31mred", ErrorCode::kUnavailable, "?[31mred"},
  };
  for (const auto& one : cases) {
    const Error error = KubectlError(one.complaint, 7);
    EXPECT_EQ(error.code, one.want) << one.complaint;
    EXPECT_NE(error.message.find(one.want_part), std::string::npos) << error.message;
    EXPECT_EQ(error.message.find('\n'), std::string::npos);
  }
}

TEST(Kubectl, PassesFlagsOnAsSingleWords) {
  const platform::BlockedSignals stop({SIGINT, SIGTERM});
  const Kubectl kubectl({"a b; rm", "~/config", "me", "team"}, stop);
  EXPECT_EQ(kubectl.CommandLine({"get", "pods"}),
            (std::vector<std::string>{"kubectl", "get", "pods", "--context=a b; rm",
                                      "--kubeconfig=~/config", "--as=me", "--namespace=team"}));
  EXPECT_EQ(kubectl.CommandLine({"get", "pods", "--namespace=other"}).back(), "--as=me");
  EXPECT_EQ(kubectl.CommandLine({"get", "pods", "--all-namespaces"}).back(), "--as=me");
}

TEST(ResultList, NamesAndSizes) {
  const auto names = ReadResultList(R"(["primes.npy", "results-1.csv"])");
  ASSERT_TRUE(names) << names.error().message;
  ASSERT_EQ(names->size(), 2u);
  EXPECT_EQ((*names)[0].name, "primes.npy");
  EXPECT_EQ((*names)[0].bytes, std::nullopt);

  const auto reduced = ReadResultList(R"(["reduce/plot.svg", "plot.svg"])");
  ASSERT_TRUE(reduced) << reduced.error().message;
  EXPECT_EQ((*reduced)[0].name, "reduce/plot.svg");

  const auto sizes = ReadResultList(R"([{"name": "c.npy", "bytes": 128}])");
  ASSERT_TRUE(sizes) << sizes.error().message;
  EXPECT_EQ((*sizes)[0].bytes, 128u);
  EXPECT_TRUE(ReadResultList("[]")->empty());
}

TEST(ResultList, RefusesWhatIsNoPlainFile) {
  const std::string names[] = {R"("../x")",
                               R"("/etc/passwd")",
                               R"("a/b")",
                               R"("reduce/")",
                               R"("reduce/../x")",
                               R"("reduce/a/b")",
                               R"("reduce")",
                               R"("a\\b")",
                               R"("..")",
                               R"(".")",
                               R"("")",
                               R"(".hidden")",
                               R"("-rf")",
                               R"("a\u0000b")",
                               R"("a\nb")",
                               R"("naïve")",
                               R"("a b")",
                               R"("summary.json")",
                               R"("SUMMARY.json")",
                               R"("report.html")",
                               R"("journal.db")",
                               "5",
                               "null",
                               "[]",
                               "{}",
                               R"({"name": 5})",
                               R"({"name": "a", "bytes": -1})",
                               R"({"name": "a", "bytes": "many"})",
                               "\"" + std::string(101, 'x') + "\""};
  for (const std::string& name : names) {
    const auto read = ReadResultList("[" + name + "]");
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().code, ErrorCode::kInternal);
    EXPECT_LT(read.error().message.size(), 250u);
  }
}

TEST(ResultList, RefusesWhatIsNoList) {
  std::string many = "[\"0\"";
  for (int i = 1; i < 1001; ++i) many += ",\"" + std::to_string(i) + "\"";
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("\"a\""), std::string("<html>"),
        std::string("[\"a\", \"A\"]"), std::string(100'000, '['), many + "]"}) {
    EXPECT_FALSE(ReadResultList(text)) << text.substr(0, 40);
  }
}

}  // namespace
}  // namespace evenkeel::cli
