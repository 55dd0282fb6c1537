#pragma once

#include <absl/container/btree_map.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/engine/commit_queue.h"
#include "core/engine/effect_outbox.h"
#include "core/engine/membership.h"
#include "core/engine/messages.h"
#include "core/engine/task_ledger.h"
#include "core/engine/verification_rules.h"
#include "core/engine/worker_room.h"
#include "core/model/packed_results.h"
#include "core/model/range_set.h"
#include "core/model/run_record.h"

namespace evenkeel::engine {

/// Compares results: each drawn task runs a second time on another node, a check. If the results
/// differ, a third node decides which of the two gave a wrong one. If no third node can, or its
/// result is a third one, the job fails. Detects a node that gives wrong results, unless another
/// node gives the same ones; if a share p of the tasks is drawn, n wrong results escape with a
/// probability of (1 - p)^n. Only this class leases checks. Memory grows with the
/// number of drawn tasks. Without rules it does nothing. Not thread-safe.
class ResultVerification {
 public:
  using WorkerId = scheduling::WorkerId;
  /// A node that gave a wrong result.
  struct Finding {
    std::string node;
    model::TaskIndex index = 0;
    std::string reason;  ///< one line
  };
  /// All of them outlive this object.
  struct Parts {
    TaskLedger& ledger;
    const Membership& membership;
    const WorkerRoom& room;
    EffectOutbox& outbox;
  };

  /// Nothing is verified if `rules` is null. A check is repeated `retries` times after failures.
  ResultVerification(const Parts& parts, std::optional<VerificationRules> rules,
                     std::int32_t retries)
      : parts_(parts), rules_(std::move(rules)), retries_(retries) {}

  /// Results that are durable from earlier starts; before the first event.
  void Restore(const VerifiedSoFar& known);

  // Outcomes of runs.

  /// First results of the tasks of the range, which count.
  void NoteResults(const std::string& node, model::IndexRange range,
                   const model::PackedResults& results);
  /// Takes the results of the range that belong to checks of this worker; returns their number.
  std::int64_t TakeChecks(WorkerId worker, const CompletedRange& done, Commit& commit);
  /// Takes the failure of a run if it was a check.
  bool TakeFailure(WorkerId worker, const FailedTask& failed);

  // Decisions.

  /// Leases the checks that can run now. The caller sends the grants.
  void Place(Instant now);
  /// Nodes that gave wrong results, each once; Exclude each.
  [[nodiscard]] std::vector<Finding> TakeFindings();
  /// The node is left out: forgets its results and checks, which count for nothing. Returns the
  /// tasks whose results were its own.
  [[nodiscard]] model::RangeSet Exclude(const std::string& node);
  /// Why the job has to fail; empty if it need not.
  [[nodiscard]] const std::string& Failure() const { return failure_; }
  /// No result waits for its check.
  [[nodiscard]] bool Settled() const { return open_.empty() && findings_.empty(); }

  // Figures.

  [[nodiscard]] bool Enabled() const { return rules_.has_value(); }
  [[nodiscard]] std::int64_t ConfirmedTasks() const {
    return static_cast<std::int64_t>(confirmed_.size());
  }
  /// Drawn tasks that have a result and wait for its confirmation.
  [[nodiscard]] std::int64_t OpenTasks() const { return static_cast<std::int64_t>(open_.size()); }
  /// Nodes that were left out, in this start and before.
  [[nodiscard]] const std::vector<model::ExclusionRecord>& Exclusions() const {
    return exclusions_;
  }
  /// The node is left out of the job, durably from now on.
  void NoteExclusion(model::ExclusionRecord exclusion) {
    exclusions_.push_back(std::move(exclusion));
  }

 private:
  using NodeNumber = std::uint32_t;
  struct Run {
    NodeNumber node;
    ResultDigest digest;
  };
  /// A drawn task with a result that is not confirmed.
  struct Check {
    Run first{};
    std::optional<Run> other;  // that gave another result
    std::vector<NodeNumber> failed_on;
    std::int32_t failures = 0;
    std::int32_t losses = 0;  // of its worker
    std::optional<WorkerId> runs_at;
  };
  struct Confirmed {
    Run first{};
    NodeNumber second = 0;
  };

  NodeNumber NumberOf(const std::string& node);
  [[nodiscard]] Check& Of(model::TaskIndex index);
  void Open(model::TaskIndex index, const Run& first);
  void Judge(model::TaskIndex index, const Run& run, Commit& commit);
  void Confirm(model::TaskIndex index, const Run& first, NodeNumber second, Commit& commit);
  void Find(NodeNumber liar, model::TaskIndex index, NodeNumber one, NodeNumber other);
  /// Looks for a worker for the check. False if none has room.
  bool PlaceOne(model::TaskIndex index, Check& check, std::vector<WorkerId>& with_room,
                Instant now);
  [[nodiscard]] bool MayRun(const Check& check, const std::string& node, bool untried) const;
  /// Some node that is not lost may run the check.
  [[nodiscard]] bool AnyNode(const Check& check, bool untried) const;
  /// Cancels the run of the check, if there is one.
  void Stop(model::TaskIndex index, Check& check);
  [[nodiscard]] std::string Describe(model::TaskIndex index, const Check& check) const;
  [[nodiscard]] bool IsOf(const Run& run, const std::string& node) const {
    return nodes_[run.node] == node;
  }

  Parts parts_;
  std::optional<VerificationRules> rules_;
  std::int32_t retries_;
  std::vector<std::string> nodes_;
  std::map<std::string, NodeNumber> numbers_;
  std::vector<model::RangeSet> results_;  // that count, of each node
  absl::btree_map<model::TaskIndex, Check> open_;
  absl::btree_map<model::TaskIndex, Confirmed> confirmed_;
  std::deque<model::TaskIndex> waiting_;  // some are outdated: not in open_, or they run
  std::vector<Finding> findings_;
  std::vector<model::ExclusionRecord> exclusions_;
  std::string failure_;
};

}  // namespace evenkeel::engine
