#include "http/http_client.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <future>

#include "http/http_server.h"
#include "tests/integration/http/scripted_server.h"
#include "tests/support/test_certificates.h"

namespace evenkeel::http {
namespace {

constexpr std::string_view kOkHead = "HTTP/1.1 200 OK\r\n";

/// Sanitizers keep freed memory for a while, so that resident memory says nothing.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsReused = false;
#else
constexpr bool kMemoryIsReused = true;
#endif

std::int64_t ResidentBytes() {
  std::int64_t total = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * ::getpagesize();
}

HttpCall Get(const std::string& address, const std::string& target = "/") {
  HttpCall call;
  call.peer.address = address;
  call.method = "GET";
  call.target = target;
  call.timeout = std::chrono::milliseconds(800);
  return call;
}

/// Says the target of each request, as long as the connection lasts.
void SayTargets(ScriptedServer::Peer& peer) {
  for (std::string request; !(request = peer.ReadRequest()).empty();) {
    const std::string body = request.substr(4, request.find(" HTTP") - 4);
    peer.Send(std::string(kOkHead) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
              body);
  }
}

/// Sends `piece` again and again, up to `total_bytes`; returns how many bytes the other side took.
std::int64_t Flood(ScriptedServer::Peer& peer, std::string_view head, const std::string& piece,
                   std::int64_t total_bytes) {
  peer.ReadRequest();
  std::int64_t sent = 0;
  if (!peer.Send(head)) return sent;
  while (sent < total_bytes && peer.Send(piece)) sent += static_cast<std::int64_t>(piece.size());
  return sent;
}

TEST(HttpClient, ConnectionsAreUsedAgain) {
  ScriptedServer server(SayTargets);
  HttpClient client;
  for (const std::string target : {"/a", "/b", "/c?d=e"}) {
    const auto reply = client.SendAndWait(Get(server.Address(), target));
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->status, 200);
    EXPECT_EQ(reply->body, target);
  }
  EXPECT_EQ(server.Connections(), 1);
}

TEST(HttpClient, SendsABody) {
  std::string head;
  std::string body(2, ' ');
  ScriptedServer server([&](ScriptedServer::Peer& peer) {
    head = peer.ReadRequest();
    peer.Read(body);
    peer.Send(std::string(kOkHead) + "Content-Length: 0\r\n\r\n");
  });
  HttpClient client;
  HttpCall call = Get(server.Address());
  call.method = "PUT";
  call.body = "{}";
  const auto reply = client.SendAndWait(call);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_NE(head.find("Content-Length: 2\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("Content-Type: application/json\r\n"), std::string::npos) << head;
  EXPECT_EQ(body, "{}");
}

TEST(HttpClient, AConnectionThatWasClosedMeanwhileIsReplaced) {
  ScriptedServer server([](ScriptedServer::Peer& peer) {
    peer.ReadRequest();
    peer.Send(std::string(kOkHead) + "Content-Length: 2\r\n\r\nhi");  // and closes
  });
  HttpClient client;
  for (int i = 0; i < 3; ++i) {
    const auto reply = client.SendAndWait(Get(server.Address()));
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->body, "hi");
  }
  EXPECT_EQ(server.Connections(), 3);
}

TEST(HttpClient, BytesAfterAnAnswerAreNoAnswerToTheNextCall) {
  ScriptedServer server([](ScriptedServer::Peer& peer) {
    peer.ReadRequest();
    peer.Send(std::string(kOkHead) + "Content-Length: 2\r\n\r\nhi" + std::string(kOkHead) +
              "Content-Length: 4\r\n\r\nlies");
    peer.Drain();
  });
  HttpClient client;
  for (int i = 0; i < 2; ++i) {
    const auto reply = client.SendAndWait(Get(server.Address()));
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->body, "hi");
  }
}

struct Hostile {
  std::string name;
  std::string head;   ///< sent once
  std::string piece;  ///< sent up to a gigabyte
};

class HttpClientFlood : public testing::TestWithParam<Hostile> {};

TEST_P(HttpClientFlood, EndsWithAnErrorAndTakesNoMemory) {
  ScriptedServer honest(SayTargets);
  std::promise<std::int64_t> taken;
  std::atomic<bool> is_first = true;
  ScriptedServer server([&](ScriptedServer::Peer& peer) {
    const std::int64_t bytes =
        Flood(peer, GetParam().head, GetParam().piece, std::int64_t{1} << 30);
    if (is_first.exchange(false)) taken.set_value(bytes);
  });
  HttpClient client;
  ASSERT_TRUE(client.SendAndWait(Get(honest.Address())));  // memory of the first call
  HttpCall call = Get(server.Address());
  call.max_body_bytes = 64U << 10;
  const std::int64_t before = ResidentBytes();
  const auto reply = client.SendAndWait(call);
  if (kMemoryIsReused) {
    EXPECT_LT(ResidentBytes() - before, 1 << 20);
  }
  ASSERT_FALSE(reply) << reply->body.size();
  // What the kernel keeps for both sides; more would have been read.
  EXPECT_LT(taken.get_future().get(), 16 << 20);
  EXPECT_EQ(reply.error().message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    All, HttpClientFlood,
    testing::Values(
        Hostile{"Headers", std::string(kOkHead), "X-Filler: " + std::string(1000, 'x') + "\r\n"},
        Hostile{"OneHeader", std::string(kOkHead) + "X: ", std::string(4096, 'x')},
        Hostile{"StatusLine", "HTTP/1.1 200 ", std::string(4096, 'x')},
        Hostile{"Chunks", std::string(kOkHead) + "Transfer-Encoding: chunked\r\n\r\n",
                "400\r\n" + std::string(1024, 'x') + "\r\n"},
        Hostile{"OneChunk", std::string(kOkHead) + "Transfer-Encoding: chunked\r\n\r\n40000000\r\n",
                std::string(4096, 'x')},
        Hostile{"ChunkExtensions", std::string(kOkHead) + "Transfer-Encoding: chunked\r\n\r\n1;e=",
                std::string(4096, 'x')},
        Hostile{"Trailers", std::string(kOkHead) + "Transfer-Encoding: chunked\r\n\r\n0\r\n",
                "X-Filler: " + std::string(1000, 'x') + "\r\n"},
        Hostile{"BodyToTheEnd", std::string(kOkHead) + "\r\n", std::string(4096, 'x')},
        Hostile{"LongBody", std::string(kOkHead) + "Content-Length: 1073741824\r\n\r\n",
                std::string(4096, 'x')},
        Hostile{"Interim", "",
                "HTTP/1.1 100 Continue\r\nX: " + std::string(1000, 'x') + "\r\n\r\n"},
        Hostile{"Garbage", "", std::string(4096, '\0')}),
    [](const auto& one) { return one.param.name; });

TEST(HttpClient, SilentPeersHoldNobodyElse) {
  ScriptedServer silent([](ScriptedServer::Peer& peer) { peer.Drain(); });
  ScriptedServer slow([](ScriptedServer::Peer& peer) {
    peer.ReadRequest();
    peer.Send(kOkHead);
    while (!peer.IsEnding() && peer.Send("X")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  ScriptedServer honest(SayTargets);
  const support::TestAuthority authority;
  HttpClient client;
  std::vector<std::promise<Result<HttpReply>>> replies(30);
  for (std::size_t i = 0; i < replies.size(); ++i) {
    HttpCall call = Get((i % 3 == 0 ? slow : silent).Address());
    if (i % 3 == 1) {  // a handshake that never ends
      call.peer.ca_pem = authority.ca_pem();
      call.peer.server_name = "localhost";
    }
    client.Send(std::move(call), [&promise = replies[i]](Result<HttpReply> reply) {
      promise.set_value(std::move(reply));
    });
  }
  std::vector<std::future<Result<HttpReply>>> futures;
  for (auto& promise : replies) futures.push_back(promise.get_future());
  const auto reply = client.SendAndWait(Get(honest.Address(), "/x"));
  ASSERT_TRUE(reply) << reply.error().message;
  // The others were under way all the time.
  EXPECT_EQ(futures.back().wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  for (auto& future : futures) {
    const auto late = future.get();
    ASSERT_FALSE(late);
    EXPECT_NE(late.error().message.find("no whole answer in time"), std::string::npos)
        << late.error().message;
  }
}

TEST(HttpClient, CallsBeyondTheLimitFailAtOnce) {
  ScriptedServer silent([](ScriptedServer::Peer& peer) { peer.Drain(); });
  HttpClient client({.max_calls = 2});
  std::promise<Result<HttpReply>> held[2];
  for (auto& promise : held) {
    client.Send(Get(silent.Address()),
                [&promise](Result<HttpReply> reply) { promise.set_value(std::move(reply)); });
  }
  const auto third = client.SendAndWait(Get(silent.Address()));
  ASSERT_FALSE(third);
  EXPECT_NE(third.error().message.find("too many calls"), std::string::npos);
  client.Stop();
  for (auto& promise : held) EXPECT_FALSE(promise.get_future().get());
  EXPECT_FALSE(client.SendAndWait(Get(silent.Address())));
}

TEST(HttpClient, ACallCanBeCancelled) {
  ScriptedServer silent([](ScriptedServer::Peer& peer) { peer.Drain(); });
  HttpClient client;
  HttpCall call = Get(silent.Address());
  call.timeout.reset();
  const auto reply = client.SendAndWait(call, [] { return true; });
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().message.find("cancelled"), std::string::npos);
}

TEST(HttpClient, ABodyIsHandedOverPieceByPiece) {
  constexpr std::size_t kPieces = 4096;
  ScriptedServer server([](ScriptedServer::Peer& peer) {
    peer.ReadRequest();
    peer.Send(std::string(kOkHead) + "Content-Length: " + std::to_string(kPieces << 10) +
              "\r\n\r\n");
    const std::string piece(1024, 'x');
    for (std::size_t i = 0; i < kPieces; ++i) peer.Send(piece);
    peer.Drain();
  });
  HttpClient client;
  HttpCall call = Get(server.Address());
  call.timeout.reset();
  call.max_silence = std::chrono::seconds(5);
  call.max_body_bytes = kPieces << 10;
  std::size_t received = 0;
  call.on_body = [&](std::string_view bytes, std::optional<std::uint64_t> total) -> Result<void> {
    EXPECT_EQ(total, kPieces << 10);
    received += bytes.size();
    return {};
  };
  const auto reply = client.SendAndWait(call);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(received, kPieces << 10);
  EXPECT_EQ(reply->body, "");

  call.max_body_bytes -= 1;
  const auto too_long = client.SendAndWait(call);
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().code, ErrorCode::kInternal);
}

TEST(HttpClient, AReceiverMayEndACall) {
  ScriptedServer server([](ScriptedServer::Peer& peer) {
    Flood(peer, std::string(kOkHead) + "\r\n", std::string(4096, 'x'), std::int64_t{1} << 30);
  });
  HttpClient client;
  HttpCall call = Get(server.Address());
  call.max_body_bytes = std::uint64_t{1} << 40;
  call.on_body = [](std::string_view, std::optional<std::uint64_t>) -> Result<void> {
    return Fail(ErrorCode::kInvalidInput, "the disk is full");
  };
  const auto reply = client.SendAndWait(call);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().message, "the disk is full");
}

TEST(HttpClient, SilenceEndsATransferOfAnyLength) {
  ScriptedServer server([](ScriptedServer::Peer& peer) {
    peer.ReadRequest();
    peer.Send(std::string(kOkHead) + "Content-Length: 100\r\n\r\nhalf");
    peer.Drain();
  });
  HttpClient client;
  HttpCall call = Get(server.Address());
  call.timeout.reset();
  call.max_silence = std::chrono::milliseconds(200);
  EXPECT_FALSE(client.SendAndWait(call));
}

class Hello final : public HttpHandler {
 public:
  HttpResponse Handle(const HttpRequest&) override {
    HttpResponse response;
    response.body = "hello";
    return response;
  }
};

TEST(HttpClient, TrustsOnlyItsAuthorityAndTheNameItExpects) {
  const support::TestAuthority authority;
  const support::TestAuthority other;
  const auto identity = authority.Issue("job-coordinator");
  HttpServerOptions options;
  options.address = "127.0.0.1:0";
  options.https = HttpIdentity{identity.certificate_pem, identity.key_pem};
  Hello hello;
  const auto server = HttpServer::Start(options, hello);
  ASSERT_TRUE(server) << server.error().message;
  HttpClient client;
  HttpCall call = Get("127.0.0.1:" + std::to_string((*server)->Port()));
  call.peer.ca_pem = authority.ca_pem();
  call.peer.server_name = "job-coordinator";
  const auto reply = client.SendAndWait(call);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body, "hello");

  HttpCall another_name = call;
  another_name.peer.server_name = "prey-coordinator";
  EXPECT_FALSE(client.SendAndWait(another_name));
  HttpCall another_authority = call;
  another_authority.peer.ca_pem = other.ca_pem();
  EXPECT_FALSE(client.SendAndWait(another_authority));
  HttpCall no_tls = call;
  no_tls.peer.ca_pem.clear();
  EXPECT_FALSE(client.SendAndWait(no_tls));
  HttpCall no_authority = call;
  no_authority.peer.ca_pem = "not a certificate";
  EXPECT_EQ(client.SendAndWait(no_authority).error().code, ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace evenkeel::http
