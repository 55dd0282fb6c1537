#include <gtest/gtest.h>

#include "operator/plan/pod_diagnosis.h"

namespace evenkeel::plan {
namespace {

constexpr platform::Timestamp kStart{std::chrono::seconds(1'000'000)};

cluster::PodView Pod() {
  cluster::PodView pod;
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

TEST(DiagnosePod, SaysWhyAContainerWaits) {
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
       "container has runAsNonRoot and image will run as root (pod: p, container: command)",
       "ImageRunsAsRoot",
       "pod p: its image example/image:1 would run as root; name a user in "
       "spec.worker.template.securityContext.runAsUser, or build the image with a "
       "numeric one"},
      {"CreateContainerConfigError",
       "container has runAsNonRoot and image has non-numeric user (tool), cannot verify user is "
       "non-root (pod: p, container: command)",
       "ImageUserUnknown",
       "pod p: its image example/image:1 has a user without a number, so it is unknown whether it "
       "is root; name a user in spec.worker.template.securityContext.runAsUser, or build the image "
       "with a numeric one"},
      {"CreateContainerConfigError", "configmap \"x\" not found", "ContainerConfigError",
       "pod p: configmap \"x\" not found"},
      {"RunContainerError", "exec format error", "ContainerCannotStart",
       "pod p: exec format error"},
  };
  for (const WaitingCase& one : cases) {
    cluster::PodView pod = Pod();
    pod.waiting_reason = one.reason;
    pod.waiting_message = one.message;
    const Diagnosis diagnosis = DiagnosePod(pod, kStart);
    ASSERT_TRUE(diagnosis.trouble.has_value()) << one.reason;
    EXPECT_EQ(diagnosis.trouble->reason, one.want_reason);
    EXPECT_EQ(diagnosis.trouble->message, one.want_message);
  }
}

TEST(DiagnosePod, UnderstandsTheScheduler) {
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
    cluster::PodView pod = Pod();
    pod.unscheduled = cluster::SchedulingTrouble{"Unschedulable", words, kStart};
    const Diagnosis diagnosis = DiagnosePod(pod, kStart + std::chrono::seconds(5));
    ASSERT_TRUE(diagnosis.trouble.has_value()) << words;
    EXPECT_EQ(diagnosis.trouble->reason, want) << words;
    EXPECT_NE(diagnosis.trouble->message.find(words), std::string::npos);
  }
}

TEST(DiagnosePod, ShortWaitsArePartOfEveryStart) {
  cluster::PodView pod = Pod();
  pod.unscheduled = cluster::SchedulingTrouble{"Unschedulable", "0/3", kStart};
  Diagnosis diagnosis = DiagnosePod(pod, kStart + std::chrono::seconds(2));
  EXPECT_FALSE(diagnosis.trouble.has_value());
  EXPECT_EQ(diagnosis.requeue_after, std::chrono::seconds(3));

  pod = Pod();
  pod.waiting_reason = "ContainerCreating";
  diagnosis = DiagnosePod(pod, kStart + std::chrono::seconds(20));
  EXPECT_FALSE(diagnosis.trouble.has_value());
  EXPECT_EQ(diagnosis.requeue_after, std::chrono::seconds(40));
  diagnosis = DiagnosePod(pod, kStart + std::chrono::seconds(60));
  ASSERT_TRUE(diagnosis.trouble.has_value());
  EXPECT_EQ(diagnosis.trouble->reason, "VolumesNotReady");

  EXPECT_FALSE(DiagnosePod(Pod(), kStart).trouble.has_value());
  EXPECT_FALSE(DiagnosePod(Pod(), kStart).requeue_after.has_value());
}

TEST(DiagnosePod, AnImageThatIsPulledIsADelayAndNoTrouble) {
  cluster::PodView pod = Pod();
  pod.waiting_reason = "PodInitializing";
  pod.initialized = kStart;
  EXPECT_EQ(DiagnosePod(pod, kStart + std::chrono::seconds(2)).requeue_after,
            std::chrono::seconds(3));
  EXPECT_FALSE(DiagnosePod(pod, kStart + std::chrono::seconds(2)).delay.has_value());
  const Diagnosis diagnosis = DiagnosePod(pod, kStart + std::chrono::minutes(20));
  EXPECT_FALSE(diagnosis.trouble.has_value());
  ASSERT_TRUE(diagnosis.delay.has_value());
  EXPECT_EQ(*diagnosis.delay, (PodProblem{"PullingImage",
                                          "pod p: its image example/image:1 is being pulled, which "
                                          "may take minutes on a small board"}));
  pod.initialized.reset();  // the init container still waits for a volume
  EXPECT_EQ(DiagnosePod(pod, kStart + std::chrono::minutes(20)).trouble->reason, "VolumesNotReady");
}

TEST(DiagnosePod, SaysThatItIsTheCommandsContainerThatEnds) {
  cluster::PodView pod = Pod();
  pod.container = "command";
  pod.waiting_reason = "CrashLoopBackOff";
  pod.restarts = 3;
  pod.termination = cluster::Termination{137, "OOMKilled", "", kStart};
  ASSERT_TRUE(DiagnosePod(pod, kStart).trouble.has_value());
  EXPECT_EQ(
      DiagnosePod(pod, kStart).trouble->message,
      "pod p: the container of its command keeps ending, last with exit code 137 (OOMKilled)");
}

TEST(DiagnosePod, CrashesCountFromTheThirdOneAlsoBetweenTwoOfThem) {
  cluster::PodView pod = Pod();
  pod.waiting_reason = "CrashLoopBackOff";
  pod.restarts = 2;
  pod.termination = cluster::Termination{137, "OOMKilled", "", kStart};
  EXPECT_FALSE(DiagnosePod(pod, kStart).trouble.has_value());
  pod.restarts = 3;
  ASSERT_TRUE(DiagnosePod(pod, kStart).trouble.has_value());
  EXPECT_EQ(DiagnosePod(pod, kStart).trouble->message,
            "pod p: its container keeps ending, last with exit code 137 (OOMKilled)");
  pod.waiting_reason.clear();  // runs for a moment
  EXPECT_TRUE(DiagnosePod(pod, kStart + std::chrono::seconds(59)).trouble.has_value());
  EXPECT_FALSE(DiagnosePod(pod, kStart + std::chrono::seconds(60)).trouble.has_value());
  pod.ready = true;
  EXPECT_FALSE(DiagnosePod(pod, kStart).trouble.has_value());
}

}  // namespace
}  // namespace evenkeel::plan
