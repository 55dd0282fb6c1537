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

TEST(OutputTasks, AreRangesAndWhereTheNextListBegins) {
  const auto read = ReadOutputTasks(R"({"tasks": [[5, 5], [7, 9]], "next": 1000005})", 5);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->tasks.Ranges(), (std::vector<model::IndexRange>{{5, 6}, {7, 10}}));
  EXPECT_EQ(read->next, 1'000'005);
  const auto last = ReadOutputTasks(R"({"tasks": []})", 0);
  ASSERT_TRUE(last) << last.error().message;
  EXPECT_TRUE(last->tasks.Empty());
  EXPECT_EQ(last->next, std::nullopt);
}

TEST(OutputTasks, OtherListsAreRefused) {
  for (const char* text :
       {"", "[]", "{}", R"({"tasks": {}})", R"({"tasks": [[4, 5]]})", R"({"tasks": [[6, 5]]})",
        R"({"tasks": [[5]]})", R"({"tasks": [[5, 6, 7]]})", R"({"tasks": [[5, 6], [6, 7]]})",
        R"({"tasks": [["5", "6"]]})", R"({"tasks": [[5.0, 6.0]]})", R"({"tasks": [[5, 1000005]]})",
        R"({"tasks": [[5, 18446744073709551615]]})", R"({"tasks": [], "next": 1000004})",
        R"({"tasks": [], "next": null})", R"({"tasks": [], "next": 18446744073709551615})"}) {
    const auto read = ReadOutputTasks(text, 5);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kInternal);
  }
  EXPECT_FALSE(ReadOutputTasks(std::string(100'000, '['), 0));
}

TEST(OutputFiles, HaveEncodedPaths) {
  const auto read = ReadOutputFiles(
      R"([{"path": "out/a%20b%25.txt", "bytes": 3}, {"path": "%FF%01", "bytes": 0}])");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].path, "out/a b%.txt");
  EXPECT_EQ((*read)[0].bytes, 3u);
  EXPECT_EQ((*read)[1].path, "\xff\x01");
  EXPECT_TRUE(ReadOutputFiles("[]")->empty());
}

TEST(OutputFiles, PathsThatCouldLeadAwayAreRefused) {
  for (const std::string& path :
       {std::string(), std::string("/etc/passwd"), std::string(".."), std::string("a/../../b"),
        std::string("%2e%2e/b"), std::string("a%2f..%2fb"), std::string("a//b"), std::string("a/"),
        std::string("./a"), std::string("a%00b"), std::string("a%0Ab"), std::string("%"),
        std::string("%zz"), std::string(256, 'x'), std::string(5'000, 'x')}) {
    const auto read = ReadOutputFiles(R"([{"path": ")" + path + R"(", "bytes": 1}])");
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().code, ErrorCode::kInternal);
    EXPECT_LT(read.error().message.size(), 450u);
  }
}

TEST(OutputFiles, OtherListsAreRefused) {
  std::string many = R"([{"path": "0", "bytes": 1})";
  for (int i = 1; i < 1'001; ++i) {
    many += R"(, {"path": ")" + std::to_string(i) + R"(", "bytes": 1})";
  }
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string(R"(["a"])"),
        std::string(R"([{"path": "a"}])"), std::string(R"([{"bytes": 1}])"),
        std::string(R"([{"path": 5, "bytes": 1}])"), std::string(R"([{"path": "a", "bytes": -1}])"),
        std::string(R"([{"path": "a", "bytes": 1}, {"path": "%61", "bytes": 1}])"),
        std::string(100'000, '['), many + "]"}) {
    EXPECT_FALSE(ReadOutputFiles(text)) << text.substr(0, 40);
  }
}

}  // namespace
}  // namespace evenkeel::cli
