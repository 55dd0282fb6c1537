#include <gtest/gtest.h>

#include "operator/health.h"
#include "tests/unit/kubernetes/against_server.h"

namespace evenkeel::controller {
namespace {

class ProbeTest : public kube::AgainstServer {};

TEST_F(ProbeTest, SaysWhatWasAnswered) {
  const auto answer = Probe(server_.url() + "/api/v1/nodes");
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_NE(answer->find("resourceVersion"), std::string::npos);
}

TEST_F(ProbeTest, EverythingElseIsAnError) {
  support::Fault down;
  down.filter = {"GET", "/readyz", {}};
  down.status = 503;
  server_.Inject(down);
  for (const std::string& url : {server_.url() + "/readyz", std::string("http://127.0.0.1:1"),
                                 std::string("nonsense"), std::string()}) {
    const auto answer = Probe(url);
    ASSERT_FALSE(answer.has_value()) << url;
    EXPECT_EQ(answer.error().message.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace evenkeel::controller
