#include "operator/options.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace evenkeel::controller {
namespace {

ParsedCommandLine Parse(std::initializer_list<std::string> more) {
  std::vector<std::string> words{"evenkeel-operator", "--worker-image", "worker:1", "--key-file",
                                 "k"};
  words.insert(words.end(), more.begin(), more.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

TEST(OperatorOptions, NameServersAreThoseOfTheClusterByDefault) {
  const cluster::DnsSettings dns = Parse({}).options.dns;
  EXPECT_EQ(dns.namespace_name, "kube-system");
  EXPECT_EQ(dns.labels, (std::map<std::string, std::string>{{"k8s-app", "kube-dns"}}));
}

TEST(OperatorOptions, NameServersCanBeChosen) {
  const ParsedCommandLine parsed =
      Parse({"--dns-namespace", "names", "--dns-label", "app=a", "--dns-label", "a.example/b=c"});
  EXPECT_EQ(parsed.exit_code, -1);
  EXPECT_EQ(parsed.options.dns.namespace_name, "names");
  EXPECT_EQ(parsed.options.dns.labels,
            (std::map<std::string, std::string>{{"app", "a"}, {"a.example/b", "c"}}));
  EXPECT_EQ(Parse({"--dns-anywhere"}).options.dns.namespace_name, "");
}

TEST(OperatorOptions, BadNameServersAreRefusedInOneLine) {
  for (const std::string label : {"app", "=a", "app=", "/app=a", "a b=c", "app=a=b"}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(Parse({"--dns-label", label}).exit_code, 2) << label;
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "evenkeel-operator: --dns-label: must be a label KEY=VALUE, is \"" + label + "\"\n");
  }
  testing::internal::CaptureStderr();
  EXPECT_EQ(Parse({"--dns-namespace", "Names"}).exit_code, 2);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("--dns-namespace: must be"),
            std::string::npos);
}

}  // namespace
}  // namespace evenkeel::controller
