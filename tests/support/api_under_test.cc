#include "tests/support/api_under_test.h"

#include <utility>

#include "core/base/check.h"
#include "kubernetes/cpprest_transport.h"

namespace evenkeel::support {

ApiUnderTest::ApiUnderTest() {
  if (auto real = RealApi::FromEnvironment()) {
    transport_ = &real->transport();
    objects_ = std::move(real);
    return;
  }
  auto in_memory = std::make_unique<InMemoryApiServer>();
  kube::CpprestOptions options;
  options.server = in_memory->url();
  auto made = kube::MakeCpprestTransport(std::move(options));
  EVENKEEL_CHECK(made.has_value(), "the API server in memory has no valid address");
  owned_transport_ = *std::move(made);
  transport_ = owned_transport_.get();
  objects_ = std::move(in_memory);
}

}  // namespace evenkeel::support
