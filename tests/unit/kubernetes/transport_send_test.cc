#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "kubernetes/credentials.h"
#include "tests/unit/kubernetes/server_fixture.h"
#include "tests/unit/kubernetes/virtual_time.h"
#include "tests/unit/report/temporary_folder.h"

namespace evenkeel::kube {
namespace {

using std::chrono::seconds;

CpprestOptions SmallBodies() {
  CpprestOptions options;
  options.max_body_bytes = 100'000;
  options.user_agent = "evenkeel-test/1";
  return options;
}

class TransportSend : public ServerTest {
 protected:
  TransportSend() : ServerTest(SmallBodies()) {}

  [[nodiscard]] Result<Response> Get(const std::string& target, Duration timeout = seconds(20)) {
    return transport_->Send({"GET", target, "", "", timeout});
  }
  void ExpectError(const Result<Response>& answer, const std::string& part) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(answer.error().message.find(part), std::string::npos) << answer.error().message;
    EXPECT_EQ(answer.error().message.find("limit=5"), std::string::npos) << "the query is left out";
  }
};

TEST_F(TransportSend, CarriesTargetsHeadersAndBodiesUnchanged) {
  const std::string target = "/api/v1/namespaces/demo/pods?labelSelector=a%3Db%2Cc%20%2B&limit=5";
  ASSERT_TRUE(Get(target));
  const std::string body = Pod("caf\xc3\xa9").dump();
  ASSERT_TRUE(transport_->Send({"PATCH", "/api/v1/namespaces/demo/pods/x?fieldManager=me",
                                "application/apply-patch+yaml", body}));
  const auto seen = server_.Requests();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].target, target);
  EXPECT_EQ(seen[0].user_agent, "evenkeel-test/1");
  EXPECT_EQ(seen[0].authorization, "");
  EXPECT_EQ(seen[1].method, "PATCH");
  EXPECT_EQ(seen[1].content_type, "application/apply-patch+yaml");
  EXPECT_EQ(seen[1].body, body);
}

TEST_F(TransportSend, ErrorStatusesAreResponses) {
  support::Fault fault;
  fault.status = 429;
  fault.retry_after_seconds = 12;
  server_.Inject(fault);
  const auto answer = Get("/api/v1/pods");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->retry_after, seconds(12));
  EXPECT_NE(answer->body.find("TooManyRequests"), std::string::npos);
}

TEST_F(TransportSend, RedirectsAreNotFollowed) {
  support::Fault fault;
  fault.status = 307;
  server_.Inject(fault);
  EXPECT_EQ(Get("/api/v1/pods")->status, 307);
  EXPECT_EQ(server_.Requests().size(), 1u);
}

TEST_F(TransportSend, ASlowResponseTimesOut) {
  support::Fault slow;
  slow.delay = seconds(30);
  server_.Inject(slow);
  const auto begin = std::chrono::steady_clock::now();
  ExpectError(Get("/api/v1/pods?limit=5", seconds(1)), "no whole answer within 1 s");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(5));
  EXPECT_TRUE(Get("/api/v1/pods"));
}

TEST_F(TransportSend, ConnectionsThatBreakAreErrors) {
  server_.Put(kPodsPath, Pod("a"));
  support::Fault reset;
  reset.reset = true;
  server_.Inject(reset);
  ExpectError(Get("/api/v1/pods?limit=5"), "GET " + server_.url() + "/api/v1/pods: ");
  support::Fault cut;
  cut.cut_body_after = 20;
  server_.Inject(cut);
  ExpectError(Get("/api/v1/pods?limit=5"), "/api/v1/pods: ");
  EXPECT_TRUE(Get("/api/v1/pods"));
}

TEST_F(TransportSend, ALargeAnswerIsRefused) {
  auto pod = Pod("a");
  pod["spec"]["text"] = std::string(200'000, 'x');
  server_.Put(kPodsPath, pod);
  ExpectError(Get("/api/v1/pods"), "larger than 100000 bytes");
  server_.Erase(kPodsPath, "demo", "a");
  EXPECT_TRUE(Get("/api/v1/pods"));
}

TEST_F(TransportSend, AServerThatIsAwayAndComesBack) {
  ASSERT_TRUE(Get("/api/v1/pods"));
  server_.GoDown();
  ExpectError(Get("/api/v1/pods"), "/api/v1/pods: ");
  server_.ComeUp();
  const auto answer = Get("/api/v1/pods");
  EXPECT_TRUE(answer) << answer.error().message;
}

TEST_F(TransportSend, RequestsThatCannotBeSentAreInvalid) {
  for (const char* target : {"/api v1", "/x\r\nHost: evil", "http://["}) {
    const auto answer = Get(target);
    ASSERT_FALSE(answer) << target;
    EXPECT_EQ(answer.error().code, ErrorCode::kInvalidInput) << answer.error().message;
  }
  EXPECT_TRUE(server_.Requests().empty());
}

TEST_F(TransportSend, ManyThreadsShareIt) {
  server_.Put(kPodsPath, Pod("a"));
  std::atomic<int> good{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 10; ++k) good += client_->Get(kPods, "demo", "a") ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(good, 160);
}

TEST_F(TransportSend, ATokenThatWasReplacedIsTakenUp) {
  const report::TemporaryFolder folder;
  const std::string file = (folder.Path() / "token").string();
  std::ofstream(file) << "old" << std::flush;
  VirtualTime time;
  CpprestOptions options;
  options.server = server_.url();
  options.tokens = std::make_shared<TokenSource>(file, time);
  const auto transport = MakeCpprestTransport(options);
  ASSERT_TRUE(transport);
  ClientOptions client_options;
  client_options.tokens = options.tokens.get();
  const Client client(**transport, client_options);

  server_.SetAcceptedTokens({"old"});
  EXPECT_TRUE(client.List(kPods, ""));
  std::ofstream(file) << "new" << std::flush;
  server_.SetAcceptedTokens({"new"});
  EXPECT_TRUE(client.List(kPods, ""));
  const auto seen = server_.Requests();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[1].authorization, "Bearer old");
  EXPECT_EQ(seen[1].status, 401);
  EXPECT_EQ(seen[2].authorization, "Bearer new");
}

TEST(TransportSendAlone, AServerThatStartedAgainAnswersTheFirstRequest) {
  support::InMemoryApiServer server;
  CpprestOptions options;
  options.server = server.url();
  options.keep_connections = false;
  const auto transport = MakeCpprestTransport(options);
  ASSERT_TRUE(transport) << transport.error().message;
  const Request question{"POST", "/api/v1/namespaces/demo/pods", "application/json",
                         Pod("a").dump()};
  for (int start = 0; start < 5; ++start) {
    const auto answer = (*transport)->Send(question);
    EXPECT_TRUE(answer) << answer.error().message;
    server.GoDown();
    EXPECT_FALSE((*transport)->Send(question));
    server.ComeUp();
  }
}

TEST(TransportMaking, RejectsInvalidOptions) {
  CpprestOptions options;
  for (const char* server : {"", "k3s", "https://"}) {
    options.server = server;
    const auto made = MakeCpprestTransport(options);
    ASSERT_FALSE(made) << server;
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidInput);
  }
}

TEST(TransportMaking, TalksToIpV6) {
  support::InMemoryApiServerOptions where;
  where.address = "::1";
  const support::InMemoryApiServer server(where);
  CpprestOptions options;
  options.server = server.url();
  const auto transport = MakeCpprestTransport(options);
  ASSERT_TRUE(transport) << transport.error().message;
  const auto answer = (*transport)->Send({"GET", "/api/v1/pods", "", ""});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
}

TEST(TransportMaking, KeepsThePrefixOfTheServer) {
  const support::InMemoryApiServer server;
  CpprestOptions options;
  options.server = server.url() + "/k8s/clusters/c-1";
  const auto transport = MakeCpprestTransport(options);
  ASSERT_TRUE((*transport)->Send({"GET", "/api/v1/pods?limit=1", "", ""}));
  EXPECT_EQ(server.Requests()[0].target, "/k8s/clusters/c-1/api/v1/pods?limit=1");
}

}  // namespace
}  // namespace evenkeel::kube
