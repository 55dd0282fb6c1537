#include "tests/support/fake_api/world.h"

namespace evenkeel::support {
namespace {

bool TargetIsWatch(const std::string& target) {
  return target.find("watch=1") != std::string::npos ||
         target.find("watch=true") != std::string::npos;
}

}  // namespace

bool Fits(const RequestFilter& filter, const std::string& method, const std::string& target,
          bool is_watch) {
  return (filter.method.empty() || filter.method == method) &&
         target.find(filter.target_part) != std::string::npos &&
         (!filter.watch || *filter.watch == is_watch);
}

bool Fits(const RequestFilter& filter, const SeenRequest& request) {
  return Fits(filter, request.method, request.target, TargetIsWatch(request.target));
}

bool Fits(const RequestFilter& filter, const OpenWatch& watch) {
  return Fits(filter, "GET", watch.target, true);
}

std::optional<Fault> TakeFault(FakeApiWorld& world, const HttpRequest& request) {
  for (Fault& fault : world.faults) {
    if (fault.times == 0) continue;
    if (!Fits(fault.filter, request.method, request.target, request.IsWatch())) continue;
    if (fault.skip > 0) {
      --fault.skip;
      continue;
    }
    if (fault.times > 0) --fault.times;
    return fault;
  }
  return std::nullopt;
}

}  // namespace evenkeel::support
