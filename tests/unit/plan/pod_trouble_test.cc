#include "operator/plan/pod_trouble.h"

#include <gtest/gtest.h>

namespace evenkeel::plan {
namespace {

constexpr api::Timestamp kStart{std::chrono::seconds(1'000'000)};

api::PodView Pod() {
  api::PodView pod;
  pod.name = "p";
  pod.image = "example/image:1";
  pod.created = kStart;
  return pod;
}

struct WaitingCase {
  const char* reason;
  const char* message;
  const char* want_reason;
  const char* want_message;
};

TEST(Diagnose, SaysWhyAContainerWaits) {
  const WaitingCase cases[] = {
      {"ErrImagePull", "rpc error", "ImagePullFailed",
       "pod p: its image example/image:1 cannot be pulled"},
      {"ImagePullBackOff", "Back-off pulling image", "ImagePullFailed",
       "pod p: its image example/image:1 cannot be pulled"},
      {"InvalidImageName", "x", "ImagePullFailed",
       "pod p: its image example/image:1 is no valid name"},
      {"ErrImageNeverPull", "x", "ImagePullFailed",
       "pod p: its image example/image:1 cannot be pulled"},
      {"CreateContainerConfigError",
       "container has runAsNonRoot and image will run as root (pod: p)", "ImageRunsAsRoot",
       "pod p: container has runAsNonRoot and image will run as root (pod: p)"},
      {"CreateContainerConfigError", "configmap \"x\" not found", "ContainerConfigError",
       "pod p: configmap \"x\" not found"},
      {"RunContainerError", "exec format error", "ContainerCannotStart",
       "pod p: exec format error"},
  };
  for (const WaitingCase& one : cases) {
    api::PodView pod = Pod();
    pod.waiting_reason = one.reason;
    pod.waiting_message = one.message;
    const Diagnosis diagnosis = Diagnose(pod, kStart);
    ASSERT_TRUE(diagnosis.trouble.has_value()) << one.reason;
    EXPECT_EQ(diagnosis.trouble->reason, one.want_reason);
    EXPECT_EQ(diagnosis.trouble->message, one.want_message);
  }
}

TEST(Diagnose, UnderstandsTheScheduler) {
  const std::pair<const char*, const char*> cases[] = {
      {"0/3 nodes are available: persistentvolumeclaim \"out\" not found. preemption: ...",
       "ClaimMissing"},
      {"0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
       "ClaimNotBound"},
      {"0/3 nodes are available: persistentvolumeclaim \"out\" is being deleted.", "ClaimNotBound"},
      {"0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: "
       "}, 2 node(s) didn't match PersistentVolume's node affinity.",
       "WaitingForNode"},
      {"0/3 nodes are available: 3 node(s) had volume node affinity conflict.", "WaitingForNode"},
      {"0/3 nodes are available: 3 Insufficient memory.", "Unschedulable"},
  };
  for (const auto& [words, want] : cases) {
    api::PodView pod = Pod();
    pod.unscheduled = api::SchedulingTrouble{"Unschedulable", words, kStart};
    const Diagnosis diagnosis = Diagnose(pod, kStart + std::chrono::seconds(5));
    ASSERT_TRUE(diagnosis.trouble.has_value()) << words;
    EXPECT_EQ(diagnosis.trouble->reason, want) << words;
    EXPECT_NE(diagnosis.trouble->message.find(words), std::string::npos);
  }
}

TEST(Diagnose, ShortWaitsArePartOfEveryStart) {
  api::PodView pod = Pod();
  pod.unscheduled = api::SchedulingTrouble{"Unschedulable", "0/3", kStart};
  Diagnosis diagnosis = Diagnose(pod, kStart + std::chrono::seconds(2));
  EXPECT_FALSE(diagnosis.trouble.has_value());
  EXPECT_EQ(diagnosis.look_again, std::chrono::seconds(3));

  pod = Pod();
  pod.waiting_reason = "ContainerCreating";
  diagnosis = Diagnose(pod, kStart + std::chrono::seconds(20));
  EXPECT_FALSE(diagnosis.trouble.has_value());
  EXPECT_EQ(diagnosis.look_again, std::chrono::seconds(40));
  diagnosis = Diagnose(pod, kStart + std::chrono::seconds(60));
  ASSERT_TRUE(diagnosis.trouble.has_value());
  EXPECT_EQ(diagnosis.trouble->reason, "VolumesNotReady");

  EXPECT_FALSE(Diagnose(Pod(), kStart).trouble.has_value());
  EXPECT_FALSE(Diagnose(Pod(), kStart).look_again.has_value());
}

TEST(Diagnose, CrashesCountFromTheThirdOneAlsoBetweenTwoOfThem) {
  api::PodView pod = Pod();
  pod.waiting_reason = "CrashLoopBackOff";
  pod.restarts = 2;
  pod.termination = api::Termination{137, "OOMKilled", "", kStart};
  EXPECT_FALSE(Diagnose(pod, kStart).trouble.has_value());
  pod.restarts = 3;
  ASSERT_TRUE(Diagnose(pod, kStart).trouble.has_value());
  EXPECT_EQ(Diagnose(pod, kStart).trouble->message,
            "pod p: its container keeps ending, last with exit code 137 (OOMKilled)");
  pod.waiting_reason.clear();  // runs for a moment
  EXPECT_TRUE(Diagnose(pod, kStart + std::chrono::seconds(59)).trouble.has_value());
  EXPECT_FALSE(Diagnose(pod, kStart + std::chrono::seconds(60)).trouble.has_value());
  pod.ready = true;
  EXPECT_FALSE(Diagnose(pod, kStart).trouble.has_value());
}

}  // namespace
}  // namespace evenkeel::plan
