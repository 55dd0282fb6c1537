#pragma once

#include <cstdint>
#include <string>

#include "core/base/time.h"
#include "core/engine/messages.h"
#include "core/protocol/evenkeel.pb.h"

namespace evenkeel::protocol {

/// Reads and checks the fields of one received batch. Keeps the first broken rule; values read
/// afterwards are meaningless. Check Problem() at the end, and before work whose size depends on a
/// received number. Not thread-safe.
class WireChecks {
 public:
  /// Counts entries towards the limit of the batch; false if there is a problem.
  [[nodiscard]] bool Admit(int entries);

  [[nodiscard]] model::IndexRange Range(std::uint64_t begin, std::uint64_t size);
  [[nodiscard]] engine::Grant Grant(const v1::Grant& wire);
  /// A task index or a number of tasks.
  [[nodiscard]] std::int64_t Number(std::uint64_t wire);
  [[nodiscard]] Duration Time(std::uint64_t nanoseconds);
  [[nodiscard]] std::string Text(std::string* wire);
  [[nodiscard]] model::PackedResults Results(v1::PackedResults* wire, std::int64_t tasks);
  void Require(bool holds, const char* otherwise);

  /// One line, or nullptr if no rule was broken so far.
  [[nodiscard]] const char* Problem() const { return problem_; }

 private:
  const char* problem_ = nullptr;
  std::int64_t entries_ = 0;
};

}  // namespace evenkeel::protocol
