#include <gtest/gtest.h>

#include "kubernetes/config.h"

namespace evenkeel::kube {
namespace {

TEST(ServerAddress, ReadsHostPortAndPrefix) {
  const auto address = ParseServerAddress("https://10.43.0.1:6443/k8s/clusters/c-1/");
  ASSERT_TRUE(address);
  EXPECT_TRUE(address->secure);
  EXPECT_EQ(address->host, "10.43.0.1");
  EXPECT_EQ(address->port, 6443);
  EXPECT_EQ(address->prefix, "/k8s/clusters/c-1");
  EXPECT_EQ(address->Url(), "https://10.43.0.1:6443/k8s/clusters/c-1");
  EXPECT_TRUE(address->IsIpAddress());
}

TEST(ServerAddress, HasTheUsualPorts) {
  EXPECT_EQ(ParseServerAddress("https://k3s.local")->HostAndPort(), "k3s.local:443");
  EXPECT_EQ(ParseServerAddress("http://127.0.0.1")->HostAndPort(), "127.0.0.1:80");
  EXPECT_FALSE(ParseServerAddress("https://k3s.local")->IsIpAddress());
}

TEST(ServerAddress, IpV6StandsInBrackets) {
  const auto address = ParseServerAddress("https://[fd00::1]:6443");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->host, "fd00::1");
  EXPECT_EQ(address->Url(), "https://[fd00::1]:6443");
  EXPECT_TRUE(address->IsIpAddress());
}

TEST(ServerAddress, RefusesEverythingElse) {
  for (const char* url :
       {"", "k3s.local", "ftp://x", "https://", "https://:6443", "https://x:0", "https://x:70000",
        "https://x:12a", "https://user@x", "https://x?q", "https://x/#f", "https://[::1",
        "https://[nonsense]", "https://a b", "https://fd00::1", "https://x\r\nHost: y"}) {
    EXPECT_FALSE(ParseServerAddress(url)) << url;
  }
}

}  // namespace
}  // namespace evenkeel::kube
