#include "core/engine/worker_lease.h"

#include <algorithm>
#include <iterator>

namespace evenkeel::engine {

void WorkerLease::OnHelloSent(Instant now) {
  hello_sent_ = now;
  reports_ = 0;
  sent_.clear();
}

void WorkerLease::OnWelcome(bool idempotent, Duration length) {
  limited_ = !idempotent;
  length_ = length;
  renewed_ = std::max(renewed_, hello_sent_);
}

void WorkerLease::OnReportSent(Instant now) {
  ++reports_;
  if (!limited_) return;
  if (!sent_.empty() && now - sent_.back().at < length_ / kTimesPerLease) return;
  if (sent_.size() >= kTimesPerLease) {
    // A lease that began so long ago is over: its renewal would change nothing.
    std::erase_if(sent_, [&](const SentReport& report) { return now - report.at > length_; });
  }
  sent_.push_back({reports_, now});
}

void WorkerLease::OnReportsHeard(std::uint64_t count) {
  if (count > reports_) return;
  const auto not_heard = std::find_if(
      sent_.begin(), sent_.end(), [&](const SentReport& report) { return report.number > count; });
  if (not_heard == sent_.begin()) return;
  renewed_ = std::max(renewed_, std::prev(not_heard)->at);
  sent_.erase(sent_.begin(), not_heard);
}

Instant WorkerLease::End() const { return limited_ ? renewed_ + length_ : kNever; }

}  // namespace evenkeel::engine
