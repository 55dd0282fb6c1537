#pragma once

#include <optional>

#include "operator/api/job_status.h"

namespace evenkeel::plan {

/// When a status is to be written.
struct WriteRule {
  bool write = false;
  bool urgent = false;            ///< people may be waiting for it: a condition has changed
  std::optional<Duration> due{};  ///< if not now: after this time, unless something else happens
};

/// A status is written as rarely as people can bear, for a whole cluster's state may be on one SD
/// card: at once if a condition or the generation it is about changes; otherwise at most every
/// 10 s or 5 % of progress; never when nothing has changed.
[[nodiscard]] WriteRule JudgeWrite(const api::JobStatus& known, const api::JobStatus& next,
                                   api::Timestamp now,
                                   const std::optional<api::Timestamp>& last_write);

/// True if a condition was added, or changed its status or reason. Messages alone do not count.
[[nodiscard]] bool ConditionsDiffer(const api::Conditions& known, const api::Conditions& next);

}  // namespace evenkeel::plan
