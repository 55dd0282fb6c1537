#include "kubernetes/config.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/model/document.h"
#include "kubernetes/credentials.h"
#include "platform/text.h"

namespace evenkeel::kube {
namespace {

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == ':';
}

bool IsPathCharacter(char c) { return IsHostCharacter(c) || c == '/' || c == '~' || c == '%'; }

bool Is(int family, const std::string& host) {
  in6_addr room{};
  return inet_pton(family, host.c_str(), &room) == 1;
}

/// Takes the host, and what follows it, off the front of `rest`.
std::string TakeHost(std::string_view& rest) {
  if (!rest.empty() && rest.front() == '[') {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return "";
    std::string host(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    return Is(AF_INET6, host) ? host : "";
  }
  const std::size_t end = std::min(rest.find_first_of(":/"), rest.size());
  std::string host(rest.substr(0, end));
  rest.remove_prefix(end);
  return host;
}

bool TakePort(std::string_view& rest, std::uint16_t& port) {
  if (rest.empty() || rest.front() != ':') return true;
  const char* const begin = rest.data() + 1;
  const auto read = std::from_chars(begin, rest.data() + rest.size(), port);
  rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
  return read.ec == std::errc{} && port != 0;
}

bool TakeScheme(std::string_view& rest, bool& secure) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (!rest.starts_with(scheme)) continue;
    rest.remove_prefix(scheme.size());
    secure = scheme == "https://";
    return true;
  }
  return false;
}

}  // namespace

bool ServerAddress::IsIpAddress() const { return Is(AF_INET, host) || Is(AF_INET6, host); }

std::string ServerAddress::HostAndPort() const {
  return (IsIpV6() ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string ServerAddress::Url() const {
  return (secure ? "https://" : "http://") + HostAndPort() + prefix;
}

Result<ServerAddress> ParseServerAddress(const std::string& url) {
  ServerAddress address;
  std::string_view rest = url;
  const bool has_scheme = TakeScheme(rest, address.secure);
  if (has_scheme) address.host = TakeHost(rest);
  address.port = address.secure ? 443 : 80;
  const bool good = has_scheme && !address.host.empty() &&
                    std::all_of(address.host.begin(), address.host.end(), IsHostCharacter) &&
                    TakePort(rest, address.port) && (rest.empty() || rest.front() == '/') &&
                    std::all_of(rest.begin(), rest.end(), IsPathCharacter);
  if (!good) {
    return InvalidInput("server address " + url.substr(0, 200) +
                        ": must be https://HOST:PORT, an IPv6 address in brackets");
  }
  while (!rest.empty() && rest.back() == '/') rest.remove_suffix(1);
  address.prefix = rest;
  return address;
}

namespace {

constexpr std::size_t kMaxCaBytes = 1u << 20;
constexpr std::size_t kMaxNamespaceBytes = 1024;

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string Trimmed(std::string text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= 0x20) text.pop_back();
  return text;
}

}  // namespace

std::shared_ptr<TokenSource> MakeTokenSource(const ClusterConfig& config, const Clock& clock) {
  if (!config.token_file.empty()) return std::make_shared<TokenSource>(config.token_file, clock);
  if (!config.token.empty()) return std::make_shared<TokenSource>(config.token);
  return nullptr;
}

PodSurroundings ReadPodSurroundings() {
  PodSurroundings pod;
  pod.host = Variable("KUBERNETES_SERVICE_HOST");
  pod.port = Variable("KUBERNETES_SERVICE_PORT_HTTPS");
  if (pod.port.empty()) pod.port = Variable("KUBERNETES_SERVICE_PORT");
  return pod;
}

Result<ClusterConfig> LoadInClusterConfig(const PodSurroundings& pod) {
  if (pod.host.empty() || pod.port.empty()) {
    return InvalidInput(
        "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be set");
  }
  const bool is_ipv6 = pod.host.find(':') != std::string::npos;
  const auto server =
      ParseServerAddress("https://" + (is_ipv6 ? "[" + pod.host + "]" : pod.host) + ":" + pod.port);
  if (!server) return tl::unexpected(server.error());
  auto ca = ReadBoundedFile(pod.folder + "/ca.crt", kMaxCaBytes);
  if (!ca) return tl::unexpected(ca.error());

  ClusterConfig config;
  config.server = server->Url();
  config.tls.ca_pem = *std::move(ca);
  config.token_file = pod.folder + "/token";
  // The namespace is of use, but nothing depends on it.
  const auto namespace_name = ReadBoundedFile(pod.folder + "/namespace", kMaxNamespaceBytes);
  if (namespace_name) config.namespace_name = Trimmed(*namespace_name);
  return config;
}

namespace {

using nlohmann::json;

constexpr std::size_t kMaxFileBytes = 1u << 20;

/// Reads fields of a kubeconfig; errors name the file and the field.
class KubeconfigReader {
 public:
  explicit KubeconfigReader(std::string file) : file_(std::move(file)) {}

  [[nodiscard]] tl::unexpected<Error> Refuse(const std::string& field,
                                             const std::string& what) const {
    return InvalidInput(file_ + ": " + field + ": " + what);
  }

  /// Text of a field; empty if it is absent.
  [[nodiscard]] Result<std::string> Text(const json& object, const std::string& path,
                                         const char* field) const {
    const auto found = object.find(field);
    if (found == object.end() || found->is_null()) return std::string();
    if (!found->is_string()) return Refuse(path + "." + field, "must be text");
    return found->get<std::string>();
  }

  /// `root[list]` has entries {name: NAME, INNER: {...}}: the object of the one with this name.
  [[nodiscard]] Result<json> Named(const json& root, const char* list, const char* inner,
                                   const std::string& name) const {
    const auto entries = root.find(list);
    if (entries == root.end() || !entries->is_array()) return Refuse(list, "must be a list");
    for (const json& entry : *entries) {
      if (!entry.is_object() || entry.value("name", json()) != json(name)) continue;
      const auto found = entry.find(inner);
      if (found == entry.end() || found->is_null()) return json(json::object());
      if (!found->is_object()) return Refuse(std::string(list) + "." + inner, "must be an object");
      return *found;
    }
    return Refuse(list, "has no entry named '" + name.substr(0, 200) + "'");
  }

  /// PEM text that stands in the field NAME-data in base64, or in the file that NAME names.
  [[nodiscard]] Result<std::string> Pem(const json& object, const std::string& path,
                                        const std::string& name) const {
    const std::string data_field = name + "-data";
    const auto data = Text(object, path, data_field.c_str());
    if (!data) return data;
    if (!data->empty()) {
      auto decoded = platform::DecodeBase64(*data);
      if (!decoded) return Refuse(path + "." + data_field, "must be base64");
      return *std::move(decoded);
    }
    const auto file = Text(object, path, name.c_str());
    if (!file || file->empty()) return file;
    auto pem = ReadBoundedFile(BesideUs(*file), kMaxFileBytes);
    if (!pem) return Refuse(path + "." + name, pem.error().message);
    return pem;
  }

  /// Relative paths count from the kubeconfig's folder.
  [[nodiscard]] std::string BesideUs(const std::string& file) const {
    return (std::filesystem::path(file_).parent_path() / file).string();
  }

 private:
  const std::string file_;
};

bool IsTrue(const json& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

Result<void> ReadCluster(const KubeconfigReader& reader, const json& cluster,
                         const KubeconfigOptions& options, ClusterConfig& config) {
  if (cluster.contains("proxy-url")) {
    return reader.Refuse("cluster.proxy-url", "proxies are not supported");
  }
  const auto server = reader.Text(cluster, "cluster", "server");
  if (!server) return tl::unexpected(server.error());
  const auto address = ParseServerAddress(*server);
  if (!address) return reader.Refuse("cluster.server", address.error().message);
  config.server = address->Url();
  auto name = reader.Text(cluster, "cluster", "tls-server-name");
  if (!name) return tl::unexpected(name.error());
  config.tls.server_name = *std::move(name);
  auto ca = reader.Pem(cluster, "cluster", "certificate-authority");
  if (!ca) return tl::unexpected(ca.error());
  config.tls.ca_pem = *std::move(ca);
  config.tls.skip_verification = IsTrue(cluster, "insecure-skip-tls-verify");
  if (config.tls.skip_verification && !options.allow_insecure_skip_tls_verify) {
    return reader.Refuse("cluster.insecure-skip-tls-verify",
                         "refused: give the server's certificate-authority(-data) instead");
  }
  if (address->secure && config.tls.ca_pem.empty() && !config.tls.skip_verification) {
    return reader.Refuse("cluster.certificate-authority-data",
                         "is missing: the system's own authorities are not trusted");
  }
  return {};
}

Result<void> RefuseWhatWeCannot(const KubeconfigReader& reader, const json& user) {
  constexpr std::array<std::pair<const char*, const char*>, 6> kRefused = {{
      {"exec", "plugins that get credentials are not supported; use a token or a certificate"},
      {"auth-provider", "is not supported; use a token or a certificate"},
      {"username", "names and passwords are not supported; use a token or a certificate"},
      {"password", "names and passwords are not supported; use a token or a certificate"},
      {"as", "impersonation is not supported"},
      {"as-groups", "impersonation is not supported"},
  }};
  for (const auto& [field, why] : kRefused) {
    if (user.contains(field)) return reader.Refuse(std::string("user.") + field, why);
  }
  return {};
}

Result<void> ReadUser(const KubeconfigReader& reader, const json& user, ClusterConfig& config) {
  if (auto fine = RefuseWhatWeCannot(reader, user); !fine) return fine;
  auto certificate = reader.Pem(user, "user", "client-certificate");
  if (!certificate) return tl::unexpected(certificate.error());
  auto key = reader.Pem(user, "user", "client-key");
  if (!key) return tl::unexpected(key.error());
  if (certificate->empty() != key->empty()) {
    return reader.Refuse("user", "client-certificate and client-key must both be there, or none");
  }
  auto token = reader.Text(user, "user", "token");
  if (!token) return tl::unexpected(token.error());
  const auto token_file = reader.Text(user, "user", "tokenFile");
  if (!token_file) return tl::unexpected(token_file.error());
  config.tls.certificate_pem = *std::move(certificate);
  config.tls.key_pem = *std::move(key);
  // kubectl, too, prefers the file, because it is the one that is kept up to date.
  if (!token_file->empty()) {
    config.token_file = reader.BesideUs(*token_file);
  } else {
    config.token = *std::move(token);
  }
  return {};
}

}  // namespace

Result<ClusterConfig> LoadKubeconfig(const std::string& file, const KubeconfigOptions& options) {
  const auto text = ReadBoundedFile(file, kMaxFileBytes);
  if (!text) return tl::unexpected(text.error());
  const auto root = model::ParseDocument(*text, file);
  if (!root) return tl::unexpected(root.error());
  const KubeconfigReader reader(file);
  if (!root->is_object()) return reader.Refuse("kubeconfig", "must be an object");

  std::string name = options.context;
  if (name.empty()) {
    auto current = reader.Text(*root, "kubeconfig", "current-context");
    if (!current) return tl::unexpected(current.error());
    name = *std::move(current);
  }
  if (name.empty()) return reader.Refuse("current-context", "is missing, and none was asked for");
  const auto context = reader.Named(*root, "contexts", "context", name);
  if (!context) return tl::unexpected(context.error());

  ClusterConfig config;
  auto namespace_name = reader.Text(*context, "context", "namespace");
  if (!namespace_name) return tl::unexpected(namespace_name.error());
  config.namespace_name = *std::move(namespace_name);

  const auto cluster_name = reader.Text(*context, "context", "cluster");
  if (!cluster_name) return tl::unexpected(cluster_name.error());
  const auto cluster = reader.Named(*root, "clusters", "cluster", *cluster_name);
  if (!cluster) return tl::unexpected(cluster.error());
  if (auto read = ReadCluster(reader, *cluster, options, config); !read) {
    return tl::unexpected(read.error());
  }
  const auto user_name = reader.Text(*context, "context", "user");
  if (!user_name) return tl::unexpected(user_name.error());
  if (user_name->empty()) return config;
  const auto user = reader.Named(*root, "users", "user", *user_name);
  if (!user) return tl::unexpected(user.error());
  if (auto read = ReadUser(reader, *user, config); !read) return tl::unexpected(read.error());
  return config;
}

}  // namespace evenkeel::kube
