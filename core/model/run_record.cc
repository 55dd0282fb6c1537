#include "core/model/run_record.h"

#include <array>
#include <utility>

namespace evenkeel::model {
namespace {

constexpr std::array<std::pair<EndCause, std::string_view>, 5> kCauses{
    {{EndCause::kSuccessRuleMet, kSuccessPolicyMet},
     {EndCause::kTasksFailed, "TasksFailed"},
     {EndCause::kDeadlineExceeded, "DeadlineExceeded"},
     {EndCause::kResultsDiffer, "ResultsDiffer"},
     {EndCause::kReduceFailed, "ReduceFailed"}}};

}  // namespace

std::string_view ToString(EndCause cause) {
  for (const auto& [known, text] : kCauses) {
    if (known == cause) return text;
  }
  return {};
}

EndCause ParseEndCause(std::string_view text) {
  for (const auto& [cause, known] : kCauses) {
    if (known == text) return cause;
  }
  return EndCause::kOther;
}

}  // namespace evenkeel::model
