#include "operator/policy_reconciler.h"

#include <gtest/gtest.h>

#include "cluster/weighted_job_json.h"
#include "tests/unit/operator/operator_fixture.h"

namespace evenkeel::controller {
namespace {

using kube::Json;

const std::string kPoliciesPath = "/apis/batch.evenkeel.dev/v1alpha1/weightingpolicies";

class PolicyReconcilerTest : public OperatorFixture {
 protected:
  /// Creates a policy with one criterion, or replaces that; the status stays.
  void PutPolicy(const std::string& name, const std::string& criterion) {
    auto policy = server_.Find(kPoliciesPath, "", name);
    if (!policy) {
      policy = Json{{"apiVersion", "batch.evenkeel.dev/v1alpha1"},
                    {"kind", "WeightingPolicy"},
                    {"metadata", {{"name", name}}}};
    }
    (*policy)["spec"]["criteria"] = Json::array({{{"name", criterion},
                                                  {"labels", {"example.com/ram"}},
                                                  {"kind", "Numeric"},
                                                  {"exponent", 1}}});
    server_.Put(kPoliciesPath, *policy);
  }
  void PutStatus(const std::string& name, const Json& status) {
    Json policy = *server_.Find(kPoliciesPath, "", name);
    policy["status"] = status;
    server_.Put(kPoliciesPath, policy);
  }
  /// Reconciles once the cache shows what the server has.
  Reconciliation Reconcile(const std::string& name, PolicyReconciler& by) {
    EXPECT_TRUE(kube::Eventually([&] {
      const auto there = server_.Find(kPoliciesPath, "", name);
      const auto seen = cache_->Policy(name);
      if (!there || !seen) return !there && !seen;
      return seen->meta.resource_version == (*there)["metadata"]["resourceVersion"];
    }));
    return by.Reconcile({"", name});
  }
  Reconciliation Reconcile(const std::string& name) { return Reconcile(name, *policies_); }
  [[nodiscard]] std::string Accepted(const std::string& name) const {
    const auto policy = server_.Find(kPoliciesPath, "", name);
    const auto conditions = cluster::ReadWeightingPolicy(*policy).conditions;
    const auto* accepted = cluster::Find(conditions, "Accepted");
    if (accepted == nullptr) return {};
    EXPECT_EQ(accepted->observed_generation, (*policy)["metadata"]["generation"]);
    return ToString(accepted->status) + " " + accepted->reason + ": " + accepted->message;
  }
  [[nodiscard]] std::string Version(const std::string& name) const {
    return (*server_.Find(kPoliciesPath, "", name))["metadata"]["resourceVersion"];
  }
  [[nodiscard]] PolicyReconciler::Parts Parts() {
    return {*cache_, *client_, pacer_, wall_, clock_};
  }

  void SetUp() override {
    OperatorFixture::SetUp();
    policies_ = std::make_unique<PolicyReconciler>(Parts());
  }

  std::unique_ptr<PolicyReconciler> policies_;
};

/// Forty letters of two bytes: the schema counts characters, the parser bytes.
const std::string& TooLongForTheParser() {
  static const std::string kText = [] {
    std::string text;
    for (int i = 0; i < 40; ++i) text += "\u00e9";
    return text;
  }();
  return kText;
}

TEST_F(PolicyReconcilerTest, AValidPolicyIsAccepted) {
  PutPolicy("mine", "ram");
  PutPolicy("default", "ram");
  EXPECT_FALSE(Reconcile("mine").failed);
  EXPECT_FALSE(Reconcile("default").failed);
  EXPECT_EQ(Accepted("mine"), "True Accepted: jobs that start from now on can use it");
  EXPECT_EQ(
      Accepted("default"),
      "True Accepted: jobs that start from now on can use it; it replaces the built-in policy "
      "of this name");
  const std::string version = Version("mine");
  const auto again = Reconcile("mine");
  EXPECT_FALSE(again.failed || again.requeue_after) << again.error;
  EXPECT_EQ(Version("mine"), version);
}

TEST_F(PolicyReconcilerTest, AnInvalidPolicyIsNotAcceptedUntilItIsCorrected) {
  PutPolicy("mine", TooLongForTheParser());
  EXPECT_FALSE(Reconcile("mine").failed);
  EXPECT_EQ(Accepted("mine").substr(0, 65),
            "False InvalidPolicy: spec.criteria[0].name: must be text of 1 to ");
  PutPolicy("mine", "ram");
  EXPECT_FALSE(Reconcile("mine").failed);
  EXPECT_EQ(Accepted("mine").substr(0, 13), "True Accepted");
}

// The other writer may be an operator of another version that judges the policy differently.
TEST_F(PolicyReconcilerTest, AConditionOfAnotherWriterIsReplacedAtMostOnceAMinute) {
  PutPolicy("mine", "ram");
  EXPECT_FALSE(Reconcile("mine").failed);
  PutStatus("mine",
            {{"conditions", Json::array({{{"type", "Accepted"},
                                          {"status", "False"},
                                          {"reason", "InvalidPolicy"},
                                          {"message", "not for me"},
                                          {"observedGeneration", 1},
                                          {"lastTransitionTime", "2026-01-01T00:00:00Z"}}})}});
  const auto waits = Reconcile("mine");
  EXPECT_TRUE(waits.status_pending);
  ASSERT_TRUE(waits.requeue_after.has_value());
  EXPECT_GT(*waits.requeue_after, std::chrono::seconds(30));
  EXPECT_LE(*waits.requeue_after, std::chrono::minutes(1));
  EXPECT_EQ(Accepted("mine"), "False InvalidPolicy: not for me");
  PolicyReconciler successor(Parts());
  EXPECT_FALSE(Reconcile("mine", successor).failed);
  EXPECT_EQ(Accepted("mine").substr(0, 13), "True Accepted");
}

TEST_F(PolicyReconcilerTest, ARefusedWriteIsTriedAgainAndAPolicyThatIsGoneIsNot) {
  PutPolicy("mine", "ram");
  transport_.Refuse("PATCH", "/weightingpolicies",
                    {403, R"({"kind":"Status","reason":"Forbidden","message":"no"})", {}});
  const auto refused = Reconcile("mine");
  EXPECT_TRUE(refused.failed);
  EXPECT_EQ(refused.error.substr(0, 26), "status cannot be written: ");
  transport_.RefuseNothing();
  EXPECT_FALSE(Reconcile("mine").failed);
  server_.Erase(kPoliciesPath, "", "mine");
  const auto gone = Reconcile("mine");
  EXPECT_FALSE(gone.failed || gone.requeue_after);
}

TEST_F(PolicyReconcilerTest, WritesWaitForTheirTurn) {
  PutPolicy("mine", "ram");
  StatusPacer slow{std::chrono::hours(1), 1};
  EXPECT_EQ(slow.Ask({"lab", "another"}, false, clock_.Now()), Duration::zero());
  PolicyReconciler paced({*cache_, *client_, slow, wall_, clock_});
  const auto waits = Reconcile("mine", paced);
  EXPECT_TRUE(waits.status_pending && waits.requeue_after);
  EXPECT_EQ(Accepted("mine"), "");
}

}  // namespace
}  // namespace evenkeel::controller
