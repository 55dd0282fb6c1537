#include "kubernetes/cpprest_transport.h"

#include <cpprest/http_client.h>
#include <cpprest/producerconsumerstream.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <pplx/threadpool.h>

#include <algorithm>
#include <boost/asio/ssl/context.hpp>
#include <charconv>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "kubernetes/config.h"
#include "kubernetes/credentials.h"
#include "kubernetes/line_stream.h"

namespace boost::asio::ssl {
class context;
}

namespace evenkeel::kube {

/// Sets up each new connection's context: at least TLS 1.2, only the given authorities, our
/// certificate. Throws boost's exceptions when called, but not if this function has been called
/// before with the same settings and said that they are good.
[[nodiscard]] Result<std::function<void(boost::asio::ssl::context&)>> MakeTlsSetup(
    const TlsSettings& settings);

namespace {

struct Freed {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_STORE* store) const { X509_STORE_free(store); }
};

/// A store with the certificates of a PEM text, none of the system's.
std::unique_ptr<X509_STORE, Freed> StoreOf(const std::string& ca_pem) {
  std::unique_ptr<X509_STORE, Freed> store(X509_STORE_new());
  const std::unique_ptr<BIO, Freed> text(
      BIO_new_mem_buf(ca_pem.data(), static_cast<int>(ca_pem.size())));
  bool any = false;
  while (const std::unique_ptr<X509, Freed> certificate{
      PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr)}) {
    X509_STORE_add_cert(store.get(), certificate.get());
    any = true;
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!any || !at_end) throw std::runtime_error("the CA must be certificates in PEM form");
  // Trust the given certificates even if they are not the root of their chain.
  X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN);
  return store;
}

/// Without this OpenSSL would ask for the pass phrase on the terminal.
int NoPassPhrase(char*, int, int, void*) { return 0; }

void ShowCertificate(boost::asio::ssl::context& context, const TlsSettings& settings) {
  if (settings.certificate_pem.empty() && settings.key_pem.empty()) return;
  SSL_CTX_set_default_passwd_cb(context.native_handle(), NoPassPhrase);
  try {
    context.use_certificate_chain(boost::asio::buffer(settings.certificate_pem));
  } catch (const std::exception&) {
    throw std::runtime_error("the client certificate is no certificate in PEM form");
  }
  try {
    context.use_private_key(boost::asio::buffer(settings.key_pem), boost::asio::ssl::context::pem);
  } catch (const std::exception&) {
    throw std::runtime_error(
        "the client key is no key in PEM form without pass phrase, or not the certificate's");
  }
}

void SetUp(boost::asio::ssl::context& context, const TlsSettings& settings) {
  SSL_CTX* const native = context.native_handle();
  if (SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION) != 1) {
    throw std::runtime_error("TLS 1.2 is not available");
  }
  // Set even without a CA: an empty store trusts no server, the default store trusts many.
  SSL_CTX_set_cert_store(
      native, settings.ca_pem.empty() ? X509_STORE_new() : StoreOf(settings.ca_pem).release());
  ShowCertificate(context, settings);
}

}  // namespace

Result<std::function<void(boost::asio::ssl::context&)>> MakeTlsSetup(const TlsSettings& settings) {
  if (settings.ca_pem.empty() && !settings.skip_verification) {
    return InvalidInput("TLS: a CA is needed to know the server by");
  }
  try {
    boost::asio::ssl::context trial(boost::asio::ssl::context::sslv23);
    SetUp(trial, settings);
  } catch (const std::exception& failure) {
    return InvalidInput(std::string("TLS: ") + failure.what());
  }
  return [settings](boost::asio::ssl::context& context) { SetUp(context, settings); };
}

/// Counts the requests that the library's threads still work on. Thread-safe.
class OpenRequests {
 public:
  void Add() {
    const std::lock_guard lock(mutex_);
    ++count_;
  }
  void Remove() {
    const std::lock_guard lock(mutex_);
    if (--count_ == 0) none_.notify_all();
  }
  /// Returns when there is none, or after `patience`.
  void AwaitNone(Duration patience) {
    std::unique_lock lock(mutex_);
    none_.wait_for(lock, patience, [this] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  std::int64_t count_ = 0;
};

/// Puts requests to cpprestsdk and lets the answers run into pipes. Thread-safe.
class CpprestHttp {
 public:
  /// Errors as of MakeCpprestTransport.
  [[nodiscard]] static Result<std::unique_ptr<CpprestHttp>> Make(const ServerAddress& server,
                                                                 const CpprestOptions& options);
  /// All requests must have ended or been abandoned. Waits for the library's threads to be done
  /// with them, at most kPatience.
  ~CpprestHttp();

  enum class Connection {
    kShared,  ///< one of the pool; silence ends it after kLongestSilence
    kOwn      ///< closed afterwards; silence ends it a little after Request::timeout
  };
  static constexpr Duration kLongestSilence = std::chrono::seconds(65);
  static constexpr Duration kPatience = std::chrono::seconds(5);

  /// Starts a request, without waiting. `token` empty: no Authorization. An Error (kInvalidInput)
  /// if it cannot be sent; otherwise `pipe` tells.
  [[nodiscard]] Result<void> Begin(const Request& request, const std::string& token,
                                   Connection connection, const std::shared_ptr<BodyPipe>& pipe);

 private:
  struct Parts;
  explicit CpprestHttp(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

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

/// All threads of the library's pool meet here, each in the middle of one piece of queued work.
class PoolMeeting {
 public:
  void Arrive(Duration patience) {
    std::unique_lock lock(mutex_);
    if (++arrived_ == kPoolThreads) all_.notify_all();
    Await(lock, patience);
  }
  void AwaitAll(Duration patience) {
    std::unique_lock lock(mutex_);
    Await(lock, patience);
  }

 private:
  void Await(std::unique_lock<std::mutex>& lock, Duration patience) {
    all_.wait_for(lock, patience, [this] { return arrived_ >= kPoolThreads; });
  }

  std::mutex mutex_;
  std::condition_variable all_;
  std::size_t arrived_ = 0;
};

/// Waits until the library's threads have done what was queued for them, and what that has queued
/// in turn, at most `patience` for each of these.
void AwaitQueuedWork(Duration patience) {
  // One for the work that runs now, one for the observers that this work queues in
  // http_msg_base::_complete, and one for the end of these observers.
  constexpr int kMeetings = 3;
  static std::mutex one_at_a_time;  // two meetings could wait for each other's threads
  const std::lock_guard lock(one_at_a_time);
  for (int n = 0; n < kMeetings; ++n) {
    const auto meeting = std::make_shared<PoolMeeting>();
    for (std::size_t thread = 0; thread < kPoolThreads; ++thread) {
      // Not posted to Boost.Asio from here: its fences do not compile under the thread sanitizer.
      pplx::create_task([meeting, patience] { meeting->Arrive(patience); });
    }
    meeting->AwaitAll(patience);
  }
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
/// looked at here. The request is taken from `open` when the pipe has its end.
void Forward(const pplx::task<http_response>& answered, const std::shared_ptr<BodyPipe>& pipe,
             const std::shared_ptr<OpenRequests>& open) {
  open->Add();
  const auto finish = [pipe, open](const std::optional<std::string>& failure) {
    pipe->Finish(failure);
    open->Remove();
  };
  answered.then([pipe, finish](const pplx::task<http_response>& head) {
    try {
      const http_response response = head.get();
      pipe->SetHead(response.status_code(), RetryAfterOf(response));
      response.content_ready().then([finish](const pplx::task<http_response>& body) {
        try {
          body.get();
        } catch (const std::exception& failure) {
          return finish(Explain(failure));
        }
        finish(std::nullopt);
      });
    } catch (const std::exception& failure) {
      finish(Explain(failure));
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
  const std::shared_ptr<OpenRequests> open = std::make_shared<OpenRequests>();
};

CpprestHttp::CpprestHttp(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

CpprestHttp::~CpprestHttp() {
  // All requests have ended or are canceled. If the process ended now, what the library has queued
  // for its threads would be leaked: also the continuations of writes that found no reader.
  parts_->open->AwaitNone(kPatience);
  parts_->shared.reset();
  AwaitQueuedWork(kPatience);
}

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
    headers.add("Accept", request.accept);
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
      Forward(parts_->shared->request(message, cancel.get_token()), pipe, parts_->open);
    } else {
      http_client_config config = parts_->config;
      config.set_timeout(
          std::chrono::duration_cast<std::chrono::microseconds>(request.timeout + kSlack));
      Forward(http_client(parts_->base, config).request(message, cancel.get_token()), pipe,
              parts_->open);
    }
  } catch (const std::exception& failure) {
    return invalid(failure.what());
  }
  return {};
}

namespace {

using Kind = BodyPipe::Piece::Kind;

/// Limit of the body of a refused watch.
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
