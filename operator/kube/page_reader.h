#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/error.h"
#include "operator/kube/object_meta.h"

namespace evenkeel::kube {

/// What a page of a list says about the list.
struct PageSummary {
  std::string resource_version;  ///< the state of the cluster that the list shows
  std::string continue_token;    ///< for the next page; empty on the last one
  std::int64_t items = 0;
};

/// Takes an item of a page; the object is gone after the call.
using ItemVisitor = std::function<void(const ObjectMeta& meta, const Json& object)>;

/// Reads the body of a LIST and hands its items over one by one, so that only one of them is held
/// as JSON at a time. Error: kInvalidInput for a body that is no list or an item without a name;
/// some items may have been visited by then.
[[nodiscard]] Result<PageSummary> ReadPage(const std::string& body, const ItemVisitor& visit);

}  // namespace evenkeel::kube
