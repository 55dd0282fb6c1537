#pragma once

#include <memory>

#include "kubernetes/client.h"
#include "tests/support/test_api.h"

namespace evenkeel::support {

/// A real API server without controllers, as its administrator: the test acts as scheduler, kubelet
/// and every other client. Thread-safe.
class RealApi final : public TestApi {
 public:
  /// The server of the kubeconfig in EVENKEEL_TEST_KUBECONFIG, without the objects that an earlier
  /// test left; null if there is no such variable.
  [[nodiscard]] static std::unique_ptr<RealApi> FromEnvironment();

  /// Also binds pods, whose node a write cannot change.
  nlohmann::json Put(const std::string& collection, nlohmann::json object) override;
  [[nodiscard]] std::optional<nlohmann::json> Find(const std::string& collection,
                                                   const std::string& namespace_name,
                                                   const std::string& name) const override;
  bool Erase(const std::string& collection, const std::string& namespace_name,
             const std::string& name) override;
  [[nodiscard]] std::vector<nlohmann::json> All(const std::string& collection) const override;
  [[nodiscard]] std::string ResourceVersion() const override;

  [[nodiscard]] kube::Transport& transport() { return *transport_; }

 private:
  explicit RealApi(std::unique_ptr<kube::Transport> transport);
  void Clear();
  void Bind(const nlohmann::json& pod, const std::string& node);
  void PutStatus(const std::string& collection, nlohmann::json object);
  [[nodiscard]] nlohmann::json MustSend(const kube::Request& request) const;

  std::unique_ptr<kube::Transport> transport_;
  kube::Client client_;
};

}  // namespace evenkeel::support
