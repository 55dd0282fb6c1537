#include "coordinator/service/control_handler.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/digest.h"
#include "tests/unit/coordinator/service_fakes.h"

namespace evenkeel::coordinator {
namespace {

using nlohmann::json;

constexpr const char* kRight = "Bearer 0123456789abcdef";

class ControlHandlerTest : public testing::Test {
 protected:
  http::HttpResponse Ask(const std::string& method, const std::string& target,
                         const std::string& authorization = kRight) {
    return handler_.Handle({method, target, authorization});
  }
  http::HttpResponse Put(const std::string& target, const std::string& body) {
    return handler_.Handle({"PUT", target, kRight, {}, body});
  }

  StatusBoard board_;
  FakeControl job_;
  SteadyClock clock_;
  ControlTokens tokens_{"no-such-file", {"0123456789abcdef", "fedcba9876543210"}, clock_};
  ControlHandler handler_{tokens_, board_, job_};
};

TEST_F(ControlHandlerTest, RequiresTheToken) {
  for (const char* wrong : {"", "Bearer", "Bearer ", "Bearer 0123456789abcdeF", "0123456789abcdef",
                            "Bearer 0123456789abcdef0", "Basic 0123456789abcdef"}) {
    for (const char* target : {"/progress", "/desired-state/Suspended", "/snapshot", "/none"}) {
      const auto response = Ask("POST", target, wrong);
      EXPECT_EQ(response.status, 401) << wrong;
      EXPECT_EQ(response.body.find("primes"), std::string::npos);
    }
  }
  EXPECT_EQ(job_.suspends, 0);
}

TEST_F(ControlHandlerTest, AcceptsEachOfTheTokens) {
  EXPECT_EQ(Ask("GET", "/progress", "Bearer fedcba9876543210").status, 200);
}

TEST_F(ControlHandlerTest, ProgressIsTheLatestOnTheBoard) {
  JobStatus status;
  status.epoch = 3;
  status.tasks_total = 768;
  board_.Publish(status);
  const auto response = Ask("GET", "/progress");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/json");
  const auto said = json::parse(response.body);
  EXPECT_EQ(said["epoch"], 3);
  EXPECT_EQ(said["tasks"]["total"], 768);
  EXPECT_EQ(Ask("POST", "/progress").status, 405);
}

TEST_F(ControlHandlerTest, TheDesiredStateIsAppliedAtOnceAndReported) {
  EXPECT_EQ(json::parse(Ask("GET", "/progress").body)["desiredState"], "Running");
  for (int repetition = 0; repetition < 2; ++repetition) {
    const auto response = Ask("PUT", "/desired-state/Suspended");
    EXPECT_EQ(response.status, 202);
    EXPECT_EQ(json::parse(response.body)["desiredState"], "Suspended");
  }
  EXPECT_EQ(json::parse(Ask("GET", "/progress").body)["desiredState"], "Suspended");
  EXPECT_EQ(Ask("PUT", "/desired-state/Running").status, 202);
  EXPECT_EQ(job_.resumes, 1);
  EXPECT_EQ(json::parse(Ask("GET", "/progress").body)["desiredState"], "Running");
}

TEST_F(ControlHandlerTest, AnotherDesiredStateIsRefusedAndChangesNothing) {
  EXPECT_EQ(Ask("POST", "/desired-state/Suspended").status, 405);
  for (const char* target :
       {"/desired-state/", "/desired-state/suspended", "/desired-state/Suspended/now"}) {
    const auto response = Ask("PUT", target);
    EXPECT_EQ(response.status, 400) << target;
    EXPECT_NE(response.body.find("Suspended or Running"), std::string::npos);
  }
  EXPECT_EQ(Ask("PUT", "/desired-state").status, 404);
  EXPECT_EQ(job_.suspends + job_.resumes, 0);
}

TEST_F(ControlHandlerTest, ASnapshotIsBytesOrAReason) {
  const auto response = Ask("GET", "/snapshot");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "packed");
  struct Case {
    ErrorCode code;
    int want_status;
  };
  for (const auto& [code, want_status] :
       {Case{ErrorCode::kConflict, 409}, Case{ErrorCode::kStorageFull, 413},
        Case{ErrorCode::kUnavailable, 503}, Case{ErrorCode::kInternal, 500}}) {
    job_.error = Error{code, "because"};
    const auto refused = Ask("GET", "/snapshot");
    EXPECT_EQ(refused.status, want_status);
    EXPECT_EQ(json::parse(refused.body)["reason"], "because");
  }
}

TEST_F(ControlHandlerTest, EndsOfContainersAreTakenOverAndTheirDigestIsReported) {
  EXPECT_EQ(json::parse(Ask("GET", "/progress").body)["containerEndsDigest"], "");
  for (const std::string report :
       {R"({"pi4-a":[{"endedAt":1700000000,"outOfMemory":true}],"pi4-b":[]})", "{}"}) {
    const auto response = Put("/container-ends", report);
    EXPECT_EQ(response.status, 202);
    EXPECT_EQ(json::parse(response.body)["containerEndsDigest"], DigestOf(report));
  }
  EXPECT_EQ(job_.container_ends, engine::ContainerEnds());
  EXPECT_EQ(Put("/container-ends", R"({"pi4-a":[{"endedAt":0,"outOfMemory":false},
                                                {"endedAt":253402300799,"outOfMemory":true}]})")
                .status,
            202);
  EXPECT_EQ(job_.container_ends,
            (engine::ContainerEnds{{"pi4-a", {{0, false}, {253'402'300'799, true}}}}));
  EXPECT_EQ(Ask("POST", "/container-ends").status, 405);
}

TEST_F(ControlHandlerTest, ABadReportOfEndsIsRefusedAndChangesNothing) {
  json many = json::object();
  for (int node = 0; node <= 1000; ++node) many["n" + std::to_string(node)] = json::array();
  const auto at = [](const std::string& number, const std::string& name = "a") {
    return R"({")" + name + R"(":[{"endedAt":)" + number + R"(,"outOfMemory":true}]})";
  };
  for (const std::string& report :
       {std::string(), std::string("{"), std::string("[]"), std::string("null"),
        std::string(R"({"a":1})"), std::string(R"({"a":[1]})"), std::string(R"({"a":[{}]})"),
        std::string(R"({"a":[{"endedAt":1}]})"),
        std::string(R"({"a":[{"endedAt":1,"outOfMemory":1}]})"),
        std::string(R"({"a":[{"endedAt":1,"outOfMemory":true,"more":1}]})"), at("-1"), at("1.5"),
        at(R"("1")"), at("1e300"), at("253402300800"), at("18446744073709551616"), at("1", ""),
        at("1", std::string(254, 'a')), many.dump()}) {
    const auto response = Put("/container-ends", report);
    EXPECT_EQ(response.status, 400) << report;
    EXPECT_NE(response.body.find("seconds since 1970"), std::string::npos);
  }
  EXPECT_EQ(job_.container_ends, std::nullopt);
}

TEST_F(ControlHandlerTest, OtherPathsAreNotFound) { EXPECT_EQ(Ask("GET", "/x").status, 404); }

}  // namespace
}  // namespace evenkeel::coordinator
