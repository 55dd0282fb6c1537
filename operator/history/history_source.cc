#include "operator/history/history_source.h"

#include <utility>

#include "core/base/log.h"
#include "operator/history/prometheus.h"

namespace evenkeel::controller {

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

namespace {

/// The Prometheus that the command line names, or none.
class Named final : public HistorySource {
 public:
  Named(std::shared_ptr<const Prometheus> prometheus, const Clock& clock)
      : history_([prometheus = std::move(prometheus)] { return prometheus; }, clock, {}) {}
  void Start() override {}
  void Stop() override {}
  RateHistory& History() override { return history_; }

 private:
  CachedHistory history_;
};

class Discovered final : public HistorySource {
 public:
  Discovered(PrometheusFinder::Candidates candidates, const Clock& clock)
      : finder_(std::move(candidates)), history_([this] { return finder_.Found(); }, clock, {}) {}
  void Start() override { finder_.Start(); }
  void Stop() override { finder_.Stop(); }
  RateHistory& History() override { return history_; }

 private:
  PrometheusFinder finder_;
  CachedHistory history_;
};

}  // namespace

Result<std::unique_ptr<HistorySource>> HistorySource::Make(const HistorySettings& settings,
                                                           const Clock& clock) {
  if (!settings.address.url.empty()) {
    auto prometheus = Prometheus::Make(settings.address, settings.options, clock);
    if (!prometheus) return tl::unexpected<Error>(prometheus.error());
    return std::make_unique<Named>(std::move(*prometheus), clock);
  }
  if (!settings.discover) return std::make_unique<Named>(nullptr, clock);
  PrometheusFinder::Candidates candidates;
  for (const std::string& url : UsualPrometheusUrls(settings.namespaces)) {
    // Whoever is found is not known well enough to be shown a token.
    auto candidate = Prometheus::Make({url, {}, {}}, settings.options, clock);
    if (!candidate) return tl::unexpected<Error>(candidate.error());
    candidates.push_back(std::move(*candidate));
  }
  return std::make_unique<Discovered>(std::move(candidates), clock);
}

}  // namespace evenkeel::controller
