#include "worker/channel.h"

#include <arpa/inet.h>

#include "core/protocol/limits.h"
#include "core/protocol/tls_credentials.h"

namespace evenkeel::worker {
namespace {

int Milliseconds(Duration duration) {
  return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

/// Numeric addresses need no name resolution; gRPC recognizes them by the prefix.
std::string Target(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  in_addr parsed{};
  return inet_pton(AF_INET, host.c_str(), &parsed) == 1 ? "ipv4:" + address : address;
}

grpc::ChannelArguments Arguments(const ConnectionOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(protocol::kMaxMessageBytes);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(options.keep_alive.interval));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(options.keep_alive.timeout));
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // gRPC takes this as the time that one attempt to connect may last.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, Milliseconds(options.connect_timeout));
  // The channel carries one stream, so features for many calls only cost time.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_CHANNELZ, 0);
  // HTTP proxies do not carry these streams.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  if (options.read_ahead_bytes > 0) {
    arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES,
                     static_cast<int>(options.read_ahead_bytes));
  }
  if (!options.server_name.empty()) arguments.SetSslTargetNameOverride(options.server_name);
  return arguments;
}

}  // namespace

std::shared_ptr<grpc::Channel> MakeChannel(const ConnectionOptions& options) {
  protocol::RouteGrpcLog();
  return grpc::CreateCustomChannel(Target(options.address),
                                   protocol::ChannelCredentialsOf(options.tls), Arguments(options));
}

}  // namespace evenkeel::worker
