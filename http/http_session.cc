#include "http/http_session.h"

#include <algorithm>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/log.h"

namespace evenkeel::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

constexpr std::uint32_t kMaxHeaderBytes = 16 * 1024;
constexpr std::uint64_t kMaxBodyBytes = 16 * 1024;
constexpr Duration kGoodbyeTimeout = std::chrono::seconds(2);
/// Least average rate at which a peer must take a response, in bytes per second.
constexpr std::uint64_t kLeastBytesPerSecond = 4096;

using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

/// A response on its way.
template <typename Body>
struct Outgoing {
  http::response<Body> message;
  http::response_serializer<Body> serializer{message};
  explicit Outgoing(http::response<Body> response) : message(std::move(response)) {}
};

std::string Text(beast::string_view view) { return {view.data(), view.size()}; }

template <typename Stream>
class Session final : public std::enable_shared_from_this<Session<Stream>> {
 public:
  template <typename... Arguments>
  Session(HttpSessionContext& context, TlsContext tls, Arguments&&... stream)
      : context_(context),
        tls_(std::move(tls)),
        stream_(std::forward<Arguments>(stream)...),
        buffer_(kMaxHeaderBytes + kMaxBodyBytes) {}
  ~Session() {
    if (id_) context_.connections.Remove(*id_);
  }

  void Start(const std::string& address) {
    id_ = context_.connections.Admit(address, [weak = this->weak_from_this()] {
      if (const auto self = weak.lock()) self->Cut();
    });
    if (!id_) return;
    asio::dispatch(stream_.get_executor(), [self = this->shared_from_this()] { self->Begin(); });
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Closes the connection at once. Thread-safe.
  void Cut() {
    asio::post(stream_.get_executor(), [self = this->shared_from_this()] {
      beast::get_lowest_layer(self->stream_).close();
    });
  }

  void Begin() {
    AllowFor(context_.request_timeout);
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](beast::error_code error) {
                                if (!error) self->ReadHeader();
                              });
    } else {
      ReadHeader();
    }
  }

  void AllowFor(Duration timeout) { beast::get_lowest_layer(stream_).expires_after(timeout); }

  /// The time for a header begins with its first byte.
  void AwaitRequest() {
    constexpr std::size_t kPiece = 4096;
    if (buffer_.size() > 0) return ReadHeader();
    AllowFor(context_.idle_timeout);
    stream_.async_read_some(
        buffer_.prepare(kPiece),
        [self = this->shared_from_this()](beast::error_code error, std::size_t size) {
          if (error) return self->Close();
          self->buffer_.commit(size);
          self->ReadHeader();
        });
  }

  void ReadHeader() {
    AllowFor(context_.request_timeout);
    parser_.emplace();
    parser_->header_limit(kMaxHeaderBytes);
    parser_->body_limit(kMaxBodyBytes);
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = this->shared_from_this()](beast::error_code error, std::size_t) {
          if (error) return self->Refuse(error);
          self->ReadBody();
        });
  }

  void ReadBody() {
    AllowFor(context_.request_timeout);
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](beast::error_code error, std::size_t) {
                       if (error) return self->Refuse(error);
                       if (self->context_.connections.BeginRequest(*self->id_)) self->Answer();
                     });
  }

  /// Says what is wrong with a request that cannot be read; silence and ends get no answer.
  void Refuse(beast::error_code error) {
    if (error.category() != http::make_error_code(http::error::bad_method).category() ||
        error == http::error::end_of_stream || error == http::error::partial_message) {
      return Close();
    }
    const bool large = error == http::error::header_limit || error == http::error::body_limit ||
                       error == http::error::buffer_overflow;
    keep_alive_ = false;
    Send(PlainAnswer(large ? 413 : 400,
                     large ? "the request is too large" : "malformed HTTP request"),
         false);
  }

  void Answer() {
    auto& message = parser_->get();
    HttpRequest request{Text(message.method_string()), Text(message.target()),
                        Text(message[http::field::authorization]), Text(message[http::field::host]),
                        std::move(message.body())};
    keep_alive_ = message.keep_alive();
    HttpResponse response;
    try {
      response = context_.handler.Handle(request);
    } catch (const std::exception& error) {
      Log(LogLevel::kError, std::string("a request could not be answered: ") + error.what());
      response = PlainAnswer(500, "internal error");
    }
    Send(std::move(response), request.method == "HEAD");
  }

  void Send(HttpResponse response, bool head_only) {
    if (response.file) {
      beast::file_posix opened;
      opened.native_handle(response.file->Release());
      http::file_body::value_type file;
      beast::error_code error;
      file.reset(std::move(opened), error);
      if (!error) {
        const std::uint64_t size = file.size();
        return SendAs<http::file_body>(response, std::move(file), size, head_only);
      }
      response = NotFound();
    }
    std::string body = std::move(response.body);
    const std::uint64_t size = body.size();
    SendAs<http::string_body>(response, std::move(body), size, head_only);
  }

  template <typename Body>
  void SendAs(const HttpResponse& response, typename Body::value_type body, std::uint64_t size,
              bool head_only) {
    written_by_ = Clock::now() + context_.write_timeout +
                  std::chrono::seconds(static_cast<std::int64_t>(size / kLeastBytesPerSecond));
    http::response<Body> message;
    message.version(11);
    message.result(static_cast<unsigned>(response.status));
    message.set(http::field::content_type, response.content_type);
    message.set(http::field::cache_control, "no-store");
    message.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : response.headers) message.set(name, value);
    message.keep_alive(keep_alive_);
    message.body() = std::move(body);
    message.prepare_payload();
    auto outgoing = std::make_shared<Outgoing<Body>>(std::move(message));
    if (head_only) outgoing->serializer.split(true);
    Write(std::move(outgoing), head_only);
  }

  template <typename Body>
  void Write(std::shared_ptr<Outgoing<Body>> outgoing, bool head_only) {
    beast::get_lowest_layer(stream_).expires_at(
        std::min(written_by_, Clock::now() + context_.write_timeout));
    auto& serializer = outgoing->serializer;
    auto done = [self = this->shared_from_this(), outgoing = std::move(outgoing), head_only](
                    beast::error_code error, std::size_t) mutable {
      if (error) return self->Close();
      const bool over =
          head_only ? outgoing->serializer.is_header_done() : outgoing->serializer.is_done();
      if (over) return self->Written();
      self->Write(std::move(outgoing), head_only);
    };
    http::async_write_some(stream_, serializer, std::move(done));
  }

  void Written() {
    context_.connections.EndRequest(*id_);
    if (!keep_alive_) return Close();
    AwaitRequest();
  }

  void Close() {
    AllowFor(kGoodbyeTimeout);
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      stream_.async_shutdown([self = this->shared_from_this()](beast::error_code) {});
    } else {
      beast::error_code ignored;
      stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    }
  }

  HttpSessionContext& context_;
  const TlsContext tls_;  // outlives the stream
  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<ConnectionTable::Id> id_;
  Clock::time_point written_by_{};  // when the peer must have taken the response
  bool keep_alive_ = false;
};

}  // namespace

void ServeConnection(asio::ip::tcp::socket socket, const std::string& address,
                     HttpSessionContext& context, TlsContext tls) {
  if (tls) {
    auto& layer = *tls;
    std::make_shared<Session<TlsStream>>(context, std::move(tls), std::move(socket), layer)
        ->Start(address);
  } else {
    std::make_shared<Session<PlainStream>>(context, TlsContext(), std::move(socket))
        ->Start(address);
  }
}

}  // namespace evenkeel::http
