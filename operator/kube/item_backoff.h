#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/base/time.h"
#include "operator/kube/object_meta.h"

namespace evenkeel::kube {

/// Pauses of items that fail again and again: `shortest`, doubled with each failure up to
/// `longest`. Remembers an item until it is forgotten. Not thread-safe.
class ItemBackoff {
 public:
  ItemBackoff(Duration shortest, Duration longest) : shortest_(shortest), longest_(longest) {}

  /// One more failure: the pause after it.
  [[nodiscard]] Duration Next(const ObjectKey& item);
  void Forget(const ObjectKey& item) { failures_.erase(item); }
  [[nodiscard]] std::int32_t Failures(const ObjectKey& item) const;

 private:
  Duration shortest_;
  Duration longest_;
  std::unordered_map<ObjectKey, std::int32_t> failures_;
};

}  // namespace evenkeel::kube
