#include "coordinator/output_keeper.h"

#include <utility>

#include "coordinator/job_files.h"
#include "core/base/check.h"

namespace evenkeel::coordinator {

Result<std::unique_ptr<OutputKeeper>> OutputKeeper::Make(Journal& journal, JobFiles& files) {
  auto completed = CompletedTasks(journal);
  if (!completed) return tl::unexpected(completed.error());
  files.KeepOnly(std::move(*completed));
  return std::unique_ptr<OutputKeeper>(new OutputKeeper(journal, files));
}

Result<void> OutputKeeper::Append(const JournalRecords& records) {
  EVENKEEL_CHECK(records.exclusions.empty(),
                 "results are taken back in a job without verification");
  // Before they are recorded: the files that belong to them were stored before they were reported.
  for (const model::ResultRecord& result : records.results) files_.Keep(result.range);
  return journal_.Append(records);
}

}  // namespace evenkeel::coordinator
