#pragma once

#include <vector>

namespace evenkeel::scheduling {

/// A node as seen by the division of work for least energy.
struct PoweredNode {
  double rate = 1;   ///< > 0, units of work a second; any scale that all nodes share
  double watts = 1;  ///< >= 0, that count while it works
};

struct EnergyQuestion {
  std::vector<PoweredNode> nodes;  ///< at least one
  /// The work may take so many times as long as with `rate_of_all`; >= 1.
  double time_factor = 1;
  /// Sum of the rates of all nodes that could take part; 0: of `nodes`.
  double rate_of_all = 0;
  /// Power drawn until the work is done, independent of the nodes in use.
  double standing_watts = 0;
  /// Nodes whose joules per unit are within (1 + tolerance) of the best of them count as equal and
  /// end together. With 0 the answer is exact; else its joules are at most (1 + tolerance) times
  /// the least.
  double tolerance = 0;
};

/// The division of one unit of work.
struct EnergyAnswer {
  std::vector<double> shares;  ///< one a node, their sum is 1; 0: it is left out
  double seconds = 0;          ///< until the last of it is done
  double fastest_seconds = 0;  ///< at rate_of_all
  double joules = 0;
};

/// Divides work so that its energy is least within the time allowed.
///
/// Node j does x_j at rate r_j and costs e_j = watts_j / r_j joules a unit:
///
///     minimise  sum e_j x_j + S T   subject to  sum x_j = 1,  0 <= x_j <= r_j T,  T <= f / R
///
/// For a given T that is a fractional knapsack (Dantzig, "Discrete-Variable Extremum Problems",
/// 1957): fill the nodes in order of e_j, each up to r_j T. A plan that is not of this form has a
/// node with room and a smaller e_j than one that works; moving work to it costs nothing more. The
/// least energy E(T) is convex and, between the times at which the first k classes of nodes do all,
/// 1 / sum of their rates, a straight line: one of these times or the limit is best. With S = 0
/// slower is never dearer; with S > 0 it can pay to end early. Of equally good times the earliest
/// is taken. If even all nodes cannot keep the limit (rate_of_all is more than their sum), they end
/// as early as they can. Pure; O(nodes log nodes).
[[nodiscard]] EnergyAnswer LeastEnergy(const EnergyQuestion& question);

/// Fills the cheapest nodes first: returns the part of `work` of each node, if a unit costs
/// `joules_per_unit` there and at most `room` fits (>= 0). Work that fits nowhere is divided in the
/// ratio of `rates`. The lists have the same length.
[[nodiscard]] std::vector<double> FillCheapest(const std::vector<double>& joules_per_unit,
                                               const std::vector<double>& room,
                                               const std::vector<double>& rates, double work);

}  // namespace evenkeel::scheduling
