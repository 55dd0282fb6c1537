#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/clock.h"
#include "kubernetes/config.h"
#include "operator/history/prometheus.h"
#include "tests/unit/operator/history/scripted_prometheus.h"

namespace evenkeel::controller {
namespace {

const std::string kHere = R"({"status":"success","data":{"version":"2.42.0"}})";

class PrometheusFinderTest : public testing::Test {
 protected:
  ScriptedPrometheus first_{"http://first:9090"};
  ScriptedPrometheus second_{"http://second:9090"};
  PrometheusFinder finder_{{first_.prometheus, second_.prometheus}};
};

TEST_F(PrometheusFinderTest, FindsTheFirstThatAnswers) {
  first_.script->Answer(404, "not here");
  second_.script->Answer(200, kHere);
  EXPECT_EQ(finder_.Found(), nullptr);
  finder_.Look();
  ASSERT_NE(finder_.Found(), nullptr);
  EXPECT_EQ(finder_.Found()->Url(), "http://second:9090");
  EXPECT_EQ(first_.script->requests[0].target, "/api/v1/status/buildinfo");
}

TEST_F(PrometheusFinderTest, IgnoresOtherServers) {
  first_.script->Answer(200, "<html>Welcome</html>");
  second_.script->Break("no such host");
  finder_.Look();
  EXPECT_EQ(finder_.Found(), nullptr);
}

TEST_F(PrometheusFinderTest, SearchesLessOftenWithoutSuccess) {
  const Duration first = finder_.Look();  // the scripts are empty: no server answers
  const Duration second = finder_.Look();
  EXPECT_EQ(second, 2 * first);
  for (int i = 0; i < 20; ++i) finder_.Look();
  EXPECT_LE(finder_.Look(), std::chrono::minutes(20));
}

TEST_F(PrometheusFinderTest, KeepsAServerThatIsBrieflyUnavailable) {
  first_.script->Answer(200, kHere).Break("away").Break("away").Answer(200, kHere);
  for (int i = 0; i < 4; ++i) finder_.Look();
  EXPECT_EQ(finder_.Found(), first_.prometheus);
}

TEST_F(PrometheusFinderTest, SearchesAgainWhenTheServerIsGone) {
  first_.script->Answer(200, kHere);
  second_.script->Answer(200, kHere);
  finder_.Look();
  EXPECT_EQ(finder_.Found(), first_.prometheus);
  for (int i = 0; i < 5; ++i) finder_.Look();
  EXPECT_EQ(finder_.Found(), second_.prometheus);
}

TEST_F(PrometheusFinderTest, StopsAtOnce) {
  first_.script->Answer(200, kHere);
  finder_.Start();
  finder_.Stop();
}

TEST(UsualPrometheusUrls, AreAddressesInTheNamespaces) {
  const auto urls = UsualPrometheusUrls({"lab"});
  for (const char* url : {"http://prometheus-operated.lab.svc:9090",
                          "http://kube-prometheus-stack-prometheus.lab.svc:9090",
                          "http://prometheus-server.lab.svc:80"}) {
    EXPECT_NE(std::find(urls.begin(), urls.end(), url), urls.end()) << url;
  }
  for (const auto& url : UsualPrometheusUrls({})) {
    EXPECT_TRUE(kube::ParseServerAddress(url)) << url;
  }
}

}  // namespace
}  // namespace evenkeel::controller
