#include <gtest/gtest.h>

#include "tests/unit/kubernetes/server_fixture.h"

namespace evenkeel::kube {
namespace {

class ClientAndServer : public ServerTest {};

TEST_F(ClientAndServer, AnOldContinueTokenIsGone) {
  for (int i = 0; i < 3; ++i) server_.Put(kPodsPath, Pod("p" + std::to_string(i)));
  ListOptions options;
  options.limit = 2;
  const auto page = client_->List(kPods, "", options);
  ASSERT_TRUE(page);
  server_.CompactHistory();
  options.continue_token = page->continue_token;
  const auto gone = client_->List(kPods, "", options);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ApiErrorKind::kGone);
  EXPECT_EQ(gone.error().reason, "Expired");
}

TEST_F(ClientAndServer, OutlivesRefusalsForAMoment) {
  server_.Put(kPodsPath, Pod("a"));
  support::Fault busy;
  busy.status = 503;
  server_.Inject(busy);
  support::Fault slow_down;
  slow_down.status = 429;
  slow_down.retry_after_seconds = 1;
  server_.Inject(slow_down);
  EXPECT_TRUE(client_->Get(kPods, "demo", "a"));
  EXPECT_EQ(server_.Requests().size(), 3u);
}

}  // namespace
}  // namespace evenkeel::kube
