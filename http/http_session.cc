#include "http/http_session.h"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <exception>
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
  Session(HttpSessionContext& context, std::shared_ptr<void> gone, Arguments&&... stream)
      : context_(context),
        gone_(std::move(gone)),
        stream_(std::forward<Arguments>(stream)...),
        buffer_(kMaxHeaderBytes + kMaxBodyBytes) {}

  void Begin() {
    AllowFor(context_.request_timeout);
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](beast::error_code error) {
                                if (!error) self->Read(self->context_.request_timeout);
                              });
    } else {
      Read(context_.request_timeout);
    }
  }

 private:
  void AllowFor(Duration timeout) { beast::get_lowest_layer(stream_).expires_after(timeout); }

  void Read(Duration timeout) {
    AllowFor(timeout);
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
                       self->Answer();
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
    Send(PlainAnswer(large ? 413 : 400, large ? "the request is too large" : "is no HTTP"), false);
  }

  void Answer() {
    const auto& message = parser_->get();
    HttpRequest request{Text(message.method_string()), Text(message.target()),
                        Text(message[http::field::authorization]),
                        Text(message[http::field::host])};
    keep_alive_ = message.keep_alive();
    HttpResponse response;
    try {
      response = context_.handler.Handle(request);
    } catch (const std::exception& error) {
      Log(LogLevel::kError, std::string("a request could not be answered: ") + error.what());
      response = PlainAnswer(500, "an error within");
    }
    Send(std::move(response), request.method == "HEAD");
  }

  void Send(HttpResponse response, bool head_only) {
    if (response.file) {
      http::file_body::value_type file;
      beast::error_code error;
      file.open(response.file->c_str(), beast::file_mode::scan, error);
      if (!error) return SendAs<http::file_body>(response, std::move(file), head_only);
      response = NotFound();
    }
    std::string body = std::move(response.body);
    SendAs<http::string_body>(response, std::move(body), head_only);
  }

  template <typename Body>
  void SendAs(const HttpResponse& response, typename Body::value_type body, bool head_only) {
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
    AllowFor(context_.write_timeout);
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
    if (!keep_alive_) return Close();
    Read(context_.idle_timeout);
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
  std::shared_ptr<void> gone_;
  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  bool keep_alive_ = false;
};

}  // namespace

void ServeConnection(asio::ip::tcp::socket socket, HttpSessionContext& context,
                     std::shared_ptr<void> gone) {
  if (context.tls != nullptr) {
    std::make_shared<Session<TlsStream>>(context, std::move(gone), std::move(socket), *context.tls)
        ->Begin();
  } else {
    std::make_shared<Session<PlainStream>>(context, std::move(gone), std::move(socket))->Begin();
  }
}

}  // namespace evenkeel::http
