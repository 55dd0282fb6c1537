#include "operator/history/prometheus.h"

#include <gtest/gtest.h>

#include "core/base/clock.h"
#include "tests/support/in_memory_api_server.h"
#include "tests/unit/operator/history/scripted_prometheus.h"

namespace evenkeel::controller {
namespace {

using Kind = plan::HistoryAnswer::Kind;

TEST(RateQuery, AsksForThreeFiguresOfEachNode) {
  const std::string query = RateQuery({"lab", "primes"}, 604800);
  EXPECT_NE(query.find("sum by (node,exported_node)"), std::string::npos);
  EXPECT_NE(query.find("increase(evenkeel_history_work_units_total{job_namespace=\"lab\",profile="
                       "\"primes\"}[604800s])"),
            std::string::npos)
      << query;
  EXPECT_NE(query.find("increase(evenkeel_history_busy_seconds_total{job_namespace=\"lab\",profile="
                       "\"primes\"}[9450s])"),
            std::string::npos)
      << query;
  for (const char* name : {"units", "busy", "allbusy"}) {
    EXPECT_NE(query.find(std::string("\"figure\",\"") + name + "\""), std::string::npos) << name;
  }
}

TEST(RateQuery, AProfileCannotEndItsQuotationMarks) {
  EXPECT_NE(RateQuery({"lab", "a\"} or b{x=\"\\"}, 600).find(R"(,profile="a\"} or b{x=\"\\"})"),
            std::string::npos);
}

TEST(Prometheus, IsAskedOnceForAllNodes) {
  ScriptedPrometheus scripted;
  scripted.script->Answer(200, RatesJson("pi4", "12", "4"));
  const auto answer = scripted.prometheus->Ask({"lab", "primes"});
  EXPECT_EQ(answer.kind, Kind::kSamples);
  EXPECT_EQ(answer.samples.at("pi4").units, 12);
  ASSERT_EQ(scripted.script->requests.size(), 1U);
  const kube::Request& request = scripted.script->requests[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/api/v1/query");
  EXPECT_EQ(request.body.rfind("timeout=2000ms&query=", 0), 0U) << request.body;
  EXPECT_EQ(request.body.find(' '), std::string::npos);
  EXPECT_EQ(request.timeout, std::chrono::seconds(2));
}

TEST(Prometheus, ReportsErrors) {
  ScriptedPrometheus scripted;
  const auto after = [&scripted](int status, const std::string& body) {
    scripted.script->Answer(status, body);
    return scripted.prometheus->Ask({"lab", "primes"});
  };
  for (const int status : {301, 401, 403, 404, 500, 503}) {
    const auto answer = after(status, "<html>");
    EXPECT_EQ(answer.kind, Kind::kUnreachable) << status;
    EXPECT_EQ(answer.trouble, "http://prometheus:9090 answered " + std::to_string(status));
  }
  EXPECT_EQ(after(200, "<html>").kind, Kind::kInvalid);
  EXPECT_EQ(after(400, R"({"status":"error","error":"no"})").kind, Kind::kInvalid);
  scripted.script->Break("POST http://prometheus:9090/api/v1/query: no whole answer within 2 s");
  const auto silent = scripted.prometheus->Ask({"lab", "primes"});
  EXPECT_EQ(silent.kind, Kind::kUnreachable);
  EXPECT_NE(silent.trouble.find("no whole answer"), std::string::npos);
}

TEST(Prometheus, AnswersTheFirstQuestionAfterARestart) {
  support::InMemoryApiServer server;
  const SteadyClock clock;
  const auto prometheus = Prometheus::Make({server.url(), {}, {}}, {}, clock);
  ASSERT_TRUE(prometheus) << prometheus.error().message;
  for (int start = 0; start < 3; ++start) {
    const auto answer = (*prometheus)->Ask({"lab", "primes"});
    EXPECT_EQ(answer.kind, Kind::kInvalid) << answer.trouble;  // an answer, if no Prometheus's
    server.GoDown();
    server.ComeUp();
  }
}

TEST(Prometheus, OptionsThatCannotBeAreOneLine) {
  const SteadyClock clock;
  const auto trouble = [&clock](const PrometheusAddress& address) {
    const auto made = Prometheus::Make(address, {}, clock);
    return made ? std::string() : made.error().message;
  };
  EXPECT_EQ(trouble({"http://prometheus:9090/here", {}, {}}), "");
  EXPECT_NE(trouble({"prometheus", {}, {}}).find("--prometheus-url: "), std::string::npos);
  EXPECT_EQ(trouble({"https://prometheus", {}, {}}),
            "--prometheus-url: https needs --prometheus-ca-file");
  EXPECT_EQ(trouble({"http://prometheus", "/token", {}}),
            "--prometheus-token-file: a token is shown over https only");
  EXPECT_NE(trouble({"https://prometheus", {}, "/nowhere"}).find("--prometheus-ca-file: "),
            std::string::npos);
}

}  // namespace
}  // namespace evenkeel::controller
