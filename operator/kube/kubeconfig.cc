#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/model/document.h"
#include "operator/kube/base64.h"
#include "operator/kube/bounded_file.h"
#include "operator/kube/cluster_config.h"
#include "operator/kube/server_address.h"

namespace evenkeel::kube {
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
      auto decoded = DecodeBase64(*data);
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
  auto name_space = reader.Text(*context, "context", "namespace");
  if (!name_space) return tl::unexpected(name_space.error());
  config.name_space = *std::move(name_space);

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
