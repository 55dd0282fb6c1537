#include <gtest/gtest.h>

#include <chrono>

#include "tests/unit/kubernetes/server_fixture.h"

namespace evenkeel::kube {
namespace {

using std::chrono::seconds;

/// Malformed or hostile answers, after which the connection ends.
const std::vector<std::string>& Nonsense() {
  static const std::vector<std::string> kAnswers = {
      "\r\n\r\n",
      "nonsense\r\n\r\n",
      "HTTP/1.1\r\n\r\n",
      "HTTP/1.1 abc OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nabc\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-7\r\nabc\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffff\r\nabc\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\nabc\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc",
      "HTTP/1.1 200 OK\r\na\nb:\n:\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
  };
  return kAnswers;
}

class TransportNonsense : public ServerTest {
 protected:
  void Answer(const std::string& bytes) {
    support::Fault fault;
    fault.raw_answer = bytes;
    server_.Inject(fault);
  }
};

TEST_F(TransportNonsense, IsNoList) {
  for (const std::string& answer : Nonsense()) {
    Answer(answer);
    EXPECT_FALSE(client_->List(kPods, "")) << answer;
  }
  EXPECT_TRUE(client_->List(kPods, ""));
}

TEST_F(TransportNonsense, IsNoStream) {
  for (const std::string& answer : Nonsense()) {
    Answer(answer);
    Lines lines;
    const auto broken =
        transport_->Stream({"GET", "/api/v1/pods?watch=1", "", "", seconds(5)}, lines, {});
    EXPECT_FALSE(broken) << answer;
    EXPECT_TRUE(lines.All().empty()) << answer;
  }
  EXPECT_TRUE(client_->List(kPods, ""));
}

}  // namespace
}  // namespace evenkeel::kube
