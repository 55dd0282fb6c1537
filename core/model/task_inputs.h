#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "core/model/index_range.h"
#include "core/model/packed_results.h"

namespace evenkeel::model {

/// The inputs of consecutive tasks. Copies share the bytes, which are freed with the last copy.
/// Immutable and therefore thread-safe.
class TaskInputs {
 public:
  /// No inputs: the input of every task is empty.
  TaskInputs() = default;
  /// One input per task, starting with task `first`.
  TaskInputs(TaskIndex first, PackedResults inputs)
      : first_(first), inputs_(std::make_shared<const PackedResults>(std::move(inputs))) {}

  [[nodiscard]] bool Empty() const { return inputs_ == nullptr; }
  /// The tasks whose inputs this object has.
  [[nodiscard]] IndexRange Range() const {
    return {first_, first_ + (inputs_ ? inputs_->Count() : 0)};
  }
  /// Valid as long as a copy of this object exists. The task must be in Range() unless Empty().
  [[nodiscard]] std::string_view Of(TaskIndex index) const {
    return inputs_ ? inputs_->At(index - first_) : std::string_view();
  }
  /// Copies the inputs of `range`, which is within Range().
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
