#pragma once

#include <stop_token>
#include <string>
#include <thread>

#include "kubernetes/client.h"
#include "kubernetes/informer.h"
#include "kubernetes/work_queue.h"

namespace evenkeel::example {

/// A controller that copies a ConfigMap into every namespace with the label
/// "example.evenkeel.dev/mirror=true" and keeps the copies up to date. A copy stays when its
/// namespace loses the label or the source is deleted. Start() and Stop() are for one owner.
class ConfigMapMirror {
 public:
  /// `source` must not be in a labelled namespace. Targets of `access` outlive this object.
  ConfigMapMirror(const kube::ServerAccess& access, kube::ObjectKey source);
  ConfigMapMirror(const ConfigMapMirror&) = delete;
  ConfigMapMirror& operator=(const ConfigMapMirror&) = delete;
  ~ConfigMapMirror();

  /// Once.
  void Start();
  /// Ends all threads; a reconciliation under way is completed first.
  void Stop();

 private:
  void Run(const std::stop_token& stop);
  [[nodiscard]] kube::ApiResult<void> Reconcile(const kube::ObjectKey& namespace_key);
  void EnqueueAll();

  const kube::ObjectKey source_;
  kube::Client client_;
  kube::WorkQueue queue_;                   ///< keys of namespaces
  kube::Informer<std::string> namespaces_;  ///< those with the label: their names
  kube::Informer<kube::Json> config_maps_;  ///< the source only: its data
  std::jthread worker_;
};

}  // namespace evenkeel::example
