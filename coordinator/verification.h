#pragma once

#include <optional>
#include <string>

#include "coordinator/job_version.h"
#include "coordinator/journal.h"
#include "core/base/error.h"
#include "core/engine/verification_rules.h"

/// The edge of engine::ResultVerification: digests, and what the journal knows.
namespace evenkeel::coordinator {

/// The rules of spec.taskPolicy.verify; nothing if the job has no such field. A task is drawn if
/// the first 64 bits of HMAC-SHA256(`draw_key`, index) are below the share of 2^64, so that workers
/// cannot predict it and every start draws the same ones. Results are compared by the SHA-256 of
/// Workload::RepeatablePartOf.
[[nodiscard]] std::optional<engine::VerificationRules> VerificationRulesOf(
    const JobVersion& version, const std::string& draw_key);

/// Reads results, confirmations and the nodes that were left out from the journal. Reads all
/// results if there are rules. Errors as of Journal::ForEachResult.
[[nodiscard]] Result<engine::VerifiedSoFar> ReadVerified(
    const Journal& journal, const std::optional<engine::VerificationRules>& rules);

}  // namespace evenkeel::coordinator
