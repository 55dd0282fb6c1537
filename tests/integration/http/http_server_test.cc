#include "http/http_server.h"

#include <gtest/gtest.h>

#include <fstream>
#include <latch>

#include "tests/integration/http/raw_client.h"
#include "tests/unit/report/temporary_folder.h"

namespace evenkeel::http {
namespace {

/// Answers with the request; /file answers with a file.
class Echo final : public HttpHandler {
 public:
  HttpResponse Handle(const HttpRequest& request) override {
    HttpResponse response;
    if (request.target == "/throw") throw std::runtime_error("oops");
    if (request.target == "/file") {
      response.file = ServedFile::Open(file.parent_path(), file.filename().string());
      if (!response.file) return NotFound();
    } else if (request.target == "/body") {
      response.body = request.body;
    } else {
      response.body = request.method + " " + request.target + " " + request.authorization;
    }
    return response;
  }
  std::filesystem::path file;
};

class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() {
    options_.address = "127.0.0.1:0";
    options_.request_timeout = std::chrono::milliseconds(300);
    options_.idle_timeout = std::chrono::milliseconds(300);
    options_.write_timeout = std::chrono::milliseconds(300);
    options_.max_connections = 4;
  }
  void Serve() {
    auto server = HttpServer::Start(options_, echo_);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
  }
  RawClient Connect() { return RawClient(server_->Port()); }

  HttpServerOptions options_;
  Echo echo_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersRequestsInOrder) {
  Serve();
  RawClient client = Connect();
  for (const char* target : {"/a", "/b?c=d"}) {
    client.Send("GET " + std::string(target) + " HTTP/1.1\r\nHost: x\r\nAuthorization: me\r\n\r\n");
    const auto answer = client.ReadAnswer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "GET " + std::string(target) + " me");
  }
}

TEST_F(HttpServerTest, HeadHasNoBodyButItsLength) {
  Serve();
  RawClient client = Connect();
  client.Send("HEAD /abc HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string all = client.ReadToEnd();
  EXPECT_NE(all.find("Content-Length: 10\r\n"), std::string::npos) << all;
  EXPECT_EQ(all.substr(all.find("\r\n\r\n") + 4), "");
}

TEST_F(HttpServerTest, FilesOfAnySizeAreSent) {
  report::TemporaryFolder folder;
  echo_.file = folder.Path() / "large";
  const std::string bytes(5'000'000, 'x');
  std::ofstream(echo_.file) << bytes;
  Serve();
  RawClient client = Connect();
  client.Send("GET /file HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().body.size(), bytes.size());
  std::filesystem::remove(echo_.file);
  client.Send("GET /file HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().status, 404);
}

TEST_F(HttpServerTest, RefusesOversizedAndMalformedRequests) {
  Serve();
  const std::string large_header = "GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n";
  const std::string large_body =
      "POST / HTTP/1.1\r\nContent-Length: 20000\r\n\r\n" + std::string(20'000, 'x');
  const std::string claimed_body = "POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n";
  for (const auto& [request, want] :
       {std::pair{large_header, 413}, std::pair{large_body, 413}, std::pair{claimed_body, 413},
        std::pair{std::string("\x16\x03\x01 hello\r\n\r\n"), 400},
        std::pair{std::string("GET /\r\n\r\n"), 400}}) {
    RawClient client = Connect();
    client.Send(request);
    const std::string all = client.ReadToEnd();
    // A peer that is refused while it still sends may see the connection reset before the answer.
    if (!all.empty()) {
      EXPECT_EQ(all.substr(0, 12), "HTTP/1.1 " + std::to_string(want));
    }
  }
}

TEST_F(HttpServerTest, ClosesConnectionsThatSendNothing) {
  Serve();
  RawClient silent = Connect();
  RawClient slow = Connect();
  slow.Send("GET / HTTP/1.1\r\nHost: ");
  RawClient idle = Connect();
  idle.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(idle.ReadAnswer().status, 200);
  EXPECT_EQ(silent.ReadToEnd(), "");
  EXPECT_EQ(slow.ReadToEnd(), "");
  EXPECT_EQ(idle.ReadToEnd(), "");
}

TEST_F(HttpServerTest, ClosesConnectionsThatReadNothing) {
  report::TemporaryFolder folder;
  echo_.file = folder.Path() / "large";
  std::ofstream(echo_.file) << std::string(50'000'000, 'x');
  options_.max_connections = 1;
  Serve();
  RawClient lazy = Connect();
  lazy.Send("GET /file HTTP/1.1\r\nHost: x\r\n\r\n");
  // Only when the first one is gone there is a place for another.
  EXPECT_TRUE(Eventually([this] {
    RawClient next = Connect();
    next.Send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return !next.ReadToEnd().empty();
  }));
}

TEST_F(HttpServerTest, ANewConnectionReplacesTheLongestIdle) {
  options_.request_timeout = options_.idle_timeout = std::chrono::seconds(30);
  Serve();
  std::vector<RawClient> open;
  for (int i = 0; i < 4; ++i) {
    open.push_back(Connect());
    open.back().Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(open.back().ReadAnswer().status, 200);
  }
  open[0].Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(open[0].ReadAnswer().status, 200);
  RawClient fifth = Connect();
  EXPECT_EQ(open[1].ReadToEnd(), "");
  for (RawClient* still : {&open[0], &open[2], &open[3], &fifth}) {
    still->Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(still->ReadAnswer().status, 200);
  }
}

/// Blocks requests for /wait until the test releases them.
class Gate final : public HttpHandler {
 public:
  HttpResponse Handle(const HttpRequest& request) override {
    if (request.target == "/wait") {
      entered_.count_down();
      open_.wait();
    }
    return PlainAnswer(200, "ok");
  }
  void AwaitRequest() { entered_.wait(); }
  void Open() { open_.count_down(); }

 private:
  std::latch entered_{1};
  std::latch open_{1};
};

TEST_F(HttpServerTest, AConnectionWithAPendingRequestStays) {
  Gate gate;
  options_.threads = 2;
  options_.max_connections = 1;
  auto server = HttpServer::Start(options_, gate);
  ASSERT_TRUE(server) << server.error().message;
  RawClient busy((*server)->Port());
  busy.Send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  gate.AwaitRequest();
  RawClient refused((*server)->Port());
  EXPECT_EQ(refused.ReadToEnd(), "");
  gate.Open();
  EXPECT_EQ(busy.ReadAnswer().status, 200);
}

TEST_F(HttpServerTest, TheTimeForAHeaderBeginsWithItsFirstByte) {
  options_.idle_timeout = std::chrono::seconds(60);
  Serve();
  RawClient slow = Connect();
  slow.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(slow.ReadAnswer().status, 200);
  slow.Send("G");
  EXPECT_EQ(slow.ReadToEnd(), "");  // the client waits for 30 s only
}

TEST_F(HttpServerTest, ABodyReachesTheHandler) {
  Serve();
  RawClient client = Connect();
  client.Send("PUT /body HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(client.ReadAnswer().body, "hello");
}

TEST_F(HttpServerTest, FilesAreNotServedThroughSymbolicLinks) {
  report::TemporaryFolder folder;
  std::filesystem::create_symlink("/etc/passwd", folder.Path() / "report.html");
  echo_.file = folder.Path() / "report.html";
  Serve();
  RawClient client = Connect();
  client.Send("GET /file HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().status, 404);
}

TEST_F(HttpServerTest, HeldConnectionsDoNotBlockOthers) {
  options_ = {};
  options_.address = "127.0.0.1:0";
  Serve();
  std::vector<RawClient> held;
  for (int i = 0; i < 500; ++i) {
    held.push_back(Connect());
    // Some never send anything, some keep a connection alive, some stop within a header.
    if (i % 3 == 1) held.back().Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    if (i % 3 == 2) held.back().Send("GET / HTTP/1.1\r\nHost: ");
  }
  for (const char* source : {"127.0.0.1", "127.0.0.2"}) {
    RawClient next(server_->Port(), source);
    next.Send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(next.ReadAnswer().status, 200) << source;
  }
}

TEST_F(HttpServerTest, AnErrorOfAHandlerIsAnAnswer) {
  Serve();
  RawClient client = Connect();
  client.Send("GET /throw HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().status, 500);
}

TEST_F(HttpServerTest, ReportsAddressesItCannotBind) {
  Serve();
  for (const char* address : {"", "7401", ":7401", "here:1", "127.0.0.1:99999", "127.0.0.1:"}) {
    options_.address = address;
    const auto second = HttpServer::Start(options_, echo_);
    ASSERT_FALSE(second) << address;
    EXPECT_EQ(second.error().code, ErrorCode::kInvalidInput) << address;
  }
  options_.address = "127.0.0.1:" + std::to_string(server_->Port());
  const auto taken = HttpServer::Start(options_, echo_);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kUnavailable);
  options_.address = "127.0.0.1:0";
  options_.https = HttpIdentity{"no", "such"};
  const auto unsafe = HttpServer::Start(options_, echo_);
  ASSERT_FALSE(unsafe);
  EXPECT_EQ(unsafe.error().code, ErrorCode::kInvalidInput);
}

TEST_F(HttpServerTest, EndsWithConnectionsOpen) {
  Serve();
  RawClient client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().status, 200);
  server_.reset();
  EXPECT_EQ(client.ReadToEnd(), "");
}

}  // namespace
}  // namespace evenkeel::http
