#include "operator/kube/cpprest_transport.h"

#include <algorithm>
#include <utility>

#include "operator/kube/body_pipe.h"
#include "operator/kube/cpprest_http.h"
#include "operator/kube/line_splitter.h"
#include "operator/kube/server_address.h"

namespace evenkeel::kube {
namespace {

using Kind = BodyPipe::Piece::Kind;

/// What a refused watch may say about it.
constexpr std::size_t kMaxRefusalBytes = 1u << 20;

bool IsSuccess(int status) { return status >= 200 && status < 300; }

BodyPipe::Deadline After(Duration pause) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(pause);
}

std::string Seconds(Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(duration).count()) + " s";
}

class CpprestTransport final : public Transport {
 public:
  CpprestTransport(std::unique_ptr<CpprestHttp> http, std::string server, CpprestOptions options)
      : http_(std::move(http)), server_(std::move(server)), options_(std::move(options)) {}

  Result<Response> Send(const Request& request) override {
    const Duration limit = std::min(request.timeout, kLongestSend);
    const auto deadline = After(limit);
    const auto pipe = std::make_shared<BodyPipe>();
    const auto connection = options_.keep_connections ? CpprestHttp::Connection::kShared
                                                      : CpprestHttp::Connection::kOwn;
    if (auto begun = Begin(request, connection, pipe); !begun) {
      return tl::unexpected(begun.error());
    }
    std::string body;
    for (;;) {
      const BodyPipe::Piece piece = pipe->Next(deadline, {});
      if (piece.kind == Kind::kBytes) {
        if (piece.text.size() > options_.max_body_bytes - body.size()) {
          pipe->Abandon();
          return Broken(request, "the answer is larger than " +
                                     std::to_string(options_.max_body_bytes) + " bytes");
        }
        body += piece.text;
        continue;
      }
      if (piece.kind == Kind::kEnd) return Whole(*pipe, std::move(body));
      pipe->Abandon();
      if (piece.kind == Kind::kFailed) return Broken(request, piece.text);
      return Broken(request, "no whole answer within " + Seconds(limit));
    }
  }

  Result<Response> Stream(const Request& request, LineSink& sink, std::stop_token stop) override {
    const auto pipe = std::make_shared<BodyPipe>();
    if (auto begun = Begin(request, CpprestHttp::Connection::kOwn, pipe); !begun) {
      return tl::unexpected(begun.error());
    }
    Result<Response> answer = Follow(request, sink, stop, *pipe);
    pipe->Abandon();
    return answer;
  }

 private:
  /// The library's own limit of silence is a little longer, so that ours speaks first.
  static constexpr Duration kLongestSend = std::chrono::seconds(60);

  Result<void> Begin(const Request& request, CpprestHttp::Connection connection,
                     const std::shared_ptr<BodyPipe>& pipe) {
    std::string token;
    if (options_.tokens) {
      Result<std::string> current = options_.tokens->Token();
      if (!current) return tl::unexpected(current.error());
      token = *std::move(current);
    }
    return http_->Begin(request, token, connection, pipe);
  }

  Result<Response> Follow(const Request& request, LineSink& sink, const std::stop_token& stop,
                          BodyPipe& pipe) const {
    LineSplitter lines(options_.max_line_bytes);
    std::string refusal;
    for (;;) {
      const BodyPipe::Piece piece = pipe.Next(After(request.timeout), stop);
      const Response head = pipe.Head();
      if (piece.kind == Kind::kStopped) return head;
      if (piece.kind == Kind::kFailed) return Broken(request, piece.text);
      if (piece.kind == Kind::kLate) {
        return Broken(request, "silent for " + Seconds(request.timeout));
      }
      if (piece.kind == Kind::kEnd) {
        if (lines.InMidLine()) return Broken(request, "the stream ended in mid-line");
        return Whole(pipe, std::move(refusal));
      }
      if (!IsSuccess(head.status)) {
        refusal.append(piece.text, 0, kMaxRefusalBytes - refusal.size());
        continue;
      }
      const auto outcome = lines.Feed(piece.text, sink);
      if (outcome == LineSplitter::Outcome::kStopped) return head;
      if (outcome == LineSplitter::Outcome::kTooLong) {
        return Broken(
            request, "a line is longer than " + std::to_string(options_.max_line_bytes) + " bytes");
      }
    }
  }

  static Result<Response> Whole(const BodyPipe& pipe, std::string body) {
    Response response = pipe.Head();
    response.body = std::move(body);
    return response;
  }

  Result<Response> Broken(const Request& request, const std::string& why) const {
    const std::string path = request.target.substr(0, request.target.find('?'));
    return Fail(ErrorCode::kUnavailable, request.method + " " + server_ + path + ": " + why);
  }

  const std::unique_ptr<CpprestHttp> http_;
  const std::string server_;
  const CpprestOptions options_;
};

}  // namespace

Result<std::unique_ptr<Transport>> MakeCpprestTransport(CpprestOptions options) {
  const Result<ServerAddress> server = ParseServerAddress(options.server);
  if (!server) return tl::unexpected(server.error());
  auto http = CpprestHttp::Make(*server, options);
  if (!http) return tl::unexpected(http.error());
  return std::make_unique<CpprestTransport>(*std::move(http), server->Url(), std::move(options));
}

}  // namespace evenkeel::kube
