#pragma once

#include <memory>

#include "coordinator/journal.h"
#include "coordinator/record_store.h"

namespace evenkeel::coordinator {

class JobFiles;

/// A journal whose results protect the output files of their tasks: as soon as a result is about to
/// be recorded, no worker can replace the files any more, neither one that runs the task too late
/// nor one that was never given it. Not for jobs with verification, which take results back. Append
/// belongs to one thread.
class OutputKeeper final : public RecordStore {
 public:
  /// Both must outlive it. The tasks that the journal has are protected from now on. Errors: those
  /// of the journal.
  [[nodiscard]] static Result<std::unique_ptr<OutputKeeper>> Make(Journal& journal,
                                                                  JobFiles& files);

  Result<void> Append(const JournalRecords& records) override;
  Result<void> Grow(const JobIdentity& identity) override { return journal_.Grow(identity); }

 private:
  OutputKeeper(Journal& journal, JobFiles& files) : journal_(journal), files_(files) {}

  Journal& journal_;
  JobFiles& files_;
};

}  // namespace evenkeel::coordinator
