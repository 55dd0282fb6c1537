#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>

#include "kubernetes/reflector.h"
#include "kubernetes/store.h"

namespace evenkeel::kube {

/// A store that follows a collection of the API server: reflector, feeder and store in one.
/// Set up with AddIndex() and AddHandler(), then Start(), then read Objects() from any thread.
template <typename T>
class Informer {
 public:
  /// The targets of `access` must outlive it. `seed` spreads the times of many clients.
  Informer(const ServerAccess& access, const ReflectorOptions& options,
           typename StoreFeeder<T>::Projection projection, std::uint64_t seed)
      : feeder_(store_, std::move(projection)), reflector_(access, options, feeder_, seed) {}

  void AddIndex(const std::string& name, typename Store<T>::IndexFunction words) {
    store_.AddIndex(name, std::move(words));
  }
  void AddHandler(StoreHandler<T> handler) { feeder_.AddHandler(std::move(handler)); }

  void Start() { reflector_.Start(); }
  void Stop() { reflector_.Stop(); }

  [[nodiscard]] const Store<T>& Objects() const { return store_; }
  [[nodiscard]] bool HasSynced() const { return feeder_.Synced(); }
  [[nodiscard]] bool WaitUntilSynced(Duration patience, const std::stop_token& stop) const {
    return feeder_.WaitUntilSynced(patience, stop);
  }
  [[nodiscard]] ReflectorStats Stats() const { return reflector_.Stats(); }

 private:
  Store<T> store_;
  StoreFeeder<T> feeder_;
  Reflector reflector_;
};

}  // namespace evenkeel::kube
