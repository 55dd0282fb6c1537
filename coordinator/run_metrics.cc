#include "coordinator/run_metrics.h"

#include "core/metrics/job_metrics.h"
#include "report/atomic_file.h"

namespace evenkeel::coordinator {

Result<void> WriteMetrics(const model::JobSpec& job, const JournalReader& journal,
                          const RunEnd& end, const std::filesystem::path& folder) {
  // Outside of a cluster there are no namespaces.
  metrics::JobMetrics metrics(job.profile, "", job.name);
  metrics.Update(end.progress, {end.traffic.bytes_sent, end.traffic.bytes_received});
  const auto read = journal.ForEachRange([&](const model::ResultRecord& record) -> Result<void> {
    metrics.ObserveTasks(record.range.Size(), record.busy);
    return {};
  });
  if (!read) return read;
  return report::WriteWholeFile(folder / "metrics.prom", metrics.Text());
}

}  // namespace evenkeel::coordinator
