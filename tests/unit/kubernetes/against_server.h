#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "core/base/clock.h"
#include "kubernetes/cpprest_transport.h"
#include "kubernetes/reflector.h"
#include "kubernetes/transport.h"
#include "tests/support/in_memory_api_server.h"

namespace evenkeel::kube {

/// Whether it becomes true within ten seconds; looks again every two milliseconds.
inline bool Eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

/// An API server in memory and a transport to it.
class AgainstServer : public ::testing::Test {
 protected:
  void SetUp() override { Connect(nullptr); }

  void Connect(const std::shared_ptr<TokenSource>& tokens, CpprestOptions options = {}) {
    options.server = server_.url();
    options.tokens = tokens;
    tokens_ = tokens;
    auto made = MakeCpprestTransport(std::move(options));
    ASSERT_TRUE(made) << made.error().message;
    transport_ = std::move(*made);
  }

  [[nodiscard]] ServerAccess Access() { return {*transport_, clock_, waiter_, tokens_.get()}; }

  support::InMemoryApiServer server_;
  SteadyClock clock_;
  SteadyWaiter waiter_;
  std::shared_ptr<TokenSource> tokens_;
  std::unique_ptr<Transport> transport_;
};

}  // namespace evenkeel::kube
