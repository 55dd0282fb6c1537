#include "operator/api/manifests/tls_secrets.h"

#include <nlohmann/json.hpp>

#include "operator/api/base64.h"
#include "operator/api/manifests/frame.h"
#include "operator/api/names.h"

namespace evenkeel::api {
namespace {

using nlohmann::json;

json TlsSecret(const WeightedJob& job, const std::string& name, const std::string& component,
               const TlsFiles& files) {
  json object = ObjectFrame("v1", "Secret", name, component, job);
  object["type"] = "kubernetes.io/tls";
  object["data"] = {{"ca.crt", ToBase64(files.ca_certificate)},
                    {"tls.crt", ToBase64(files.certificate)},
                    {"tls.key", ToBase64(files.key)}};
  return object;
}

}  // namespace

json CoordinatorSecret(const WeightedJob& job, const TlsFiles& files,
                       const std::string& operator_token) {
  json object =
      TlsSecret(job, CoordinatorSecretName(job.meta.name), component::kCoordinator, files);
  object["data"]["operator-token"] = ToBase64(operator_token);
  return object;
}

json WorkerSecret(const WeightedJob& job, const TlsFiles& files) {
  return TlsSecret(job, WorkerSecretName(job.meta.name), component::kWorker, files);
}

}  // namespace evenkeel::api
