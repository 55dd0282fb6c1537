#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/scheduling/tail_stealing/credit_window.h"

namespace evenkeel::scheduling {

/// Moves tasks over declared links, which take time: a worker fetches tasks before it runs dry, so
/// many that it and the other worker finish together. Only the simulator declares links
/// (StrategyContext::links). Not thread-safe.
class LinkFetcher {
 public:
  /// The arguments outlive the fetcher.
  LinkFetcher(const StrategyContext& context, ReservedPool& pool, FinishPredictor& predictor,
              const CreditWindow& window)
      : context_(context), pool_(pool), predictor_(predictor), window_(window) {}

  /// Leases tasks reserved for a neighbour to the worker; of one neighbour in a call.
  void FetchAhead(WorkerId worker, Instant now, std::vector<Decision>& decisions);

 private:
  /// For how long the link from there still carries what the worker has fetched.
  [[nodiscard]] Duration LinkBusy(WorkerId worker, WorkerId from, Instant now) const;
  /// Cost that the link carries within the worker's window beside what it carries already.
  [[nodiscard]] double CostInWindow(WorkerId worker, WorkerId from, double link_speed,
                                    Instant now) const;
  /// Cost that would make both workers finish together; 0 while the link has enough to carry.
  [[nodiscard]] double CostToFetch(WorkerId worker, WorkerId from, double link_speed,
                                   Instant now) const;

  const StrategyContext& context_;
  ReservedPool& pool_;
  FinishPredictor& predictor_;
  const CreditWindow& window_;
  // Predicted time at which all fetched tasks have come: from, to.
  std::map<std::pair<WorkerId, WorkerId>, Instant> link_busy_;
};

}  // namespace evenkeel::scheduling
