#include "core/engine/result_outbox.h"

#include <algorithm>
#include <utility>

namespace evenkeel::engine {
namespace {

// Approximate size of an entry of a report beside its results.
constexpr std::size_t kEntryBytes = 64;
// Batches that follow each other within this time are one row of the timeline.
constexpr Duration kSameRow = std::chrono::milliseconds(1);

std::size_t ResultBytes(const ResultOutbox::Row& row) {
  return row.completed.results.Bytes().size();
}

/// True if `next`, behind `row`, can be reported with it: no gap in index or time.
bool Continues(const ResultOutbox::Row& row, const ResultOutbox::Row& next) {
  return row.completed.range.end == next.completed.range.begin &&
         row.completed.copy == next.completed.copy && next.started - row.ended < kSameRow &&
         row.started - next.ended < kSameRow &&
         ResultBytes(row) + ResultBytes(next) <= ResultOutbox::kReportBytes;
}

void Join(ResultOutbox::Row& row, const ResultOutbox::Row& next) {
  row.completed.range.end = next.completed.range.end;
  row.completed.busy += next.completed.busy;
  row.completed.waited += next.completed.waited;
  row.completed.transfer.Add(next.completed.transfer);
  row.completed.results.Append(next.completed.results);
  row.started = std::min(row.started, next.started);
  row.ended = std::max(row.ended, next.ended);
}

/// Starts a new report when the next entry would make the last one too large.
class ReportWriter {
 public:
  Report& ReportFor(std::size_t entry_bytes) {
    const std::size_t more = entry_bytes + kEntryBytes;
    if (bytes_ > 0 && bytes_ + more > ResultOutbox::kReportBytes) {
      reports_.emplace_back();
      bytes_ = 0;
    }
    bytes_ += more;
    return reports_.back();
  }
  [[nodiscard]] std::vector<Report> Take() { return std::move(reports_); }

 private:
  std::vector<Report> reports_{1};
  std::size_t bytes_ = 0;  // of the last report
};

}  // namespace

void ResultOutbox::Add(Row row) {
  unreported_bytes_ += ResultBytes(row);
  result_bytes_ += static_cast<std::int64_t>(ResultBytes(row));
  if (!unreported_.empty() && Continues(unreported_.back(), row)) {
    Join(unreported_.back(), row);
  } else {
    unreported_.push_back(std::move(row));
  }
}

void ResultOutbox::AddFailure(FailedTask failed) {
  record_bytes_ += static_cast<std::int64_t>(failed.record.size());
  failed_.push_back(std::move(failed));
}

std::vector<Report> ResultOutbox::TakeReports(Instant now) {
  JoinUnreported();
  ReportWriter writer;
  for (Row& row : unreported_) {
    row.completed.started_ago = now - row.started;
    row.completed.ended_ago = now - row.ended;
    writer.ReportFor(ResultBytes(row)).completed.push_back(row.completed);
    unacknowledged_.emplace(row.completed.range.begin, std::move(row));
  }
  unreported_.clear();
  unreported_bytes_ = 0;
  for (FailedTask& failed : failed_) {
    Report& report = writer.ReportFor(failed.reason.size() + failed.record.size());
    report.failed.push_back(std::move(failed));
  }
  failed_.clear();
  record_bytes_ = 0;
  return writer.Take();
}

// Threads take turns at the front of the queue, so that what each did alone is in small pieces.
void ResultOutbox::JoinUnreported() {
  std::sort(unreported_.begin(), unreported_.end(), [](const Row& one, const Row& other) {
    return one.completed.range.begin < other.completed.range.begin;
  });
  std::vector<Row> rows;
  for (Row& row : unreported_) {
    if (!rows.empty() && Continues(rows.back(), row)) {
      Join(rows.back(), row);
    } else {
      rows.push_back(std::move(row));
    }
  }
  unreported_ = std::move(rows);
}

void ResultOutbox::OnAcknowledged(model::IndexRange range) {
  const auto [first, last] = unacknowledged_.equal_range(range.begin);
  const auto it = std::find_if(
      first, last, [&](const auto& entry) { return entry.second.completed.range == range; });
  if (it == last) return;
  result_bytes_ -= static_cast<std::int64_t>(ResultBytes(it->second));
  unacknowledged_.erase(it);
}

void ResultOutbox::ReportAgain() {
  unreported_.reserve(unreported_.size() + unacknowledged_.size());
  for (auto& [begin, row] : unacknowledged_) {
    unreported_bytes_ += ResultBytes(row);
    unreported_.push_back(std::move(row));
  }
  unacknowledged_.clear();
}

void ResultOutbox::ForgetGrants() {
  for (FailedTask& failed : failed_) failed.grant = GrantId{};
}

}  // namespace evenkeel::engine
