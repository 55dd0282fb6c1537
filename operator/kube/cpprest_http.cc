#include "operator/kube/cpprest_http.h"

#include <cpprest/http_client.h>
#include <cpprest/producerconsumerstream.h>
#include <pplx/threadpool.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <utility>

#include "operator/kube/cpprest_tls.h"

namespace evenkeel::kube {
namespace {

using web::http::http_request;
using web::http::http_response;
using web::http::client::http_client;
using web::http::client::http_client_config;

constexpr std::size_t kPoolThreads = 4;
constexpr Duration kSlack = std::chrono::seconds(5);
constexpr std::size_t kMaxChunkBytes = 64u << 20;

/// The library would make 40 threads, too many for a small board.
void LimitThreadPool() {
  static std::once_flag once;
  std::call_once(once, [] {
    try {
      crossplat::threadpool::initialize_with_threads(kPoolThreads);
    } catch (const std::exception&) {
      // Somebody used the library before us: the pool stays as it is.
      return;
    }
  });
}

/// Where the library writes the body to: hands all bytes to the pipe and makes the library wait
/// until the pipe has room. Nothing is ever read from it.
class PipeBuffer final
    : public Concurrency::streams::details::basic_producer_consumer_buffer<std::uint8_t> {
  using Base = Concurrency::streams::details::basic_producer_consumer_buffer<std::uint8_t>;

 public:
  explicit PipeBuffer(std::shared_ptr<BodyPipe> pipe) : Base(1), pipe_(std::move(pipe)) {}

 protected:
  using Base::_putn;
  pplx::task<std::size_t> _putn(const std::uint8_t* bytes, std::size_t count) override {
    // The library takes "-1" for the size of a chunk; an exception on its threads would end us.
    if (count > kMaxChunkBytes) {
      return pplx::task_from_exception<std::size_t>(std::runtime_error("a chunk is too large"));
    }
    const pplx::task_completion_event<std::size_t> taken;
    pipe_->Write({reinterpret_cast<const char*>(bytes), count}, [taken, count](bool go_on) {
      if (go_on) {
        taken.set(count);
      } else {
        taken.set_exception(std::runtime_error("nobody reads any more"));
      }
    });
    return pplx::create_task(taken);
  }

 private:
  const std::shared_ptr<BodyPipe> pipe_;
};

/// The host goes in without brackets: the library would hand them to the resolver.
web::uri BaseUri(const ServerAddress& server) {
  return web::uri_builder()
      .set_scheme(server.secure ? "https" : "http")
      .set_host(server.host)
      .set_port(server.port)
      .set_path(server.prefix)
      .to_uri();
}

std::optional<Duration> RetryAfterOf(const http_response& response) {
  const auto found = response.headers().find("Retry-After");
  if (found == response.headers().end()) return std::nullopt;
  const std::string& text = found->second;
  std::int64_t seconds = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || seconds < 0) {
    return std::nullopt;
  }
  return std::chrono::seconds(std::min<std::int64_t>(seconds, 3600));
}

std::string Explain(const std::exception& failure) {
  std::string text = failure.what();
  if (text.find("SSL handshake") != std::string::npos) {
    text +=
        " (the server's certificate must be signed by the given CA and be for this host; the"
        " server may also have refused ours)";
  }
  return text;
}

/// The library ends the process when the exception of a task is never looked at: each task's is
/// looked at here.
void Forward(const pplx::task<http_response>& answered, const std::shared_ptr<BodyPipe>& pipe) {
  answered.then([pipe](const pplx::task<http_response>& head) {
    try {
      const http_response response = head.get();
      pipe->SetHead(response.status_code(), RetryAfterOf(response));
      response.content_ready().then([pipe](const pplx::task<http_response>& body) {
        try {
          body.get();
          pipe->Finish(std::nullopt);
        } catch (const std::exception& failure) {
          pipe->Finish(Explain(failure));
        }
      });
    } catch (const std::exception& failure) {
      pipe->Finish(Explain(failure));
    }
  });
}

}  // namespace

struct CpprestHttp::Parts {
  web::uri base;
  http_client_config config;
  std::string user_agent;
  std::string server_name;
  std::unique_ptr<http_client> shared;
};

CpprestHttp::CpprestHttp(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
CpprestHttp::~CpprestHttp() = default;

Result<std::unique_ptr<CpprestHttp>> CpprestHttp::Make(const ServerAddress& server,
                                                       const CpprestOptions& options) {
  LimitThreadPool();
  auto parts = std::make_unique<Parts>();
  parts->user_agent = options.user_agent;
  parts->config.set_max_redirects(0);  // a redirect would take our token elsewhere
  if (server.secure) {
    auto setup = MakeTlsSetup(options.tls);
    if (!setup) return tl::unexpected(setup.error());
    parts->config.set_ssl_context_callback(*std::move(setup));
    parts->config.set_validate_certificates(!options.tls.skip_verification);
    parts->config.set_tlsext_sni_enabled(!server.IsIpAddress() || !options.tls.server_name.empty());
    parts->server_name = options.tls.server_name;
  }
  try {
    parts->base = BaseUri(server);
    http_client_config config = parts->config;
    config.set_timeout(std::chrono::duration_cast<std::chrono::microseconds>(kLongestSilence));
    parts->shared = std::make_unique<http_client>(parts->base, config);
  } catch (const std::exception& failure) {
    return InvalidInput("server address " + server.Url() + ": " + failure.what());
  }
  return std::unique_ptr<CpprestHttp>(new CpprestHttp(std::move(parts)));
}

Result<void> CpprestHttp::Begin(const Request& request, const std::string& token,
                                Connection connection, const std::shared_ptr<BodyPipe>& pipe) {
  const auto invalid = [&request](const std::string& why) {
    return InvalidInput(request.method + " " + request.target.substr(0, 200) + ": " + why);
  };
  if (!request.target.starts_with('/')) return invalid("the target must be a path");
  const pplx::cancellation_token_source cancel;
  try {
    http_request message(request.method);
    message.set_request_uri(web::uri(request.target));
    auto& headers = message.headers();
    headers.add("Accept", "application/json");
    headers.add("User-Agent", parts_->user_agent);
    // The library checks the certificate against the Host header, if there is one.
    if (!parts_->server_name.empty()) headers.add("Host", parts_->server_name);
    if (!token.empty()) headers.add("Authorization", "Bearer " + token);
    if (!request.content_type.empty()) message.set_body(request.body, request.content_type);
    const std::shared_ptr<Concurrency::streams::details::basic_streambuf<std::uint8_t>> buffer =
        std::make_shared<PipeBuffer>(pipe);
    message.set_response_stream(
        Concurrency::streams::streambuf<std::uint8_t>(buffer).create_ostream());
    pipe->OnAbandon([cancel] { cancel.cancel(); });
    if (connection == Connection::kShared) {
      Forward(parts_->shared->request(message, cancel.get_token()), pipe);
    } else {
      http_client_config config = parts_->config;
      config.set_timeout(
          std::chrono::duration_cast<std::chrono::microseconds>(request.timeout + kSlack));
      Forward(http_client(parts_->base, config).request(message, cancel.get_token()), pipe);
    }
  } catch (const std::exception& failure) {
    return invalid(failure.what());
  }
  return {};
}

}  // namespace evenkeel::kube
