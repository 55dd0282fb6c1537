#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "core/model/run_record.h"

namespace evenkeel::testing {

/// Planned makespan of the sample run; the slow node makes it a little longer.
inline constexpr double kSampleSeconds = 42;
inline constexpr double kSampleStartupSeconds = 0.42;

struct SampleNode {
  struct Part {
    model::IndexRange range;
    model::RunKind kind = model::RunKind::kPlanned;
  };
  std::string name;
  double guessed = 1;  ///< speed as weighed
  double speed = 1;    ///< speed in truth
  bool slows = false;  ///< becomes slower in mid-run
  double free_at = kSampleStartupSeconds;
  std::deque<Part> queue;
  model::NodeSummary summary;  ///< the counts only
};

/// Unequal nodes that share the load of the primes and take over each other's tail. A picture to
/// draw, not a model of the scheduler. Deterministic.
class SampleCluster {
 public:
  /// `report_seconds`: how long a node computes before it reports a range. With `stages`, the first
  /// node becomes a master that does not compute.
  SampleCluster(std::int64_t nodes, std::int64_t tasks, double report_seconds, bool stages);

  void Run();

  [[nodiscard]] const std::vector<SampleNode>& Nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<model::ResultRecord>& Records() const { return records_; }
  [[nodiscard]] const std::vector<model::TimelineEvent>& Events() const { return events_; }
  [[nodiscard]] model::MoveCounts Moves() const { return moves_; }

 private:
  void MakeNodes(std::int64_t count);
  void Plan(std::int64_t tasks);
  [[nodiscard]] double TotalSpeed() const;
  [[nodiscard]] double SpeedNow(const SampleNode& node) const;
  [[nodiscard]] double Seconds(const SampleNode& node, model::IndexRange range) const;
  [[nodiscard]] double PredictedEnd(const SampleNode& node) const;
  [[nodiscard]] SampleNode* NextNode();
  [[nodiscard]] SampleNode* LatestNode();
  bool Move(SampleNode& victim, SampleNode& thief, double now);
  void RunSome(SampleNode& node);
  void LoseForAWhile(SampleNode& node);
  void Look(double now);
  void BecomeMaster(SampleNode& master);
  void AddStages();
  model::TimelineEvent& AddEvent(model::TimelineEvent::Kind kind, double start);

  Rng rng_{7};
  double report_seconds_;
  bool stages_;
  double unit_seconds_ = 1;
  double next_look_ = 1.2;
  std::vector<SampleNode> nodes_;
  std::vector<model::ResultRecord> records_;
  std::vector<model::TimelineEvent> events_;
  model::MoveCounts moves_;
};

}  // namespace evenkeel::testing
