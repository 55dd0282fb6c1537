#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "core/model/index_range.h"
#include "core/model/packed_results.h"

namespace evenkeel::model {

/// The inputs of consecutive tasks, shared by all who hold a part of them: a copy is a pointer, and
/// the bytes go with the last one. Immutable, so thread-safe.
class TaskInputs {
 public:
  /// Of no task: every input is empty.
  TaskInputs() = default;
  /// One input a task, the first of them that of task `first`.
  TaskInputs(TaskIndex first, PackedResults inputs)
      : first_(first), inputs_(std::make_shared<const PackedResults>(std::move(inputs))) {}

  [[nodiscard]] bool Empty() const { return inputs_ == nullptr; }
  /// Those that are here, whatever part of them is needed.
  [[nodiscard]] IndexRange Range() const {
    return {first_, first_ + (inputs_ ? inputs_->Count() : 0)};
  }
  /// Valid as long as any copy of this object. The task must be in Range() unless Empty().
  [[nodiscard]] std::string_view Of(TaskIndex index) const {
    return inputs_ ? inputs_->At(index - first_) : std::string_view();
  }
  /// The inputs of `range`, a part of Range(), on their own.
  [[nodiscard]] PackedResults Packed(IndexRange range) const {
    return inputs_ ? inputs_->Slice(range.begin - first_, range.end - first_) : PackedResults();
  }

  friend bool operator==(const TaskInputs& one, const TaskInputs& other) {
    if (one.Empty() || other.Empty()) return one.Empty() == other.Empty();
    return one.first_ == other.first_ && *one.inputs_ == *other.inputs_;
  }

 private:
  TaskIndex first_ = 0;
  std::shared_ptr<const PackedResults> inputs_;
};

}  // namespace evenkeel::model
