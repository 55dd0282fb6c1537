#pragma once

#include "operator/kube/object_meta.h"

namespace evenkeel::kube {

/// Keeps what a reflector sees. Called by one thread.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;

  /// The whole set follows, up to CompleteList(). What an unfinished list brought is forgotten;
  /// what was kept before stays until the new list is complete.
  virtual void BeginList() = 0;
  virtual void Put(const ObjectMeta& meta, const Json& object) = 0;
  virtual void Remove(const ObjectMeta& meta) = 0;
  /// What was not put since BeginList() is no more.
  virtual void CompleteList() = 0;
};

}  // namespace evenkeel::kube
