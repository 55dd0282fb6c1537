#include <gtest/gtest.h>

#include "tests/unit/kubernetes/server_fixture.h"

namespace evenkeel::kube {
namespace {

/// Faults apply to matching requests, the given number of times.
class FakeApiFaults : public ServerTest {
 protected:
  int Ask(const std::string& target) {
    const auto answer = transport_->Send({"GET", target, "", ""});
    return answer ? answer->status : 0;
  }
};

TEST_F(FakeApiFaults, SkipAndTimesAreCounted) {
  support::Fault fault;
  fault.status = 500;
  fault.skip = 1;
  fault.times = 2;
  server_.Inject(fault);
  std::vector<int> seen;
  for (int i = 0; i < 5; ++i) seen.push_back(Ask("/api/v1/pods"));
  EXPECT_EQ(seen, (std::vector<int>{200, 500, 500, 200, 200}));
}

TEST_F(FakeApiFaults, ApplyToMatchingRequestsOnly) {
  support::Fault fault;
  fault.filter = {"GET", "/nodes", false};
  fault.status = 504;
  fault.times = -1;
  server_.Inject(fault);
  EXPECT_EQ(Ask("/api/v1/pods"), 200);
  EXPECT_EQ(Ask("/api/v1/nodes"), 504);
  EXPECT_EQ(Ask("/api/v1/nodes"), 504);
  server_.ClearFaults();
  EXPECT_EQ(Ask("/api/v1/nodes"), 200);
}

TEST_F(FakeApiFaults, ARefusedTokenIsLogged) {
  server_.SetAcceptedTokens({"secret"});
  EXPECT_EQ(Ask("/api/v1/pods"), 401);
  ASSERT_TRUE(server_.WaitForRequests(1));
  EXPECT_EQ(server_.Requests()[0].status, 401);
  server_.SetAcceptedTokens({});
  EXPECT_EQ(Ask("/api/v1/pods"), 200);
}

TEST_F(FakeApiFaults, ConflictCanBePlayed) {
  server_.Put(kJobsPath, Job("primes", 1));
  support::Fault fault;
  fault.filter.method = "PATCH";
  fault.status = 409;
  server_.Inject(fault);
  EXPECT_EQ(client_->Apply(kJobs, "demo", "primes", Job("primes", 2), {"me"}).error().kind,
            ApiErrorKind::kConflict);
  EXPECT_TRUE(client_->Apply(kJobs, "demo", "primes", Job("primes", 2), {"me"}));
}

TEST_F(FakeApiFaults, WhatItServesSurvivesItsAbsence) {
  server_.Put(kPodsPath, Pod("a"));
  server_.GoDown();
  EXPECT_EQ(Ask("/api/v1/pods"), 0);
  server_.Put(kPodsPath, Pod("b"));
  server_.ComeUp();
  EXPECT_EQ(client_->List(kPods, "")->items.size(), 2u);
}

}  // namespace
}  // namespace evenkeel::kube
