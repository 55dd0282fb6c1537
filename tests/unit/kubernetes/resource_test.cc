#include <gtest/gtest.h>

#include "kubernetes/object.h"

namespace evenkeel::kube {
namespace {

const Resource kPodResource{"", "v1", "pods"};
const Resource kNodes{"", "v1", "nodes", false};
const Resource kJobs{"batch.evenkeel.dev", "v1alpha1", "weightedjobs"};

TEST(Resource, PathsOfCollectionsAndObjects) {
  EXPECT_EQ(CollectionPath(kPodResource, ""), "/api/v1/pods");
  EXPECT_EQ(CollectionPath(kPodResource, "demo"), "/api/v1/namespaces/demo/pods");
  EXPECT_EQ(CollectionPath(kNodes, ""), "/api/v1/nodes");
  EXPECT_EQ(CollectionPath(kJobs, "demo"),
            "/apis/batch.evenkeel.dev/v1alpha1/namespaces/demo/weightedjobs");
  EXPECT_EQ(ObjectPath(kNodes, "", "pi4a"), "/api/v1/nodes/pi4a");
  EXPECT_EQ(ObjectPath(kJobs, "demo", "primes", "status"),
            "/apis/batch.evenkeel.dev/v1alpha1/namespaces/demo/weightedjobs/primes/status");
  EXPECT_EQ(ApiVersionOf(kJobs), "batch.evenkeel.dev/v1alpha1");
  EXPECT_EQ(ApiVersionOf(kPodResource), "v1");
}

TEST(Resource, AHostileNameStaysOneSegment) {
  EXPECT_EQ(ObjectPath(kPodResource, "demo", "a/../../x?y#z"),
            "/api/v1/namespaces/demo/pods/a%2F..%2F..%2Fx%3Fy%23z");
}

TEST(Resource, EncodesReservedCharacters) {
  EXPECT_EQ(PercentEncode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(PercentEncode("a=b,c &+/%"), "a%3Db%2Cc%20%26%2B%2F%25");
  EXPECT_EQ(PercentEncode("\xc3\xa9"), "%C3%A9");
}

TEST(Resource, ListTargetsNamePageAndSelectors) {
  EXPECT_EQ(ListTarget(kPodResource, "", {}), "/api/v1/pods?limit=500");
  ListOptions options;
  options.label_selector = "app.kubernetes.io/name=evenkeel";
  options.limit = 0;
  options.resource_version = "0";
  EXPECT_EQ(ListTarget(kPodResource, "demo", options),
            "/api/v1/namespaces/demo/pods"
            "?labelSelector=app.kubernetes.io%2Fname%3Devenkeel&resourceVersion=0");
}

TEST(Resource, LaterPagesDoNotNameAVersion) {
  ListOptions options;
  options.continue_token = "a+b==";
  options.resource_version = "0";
  EXPECT_EQ(ListTarget(kPodResource, "", options), "/api/v1/pods?limit=500&continue=a%2Bb%3D%3D");
}

TEST(Resource, WatchTargetsGoOnOrStream) {
  WatchOptions options;
  options.resource_version = "1234";
  options.timeout_seconds = 300;
  EXPECT_EQ(WatchTarget(kNodes, "", options),
            "/api/v1/nodes?watch=1&resourceVersion=1234&allowWatchBookmarks=true"
            "&timeoutSeconds=300");
  WatchOptions streaming;
  streaming.send_initial_events = true;
  EXPECT_EQ(WatchTarget(kNodes, "", streaming),
            "/api/v1/nodes?watch=1&allowWatchBookmarks=true&sendInitialEvents=true"
            "&resourceVersionMatch=NotOlderThan");
}

}  // namespace
}  // namespace evenkeel::kube
