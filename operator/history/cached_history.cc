#include "operator/history/cached_history.h"

#include <utility>

#include "core/base/log.h"

namespace evenkeel::operating {

using plan::HistoryAnswer;

HistoryAnswer CachedHistory::Ask(const std::string& profile) {
  const std::scoped_lock lock(mutex_);
  if (const HistoryAnswer* known = Known(profile)) return *known;
  const auto prometheus = where_();
  if (prometheus == nullptr) {
    return {HistoryAnswer::Kind::kUnreachable, {}, "there is no Prometheus any more"};
  }
  HistoryAnswer answer = prometheus->Ask(profile);
  const Instant now = clock_.Now();
  std::erase_if(answers_, [now](const auto& entry) { return entry.second.until <= now; });
  if (answer.kind == HistoryAnswer::Kind::kSamples) {
    if (failure_) Log(LogLevel::kInfo, prometheus->Url() + " tells the history again");
    failure_.reset();
    answers_[profile] = {answer, now + times_.fresh};
  } else {
    Log(LogLevel::kWarning, "no history of profile " + profile + ": " + answer.trouble);
    failure_ = {answer, now + times_.pause};
  }
  return answer;
}

const HistoryAnswer* CachedHistory::Known(const std::string& profile) const {
  const Instant now = clock_.Now();
  const auto known = answers_.find(profile);
  if (known != answers_.end() && known->second.until > now) return &known->second.answer;
  return failure_ && failure_->until > now ? &failure_->answer : nullptr;
}

}  // namespace evenkeel::operating
