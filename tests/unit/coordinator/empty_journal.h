#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "coordinator/journal.h"

namespace evenkeel::coordinator {

/// A journal without a file, which contains nothing and accepts everything; tests override what
/// they read. Results are those of ForEachRange.
class EmptyJournal : public Journal {
 public:
  [[nodiscard]] const JournalState& State() const override { return state_; }
  Result<void> Append(const JournalRecords&) override { return {}; }
  Result<void> Grow(const JobIdentity&) override { return {}; }
  Result<void> ForEachResult(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const override {
    return ForEachRange(visit);
  }
  Result<void> ForEachRange(
      const std::function<Result<void>(const model::ResultRecord&)>&) const override {
    return {};
  }
  Result<void> ForEachFinalFailure(
      const std::function<Result<void>(const model::FailureRecord&)>&) const override {
    return {};
  }
  Result<void> ForEachEvent(
      const std::function<Result<void>(const model::TimelineEvent&)>&) const override {
    return {};
  }
  [[nodiscard]] Result<std::string> Copy(std::int64_t) const override { return std::string(); }
  Result<void> MarkEnded(model::JobState) override { return {}; }
  [[nodiscard]] Result<ReduceHistory> ReadReduce(const std::string&) const override {
    return ReduceHistory{};
  }
  Result<void> BeginReduce(const std::string&) override { return {}; }
  Result<void> EndReduce(const std::optional<model::ReduceRecord>&) override { return {}; }
  Result<void> ForgetFailedReduce() override { return {}; }

 private:
  JournalState state_;
};

}  // namespace evenkeel::coordinator
