#include "operator/history/history_source.h"

#include <utility>

#include "core/base/log.h"
#include "operator/history/prometheus.h"

namespace evenkeel::controller {

using plan::HistoryAnswer;

void QueuedHistory::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (AnswerOne()) continue;
      std::unique_lock lock(mutex_);
      requested_.wait(lock, stop, [this] { return !requests_.empty(); });
    }
  });
}

void QueuedHistory::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

std::optional<HistoryAnswer> QueuedHistory::Find(const ProfileKey& key) const {
  const std::scoped_lock lock(mutex_);
  return FindLocked(key);
}

std::optional<HistoryAnswer> QueuedHistory::FindLocked(const ProfileKey& key) const {
  const Instant now = clock_.Now();
  const auto known = answers_.find(key);
  if (known != answers_.end() && known->second.until > now) return known->second.answer;
  if (failure_ && failure_->until > now) return failure_->answer;
  return std::nullopt;
}

void QueuedHistory::Request(const ProfileKey& key, const kube::ObjectKey& job) {
  {
    const std::scoped_lock lock(mutex_);
    if (!FindLocked(key)) {
      requests_[key].insert(job);
      requested_.notify_one();
      return;
    }
  }
  on_answer_(job);
}

bool QueuedHistory::AnswerOne() {
  ProfileKey key;
  {
    const std::scoped_lock lock(mutex_);
    if (requests_.empty()) return false;
    key = requests_.begin()->first;
  }
  const auto prometheus = where_();
  const HistoryAnswer answer =
      prometheus != nullptr
          ? prometheus->Ask(key)
          : HistoryAnswer{HistoryAnswer::Kind::kUnreachable, {}, "there is no Prometheus any more"};
  std::set<kube::ObjectKey> jobs;
  {
    const std::scoped_lock lock(mutex_);
    Keep(key, answer);
    jobs = std::move(requests_.extract(key).mapped());
    if (failure_) {  // all others would hear the same
      for (const auto& [other, waiting] : requests_) jobs.insert(waiting.begin(), waiting.end());
      requests_.clear();
    }
  }
  for (const kube::ObjectKey& job : jobs) on_answer_(job);
  return true;
}

void QueuedHistory::Keep(const ProfileKey& key, const HistoryAnswer& answer) {
  const Instant now = clock_.Now();
  std::erase_if(answers_, [now](const auto& entry) { return entry.second.until <= now; });
  if (answer.kind == HistoryAnswer::Kind::kSamples) {
    if (failure_) Log(LogLevel::kInfo, "Prometheus answers again");
    failure_.reset();
    answers_[key] = {answer, now + times_.fresh};
  } else {
    Log(LogLevel::kWarning, "no history of profile " + key.profile + ": " + answer.trouble);
    failure_ = {answer, now + times_.pause};
  }
}

namespace {

/// The Prometheus that the command line names, or none.
class NamedSource final : public HistorySource {
 public:
  NamedSource(std::shared_ptr<const Prometheus> prometheus, const Clock& clock,
              QueuedHistory::OnAnswer on_answer)
      : history_([prometheus = std::move(prometheus)] { return prometheus; }, clock, {},
                 std::move(on_answer)) {}
  void Start() override { history_.Start(); }
  void Stop() override { history_.Stop(); }
  RateHistory& History() override { return history_; }

 private:
  QueuedHistory history_;
};

class DiscoveredSource final : public HistorySource {
 public:
  DiscoveredSource(PrometheusFinder::Candidates candidates, const Clock& clock,
                   QueuedHistory::OnAnswer on_answer)
      : finder_(std::move(candidates)),
        history_([this] { return finder_.Found(); }, clock, {}, std::move(on_answer)) {}
  void Start() override {
    finder_.Start();
    history_.Start();
  }
  void Stop() override {
    history_.Stop();
    finder_.Stop();
  }
  RateHistory& History() override { return history_; }

 private:
  PrometheusFinder finder_;
  QueuedHistory history_;
};

}  // namespace

Result<std::unique_ptr<HistorySource>> HistorySource::Make(const HistorySettings& settings,
                                                           const Clock& clock,
                                                           QueuedHistory::OnAnswer on_answer) {
  if (!settings.address.url.empty()) {
    auto prometheus = Prometheus::Make(settings.address, settings.options, clock);
    if (!prometheus) return tl::unexpected<Error>(prometheus.error());
    return std::make_unique<NamedSource>(std::move(*prometheus), clock, std::move(on_answer));
  }
  if (!settings.discover)
    return std::make_unique<NamedSource>(nullptr, clock, std::move(on_answer));
  PrometheusFinder::Candidates candidates;
  for (const std::string& url : UsualPrometheusUrls(settings.namespaces)) {
    // A discovered Prometheus is not trusted with a token.
    auto candidate = Prometheus::Make({url, {}, {}}, settings.options, clock);
    if (!candidate) return tl::unexpected<Error>(candidate.error());
    candidates.push_back(std::move(*candidate));
  }
  return std::make_unique<DiscoveredSource>(std::move(candidates), clock, std::move(on_answer));
}

}  // namespace evenkeel::controller
