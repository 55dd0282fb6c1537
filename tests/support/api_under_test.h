#pragma once

#include <memory>

#include "kubernetes/transport.h"
#include "tests/support/in_memory_api_server.h"
#include "tests/support/real_api.h"

namespace evenkeel::support {

/// The API server of a test that any server passes: the real one if there is one (see
/// RealApi::FromEnvironment), else one in memory.
class ApiUnderTest {
 public:
  ApiUnderTest();

  [[nodiscard]] TestApi& objects() { return *objects_; }
  [[nodiscard]] const TestApi& objects() const { return *objects_; }
  [[nodiscard]] kube::Transport& transport() { return *transport_; }

 private:
  std::unique_ptr<TestApi> objects_;
  std::unique_ptr<kube::Transport> owned_transport_;  // null: of the real server
  kube::Transport* transport_;
};

}  // namespace evenkeel::support
