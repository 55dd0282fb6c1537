#include "http/http_client.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <future>
#include <list>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "http/endpoint.h"
#include "http/tls_context.h"

namespace evenkeel::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = beast::http;
using Stream = beast::ssl_stream<beast::tcp_stream>;

/// Read at a time, beyond the header.
constexpr std::size_t kReadBytes = 16U << 10;
/// Kept of the body of an answer that is not the one that was asked for.
constexpr std::size_t kMaxComplaintBytes = 4096;
constexpr int kOk = 200;
constexpr auto kCancelInterval = std::chrono::milliseconds(250);
constexpr const char* kCut = "the answer is cut or malformed";

/// A connection to one peer. A plain one does not use the TLS layer of its stream.
struct Connection {
  Connection(asio::io_context& io, HttpPeer whom, TlsContext context, std::size_t max_buffer)
      : peer(std::move(whom)), tls(std::move(context)), stream(io, *tls), buffer(max_buffer) {}

  [[nodiscard]] bool IsPlain() const { return peer.ca_pem.empty(); }
  void Close() { beast::get_lowest_layer(stream).close(); }

  const HttpPeer peer;
  const TlsContext tls;  // outlives the stream
  Stream stream;
  beast::flat_buffer buffer;
  bool was_used = false;  ///< for a call before this one
};
using ConnectionPtr = std::shared_ptr<Connection>;

}  // namespace

/// Everything but Send() and Stop() runs on the thread of `io_`.
class HttpClient::Impl {
 public:
  explicit Impl(const HttpClientLimits& limits)
      : limits_(limits), work_(io_.get_executor()), thread_([this] { io_.run(); }) {}

  ~Impl() { Stop(); }

  /// Returns what ends the call with an error, if it has not ended.
  std::function<void()> Send(HttpCall call, OnReply on_reply);
  void Stop();

 private:
  class Exchange;
  struct Idle {
    ConnectionPtr connection;
    std::shared_ptr<asio::steady_timer> timer;
  };

  /// A connection that is kept for this peer; null if there is none.
  [[nodiscard]] ConnectionPtr TakeIdle(const HttpPeer& peer);
  void KeepIdle(ConnectionPtr connection);

  const HttpClientLimits limits_;
  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::list<Idle> idle_;  // the oldest first
  std::set<std::shared_ptr<Exchange>> exchanges_;
  std::mutex mutex_;
  bool stopped_ = false;  // guarded by mutex_
  std::thread thread_;
};

/// One call. Keeps itself alive by the callbacks it waits for.
class HttpClient::Impl::Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(Impl& client, HttpCall call, OnReply on_reply)
      : client_(client),
        call_(std::move(call)),
        on_reply_(std::move(on_reply)),
        timer_(client.io_) {}

  void Start() {
    if (call_.timeout) {
      timer_.expires_after(*call_.timeout);
      timer_.async_wait([self = shared_from_this()](beast::error_code error) {
        if (!error) self->Fail("no whole answer in time");
      });
    }
    connection_ = client_.TakeIdle(call_.peer);
    if (connection_) return Write();
    Connect();
  }

  void Fail(const std::string& why) {
    if (connection_) connection_->Close();
    Finish(evenkeel::Fail(ErrorCode::kUnavailable, call_.peer.address + ": " + why));
  }

 private:
  /// Calls `action` with the stream to the peer, whose next operation may last max_silence.
  template <typename Action>
  void WithStream(Action action) {
    beast::tcp_stream& tcp = beast::get_lowest_layer(connection_->stream);
    if (call_.max_silence) tcp.expires_after(*call_.max_silence);
    if (connection_->IsPlain()) {
      action(tcp);
    } else {
      action(connection_->stream);
    }
  }

  template <void (Exchange::*Next)()>
  auto Then(const char* what) {
    return [self = shared_from_this(), what](beast::error_code error, auto&&...) {
      if (self->is_done_) return;
      if (error) return self->Broken(what, error);
      (self.get()->*Next)();
    };
  }

  void Connect() {
    const auto endpoint = ParseEndpoint(call_.peer.address);
    if (!endpoint) return Finish(tl::unexpected<Error>(endpoint.error()));
    auto context =
        call_.peer.ca_pem.empty() ? MakeClientContext() : MakeClientContext(call_.peer.ca_pem);
    if (!context) return Finish(tl::unexpected<Error>(context.error()));
    connection_ = std::make_shared<Connection>(client_.io_, call_.peer, std::move(*context),
                                               client_.limits_.max_header_bytes + kReadBytes);
    beast::get_lowest_layer(connection_->stream)
        .async_connect(*endpoint, Then<&Exchange::Handshake>("cannot connect"));
  }

  void Handshake() {
    if (connection_->IsPlain()) return Write();
    Stream& stream = connection_->stream;
    stream.set_verify_callback(asio::ssl::host_name_verification(call_.peer.server_name));
    if (SSL_ctrl(stream.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                 const_cast<char*>(call_.peer.server_name.c_str())) != 1) {
      return Fail("the name " + call_.peer.server_name + " cannot be sent");
    }
    stream.async_handshake(asio::ssl::stream_base::client,
                           Then<&Exchange::Write>("the TLS handshake failed"));
  }

  void Write() {
    request_ = {};
    request_.version(11);
    request_.method_string(call_.method);
    request_.target(call_.target);
    request_.set(bhttp::field::host,
                 call_.peer.server_name.empty() ? call_.peer.address : call_.peer.server_name);
    request_.set(bhttp::field::user_agent, "evenkeel");
    if (!call_.authorization.empty()) {
      request_.set(bhttp::field::authorization, call_.authorization);
    }
    if (!call_.body.empty()) {
      request_.set(bhttp::field::content_type, "application/json");
      request_.body() = call_.body;
      request_.prepare_payload();
    }
    WithStream([this](auto& stream) {
      bhttp::async_write(stream, request_, Then<&Exchange::ReadHeader>("cannot send"));
    });
  }

  void ReadHeader() {
    reply_ = {};
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(client_.limits_.max_header_bytes));
    parser_->body_limit(call_.max_body_bytes);
    if (call_.method == "HEAD") parser_->skip(true);
    WithStream([this](auto& stream) {
      bhttp::async_read_header(stream, connection_->buffer, *parser_,
                               Then<&Exchange::ReadBody>(kCut));
    });
  }

  void ReadBody() {
    reply_.status = static_cast<int>(parser_->get().result_int());
    if (reply_.status < kOk) return Fail("an interim answer, which nobody asked for");
    if (parser_->is_done()) return Complete();
    parser_->get().body() = {piece_.data(), piece_.size(), true};
    WithStream([this](auto& stream) {
      bhttp::async_read(stream, connection_->buffer, *parser_,
                        [self = shared_from_this()](beast::error_code error, std::size_t) {
                          if (!self->is_done_) self->TakePiece(error);
                        });
    });
  }

  void TakePiece(beast::error_code error) {
    if (error && error != bhttp::error::need_buffer) return Broken(kCut, error);
    const std::string_view bytes(piece_.data(), piece_.size() - parser_->get().body().size);
    if (call_.on_body && reply_.status == kOk) {
      std::optional<std::uint64_t> total;
      if (const auto length = parser_->content_length()) total = *length;
      if (auto taken = call_.on_body(bytes, total); !taken) {
        connection_->Close();
        return Finish(tl::unexpected<Error>(std::move(taken.error())));
      }
    } else {
      reply_.body += bytes;
      if (call_.on_body && reply_.body.size() >= kMaxComplaintBytes) {
        connection_->Close();
        return Finish(std::move(reply_));
      }
    }
    ReadBody();
  }

  void Complete() {
    // What came after the answer belongs to nobody.
    if (parser_->keep_alive() && connection_->buffer.size() == 0) {
      client_.KeepIdle(std::exchange(connection_, nullptr));
    } else {
      connection_->Close();
    }
    Finish(std::move(reply_));
  }

  void Broken(const char* what, beast::error_code error) {
    // The peer may have closed a kept connection just before it was used again.
    const bool is_stale = connection_->was_used && (!parser_ || !parser_->got_some());
    if (is_stale) {
      connection_->Close();
      parser_.reset();
      return Connect();
    }
    if (error == bhttp::error::body_limit || error == bhttp::error::header_limit ||
        error == bhttp::error::buffer_overflow) {
      connection_->Close();
      return Finish(evenkeel::Fail(ErrorCode::kInternal,
                                   call_.peer.address + ": the answer is larger than allowed"));
    }
    Fail(std::string(what) + ": " + error.message());
  }

  void Finish(Result<HttpReply> result) {
    if (std::exchange(is_done_, true)) return;
    timer_.cancel();
    client_.exchanges_.erase(shared_from_this());
    std::exchange(on_reply_, nullptr)(std::move(result));
  }

  Impl& client_;
  const HttpCall call_;
  OnReply on_reply_;
  asio::steady_timer timer_;
  ConnectionPtr connection_;
  bhttp::request<bhttp::string_body> request_;
  std::optional<bhttp::response_parser<bhttp::buffer_body>> parser_;
  std::array<char, kReadBytes> piece_{};
  HttpReply reply_;
  bool is_done_ = false;
};

ConnectionPtr HttpClient::Impl::TakeIdle(const HttpPeer& peer) {
  const auto found = std::find_if(idle_.rbegin(), idle_.rend(),
                                  [&](const Idle& idle) { return idle.connection->peer == peer; });
  if (found == idle_.rend()) return nullptr;
  found->timer->cancel();
  ConnectionPtr connection = std::move(found->connection);
  idle_.erase(std::next(found).base());
  connection->was_used = true;
  return connection;
}

void HttpClient::Impl::KeepIdle(ConnectionPtr connection) {
  if (idle_.size() >= limits_.max_idle_connections) {
    if (idle_.empty()) return connection->Close();
    idle_.front().timer->cancel();
    idle_.front().connection->Close();
    idle_.pop_front();
  }
  beast::get_lowest_layer(connection->stream).expires_never();
  auto timer = std::make_shared<asio::steady_timer>(io_);
  timer->expires_after(limits_.idle_timeout);
  timer->async_wait([this, timer](beast::error_code error) {
    if (error) return;
    std::erase_if(idle_, [&](const Idle& idle) {
      if (idle.timer != timer) return false;
      idle.connection->Close();
      return true;
    });
  });
  idle_.push_back({std::move(connection), std::move(timer)});
}

std::function<void()> HttpClient::Impl::Send(HttpCall call, OnReply on_reply) {
  {
    const std::scoped_lock lock(mutex_);
    if (!stopped_) {
      auto exchange = std::make_shared<Exchange>(*this, std::move(call), std::move(on_reply));
      asio::post(io_, [this, exchange] {
        if (exchanges_.size() >= limits_.max_calls) return exchange->Fail("too many calls");
        exchanges_.insert(exchange);
        exchange->Start();
      });
      return [this, exchange = std::move(exchange)] {
        asio::post(io_, [exchange] { exchange->Fail("cancelled"); });
      };
    }
  }
  on_reply(evenkeel::Fail(ErrorCode::kUnavailable, "the client has stopped"));
  return [] {};
}

void HttpClient::Impl::Stop() {
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(stopped_, true)) return;
  }
  asio::post(io_, [this] {
    for (const Idle& idle : idle_) idle.timer->cancel();
    idle_.clear();
    for (const auto& exchange : std::set(exchanges_)) exchange->Fail("the client has stopped");
    work_.reset();
  });
  thread_.join();
}

HttpClient::HttpClient(const HttpClientLimits& limits) : impl_(std::make_unique<Impl>(limits)) {}
HttpClient::~HttpClient() = default;

void HttpClient::Send(HttpCall call, OnReply on_reply) {
  impl_->Send(std::move(call), std::move(on_reply));
}

Result<HttpReply> HttpClient::SendAndWait(HttpCall call,
                                          const std::function<bool()>& is_cancelled) {
  std::promise<Result<HttpReply>> promise;
  auto reply = promise.get_future();
  const auto cancel = impl_->Send(std::move(call), [&promise](Result<HttpReply> result) {
    promise.set_value(std::move(result));
  });
  if (is_cancelled) {
    while (reply.wait_for(kCancelInterval) != std::future_status::ready) {
      if (!is_cancelled()) continue;
      cancel();
      break;
    }
  }
  return reply.get();
}

void HttpClient::Stop() { impl_->Stop(); }

}  // namespace evenkeel::http
