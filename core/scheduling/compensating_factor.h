#pragma once

#include <vector>

/// How much load to send to others when sending takes time: the formulas of Mirtaheri's thesis on
/// load balancing with a compensating factor, with its numbers. Loads are tasks, speeds tasks a
/// second, times seconds. Equations (3-31), (3-37) and (3-43) say what each selection makes equal
/// or smallest.
namespace evenkeel::scheduling {

/// L_ex of each node: what it has above its share by speed, of all nodes looked at, (3-3) and for a
/// node's neighbours and itself (3-12). Below 0: it could take so much. Sums to 0. `speeds` > 0.
[[nodiscard]] std::vector<double> ExcessLoads(const std::vector<double>& loads,
                                              const std::vector<double>& speeds);

/// L_l of (3-7): what node `from` sends to each other node, floor(p_l L_ex), with p_l from (3-8) in
/// the ratio of what the underloaded could take; 0 for the others, and all 0 if `from` has nothing
/// above its share.
[[nodiscard]] std::vector<double> LoadsToSend(const std::vector<double>& excess, std::size_t from);

/// A load on its way from node r to node l.
struct LoadTransfer {
  double load = 0;          ///< L, > 0, as LoadsToSend has it
  double source_speed = 0;  ///< lambda_r
  double target_speed = 0;  ///< lambda_l
  double link_speed = 0;    ///< lambda_rl
  double dry_after = 0;     ///< T_l, when the target runs dry without it, (3-24)
};

/// Which idle time counts how.
enum class CompensationSelection {
  kFirst,   ///< the target waits as long as the source works on alone, (3-33)
  kSecond,  ///< least sum of squared idle times, (3-39)
  kThird,   ///< least sum of squared work lost in them, (3-45)
};

/// k, of which k L is sent instead of L: from T_l / t to 1, with t = L / lambda_rl; 1 if the load
/// arrives before the target runs dry.
[[nodiscard]] double CompensatingFactor(CompensationSelection selection,
                                        const LoadTransfer& transfer);

}  // namespace evenkeel::scheduling
